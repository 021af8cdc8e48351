"""All tests of exactness on one subject, and the table of their p-values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from blocklda.support import defaults
from blocklda.support.checks import true_or_false, whole_number
from blocklda.testing.base import Subject
from blocklda.testing.invariance import long_chain, one_step
from blocklda.testing.joint import Ranks, geweke, ranks_of_truths
from blocklda.testing.subjects import find_subjects, subject_of
from blocklda.testing.verdict import ACCEPT, Verdict

__all__ = ["Report", "Row", "check"]


@dataclass(frozen=True)
class Row:
    """One test: its kind, what it was run on, how many draws it had, p-value and details."""

    test: str
    case: str
    n_draws: int
    p_value: float
    details: str


@dataclass(frozen=True)
class Report:
    """The tests of one sampler.

    Attributes
    ----------
    subject
        The name of the sampler.
    rows
        One for each test.
    ranks
        The ranks of simulation-based calibration, by model.
    """

    subject: str
    rows: tuple[Row, ...]
    ranks: dict[str, Ranks]

    @property
    def p_value(self) -> float:
        """The smallest p-value times the number of tests, at most 1."""
        return min(1.0, len(self.rows) * min(row.p_value for row in self.rows))

    @property
    def is_exact(self) -> bool:
        """False if the tests reject the sampler: ``p_value`` is not above ACCEPT."""
        return self.p_value > ACCEPT

    def to_dict(self) -> dict[str, Any]:
        """Return plain data, as for JSON."""
        return {
            "subject": self.subject,
            "p_value": self.p_value,
            "accepted": self.is_exact,
            "tests": [vars(row) for row in self.rows],
            "ranks": {
                model: {name: counts.tolist() for name, counts in ranks.counts().items()}
                for model, ranks in self.ranks.items()
            },
        }


@dataclass(frozen=True)
class _Lengths:
    """How many draws each kind of test has."""

    one_step: int
    long_chain: int
    geweke: int
    truths: int


LENGTHS = {
    True: _Lengths(one_step=600, long_chain=300, geweke=300, truths=100),
    False: _Lengths(one_step=5_000, long_chain=2_500, geweke=4_000, truths=800),
}
"""Quick, and not."""


def check(
    sampler: Any, *, quick: bool = False, seed: int = defaults.SEED, model: str = "lda"
) -> Report:
    """Test whether a sampler's stationary distribution is the posterior.

    Four kinds of tests: *one-step*, exact draws from posteriors whose states are listed keep their
    distribution after one sweep and after three; *enumeration*, a long chain visits these states as
    often as it should; *Geweke*, draws from the joint distribution of parameters and data keep it;
    *calibration*, ranks of truths among posterior draws are uniform.

    Parameters
    ----------
    sampler
        A name as :func:`find_subjects` takes it, if that is one sampler, or anything that
        :func:`subject_of` takes.
    quick
        Use a tenth of the draws, which takes seconds and still finds most mistakes.
    seed
        Seed of the random numbers.
    model
        The model of a function: "lda" or "mixture".

    Examples
    --------
    >>> from blocklda import testing
    >>> report = testing.check("nested", quick=True)
    >>> report.is_exact
    True
    """
    true_or_false("quick", quick)
    whole_number("seed", seed, 0)
    subject = find_subjects(sampler)[0] if isinstance(sampler, str) else subject_of(sampler, model)
    ranks: dict[str, Ranks] = {}
    rows = tuple(_rows(subject, LENGTHS[quick], seed, ranks))
    return Report(subject.name, rows, ranks)


def _rows(subject: Subject, lengths: _Lengths, seed: int, ranks: dict[str, Ranks]) -> Iterator[Row]:
    """Run the tests one after the other; ``ranks`` is filled."""
    n = lengths
    for case, problem in subject.problems.items():
        for n_sweeps, name in ((1, "one-step"), (3, "three steps")):
            yield _row(
                name,
                case,
                n.one_step,
                lambda problem=problem, n_sweeps=n_sweeps: one_step(  # type: ignore[misc]
                    problem, subject.sweep, n.one_step, seed, n_sweeps
                ),
            )
        yield _row(
            "enumeration",
            case,
            n.long_chain,
            lambda problem=problem: long_chain(  # type: ignore[misc]
                problem, subject.sweep, n.long_chain, seed
            ),
        )
    sweep = subject.joint_sweep
    for case, joint in subject.joints.items():
        yield _row(
            "Geweke",
            case,
            n.geweke,
            lambda joint=joint: geweke(joint, sweep, n.geweke, seed),  # type: ignore[misc]
        )
        ranks[case] = ranks_of_truths(joint, sweep, n.truths, seed)
        yield _row("calibration", case, n.truths, ranks[case].verdict)


def _row(test: str, case: str, n_draws: int, run: Callable[[], Verdict]) -> Row:
    verdict = run()
    return Row(test, case, n_draws, verdict.p_value, verdict.report)
