"""The sparse samplers where blocks are restricted, and with either axis as rows.

Exact draws, moved on by three sweeps, must still have the exact law. The kernel lists all topics up
to 16, so its restricted move needs more of them; the Python twin is restricted with any number.
"""

from __future__ import annotations

import pytest

from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.sparse import plan
from blocklda.models.lda.samplers.sparse.plan import ALL_LISTED, rows_are_words
from tests.exact.cases import CASES, ORDER_REVEALING, REVEALING
from tests.exact.fit import ACCEPT, REJECT, Verdict, judge, lag_one_correlations
from tests.exact.problem import Problem
from tests.exact.runs import (
    advanced_draws,
    advanced_topics,
    chain_draws,
    n_draws_of,
    smallest_p_value,
)
from tests.mutants.sparse import SPARSE_CONTROLS, SPARSE_MUTANTS

N_SWEEPS, SEED = 3, 50
DOCS, WORDS = "documents as rows", "words as rows"

MANY_TOPICS = {
    "2 and 1 tokens of a word, by word": (WORDS, Problem(((2,), (1,)), 17, 1.5, 0.05)),
    "2 and 1 tokens of a word": (DOCS, Problem(((2,), (1,)), 17, 0.1, 0.005)),
    "3 and 1 tokens of a word": (DOCS, Problem(((3,), (1,)), 17, 0.3, 0.005)),
    "two words, two documents": (DOCS, Problem(((2, 1), (1, 0)), 17, 1.0, 0.1)),
    "two words, two documents, by word": (WORDS, Problem(((2, 1), (1, 0)), 17, 0.1, 1.0)),
}
"""More topics than are always listed. Documents that share a word, or words that share a document,
make lists that hold something when the block is out."""

BY_ROWS = {
    "small lists": (DOCS, Problem(((3, 1), (1, 0)), 2, (0.8, 0.4), 0.3)),
    "three topics": (DOCS, Problem(((3,), (1,)), 3, 0.9, 0.2)),
    # b_k > c_k: an empty topic of a document weighs more than one that has tokens.
    "alpha above V beta": (DOCS, Problem(((4,), (1,)), 2, 3.0, 0.1)),
    "one document": (WORDS, Problem(((3, 1),), 3, 0.2, 0.9)),
    "asymmetric lists": (WORDS, Problem(((4, 1),), 2, (0.2, 0.5), 1.0)),
    "beta matrix": (WORDS, Problem(((3, 1), (1, 0)), 2, 0.6, ((0.2, 0.9), (0.7, 0.3)))),
    "single tokens of a document": (DOCS, Problem(((1, 1, 1, 1),), 3, (0.3, 0.3, 1.0), 3.0)),
    "single tokens of a word": (WORDS, Problem(((1, 0),) * 4, 3, (0.3, 0.3, 2.0), 3.0)),
    # Where the first token of a block goes changes the sums of the next ones tenfold.
    "first token decides": (DOCS, Problem(((3, 2),), 2, (10.0, 1.0), 0.05)),
    "two documents": (DOCS, Problem(((2, 1), (0, 1)), 2, (10.0, 1.0), 0.05)),
    "one token a word": (DOCS, Problem(((1, 1),), 2, (0.3, 1.2), 5.0)),
    "two tokens": (WORDS, Problem(((2,),), 2, (0.3, 1.2), 5.0)),
}

TINY_PRIORS = {
    f"priors of {prior}, {rows}": (rows, Problem(((1, 0), (1, 1)), 3, prior, beta))
    for prior in (1e-12, 1e-16, 1e-20)
    for rows, beta in ((DOCS, prior), (WORDS, ((prior, 2 * prior),) * 3))
}
"""A topic that a list and the row share has nearly all of the weight until its token is out."""

BY_ROWS |= TINY_PRIORS

PROBLEMS = {name: problem for name, (_, problem) in {**MANY_TOPICS, **BY_ROWS}.items()} | {
    "one of 4": REVEALING,
    "one of 6": ORDER_REVEALING,
}


def rows_of(problem: Problem) -> str:
    priors = Priors.create(problem.n_topics, problem.corpus.n_words, problem.alpha, problem.beta)
    return WORDS if rows_are_words(problem.corpus, priors) else DOCS


def verdict_on(problem: Problem, sampler: str | Sweep, n_draws: int) -> Verdict:
    return judge(problem, advanced_draws(problem, sampler, n_draws, N_SWEEPS, SEED))


@pytest.mark.parametrize("name", [*MANY_TOPICS, *BY_ROWS])
def test_the_rows_are_what_the_name_says(name):
    rows, problem = {**MANY_TOPICS, **BY_ROWS}[name]
    assert rows_of(problem) == rows
    assert (problem.n_topics > ALL_LISTED) == (name in MANY_TOPICS)


def test_other_suites_take_both_axes():
    for problems in (
        [case.problem for case in CASES.values()],
        [case.problem for name, case in CASES.items() if "beta 0.5" in name or "block" in name],
    ):
        assert {rows_of(problem) for problem in problems} == {DOCS, WORDS}


@pytest.mark.parametrize("sampler", ["sparse", "sparse-single-site"])
@pytest.mark.parametrize("name", [*MANY_TOPICS, *BY_ROWS])
def test_three_sweeps_leave_the_law_as_it_is(name, sampler):
    verdict = verdict_on(PROBLEMS[name], sampler, n_draws_of(sampler))
    assert verdict.p_value > ACCEPT, verdict.report


TINY_PRIORS_OF_BLOCKS = {
    f"blocks and priors of {prior}": Problem(((2, 0), (1, 1)), 3, prior, prior)
    for prior in (1e-9, 1e-16)
}
"""The bound of a row's running sum may be far above the sum."""


SEQUENTIAL = [
    *((name, "sparse") for name in [*MANY_TOPICS, *BY_ROWS, *TINY_PRIORS_OF_BLOCKS]),
    *((name, "grid on lists") for name in ("three topics", "alpha above V beta", "beta matrix")),
]


@pytest.mark.parametrize(("name", "sampler"), SEQUENTIAL)
def test_blocks_token_after_token(name, sampler, monkeypatch):
    """Lists of so few tokens have such blocks in tests alone."""
    problem = (PROBLEMS | TINY_PRIORS_OF_BLOCKS)[name]
    monkeypatch.setattr(plan, "SEQUENTIAL_FROM", 0)
    verdict = verdict_on(problem, sampler, n_draws_of(sampler))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("sampler", ["grid", "grid on lists"])
@pytest.mark.parametrize("name", TINY_PRIORS)
def test_a_grid_with_tiny_priors(name, sampler):
    verdict = verdict_on(PROBLEMS[name], sampler, n_draws_of(sampler))
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("name", list(MANY_TOPICS)[:3])
def test_a_long_chain_of_restricted_blocks(name):
    """Often the block is spread and stays put: draws are independent after ten times as long."""
    problem = PROBLEMS[name]
    states = chain_draws(problem, "sparse", 2_500, thin=90, seed=51)
    assert abs(lag_one_correlations(problem, states)).max() < 4.5 / 2_500**0.5
    verdict = judge(problem, states)
    assert verdict.p_value > ACCEPT, verdict.report


CAUGHT_BY = {
    "leaves chosen before removal": ("three topics", "2 and 1 tokens of a word, by word"),
    "spread blocks go token by token": (
        "2 and 1 tokens of a word, by word",
        "2 and 1 tokens of a word",
    ),
    "spread blocks drawn all the same": ("two words, two documents",),
    "bounds taken for weights": ("asymmetric lists",),
    "emptied topic not in the bounds": ("alpha above V beta",),
    "background without j!": ("alpha above V beta", "asymmetric lists"),
    "leaves without n!": ("alpha above V beta",),
    "block left in its row": ("alpha above V beta",),
    "choice not taken off the uniform": ("two tokens",),
    "tokens in sorted order": ("one of 6",),
    "parts of a sorted block": ("small lists",),
    "running sum that only falls": ("single tokens of a document",),
    "old topic twice": ("one token a word",),
    "old topic not in the background": ("one of 4",),
    "priors not exchanged": ("one document",),
    "others as a difference": tuple(name for name in TINY_PRIORS if "1e-20" in name),
    "token after token, always accepted": ("first token decides", "two documents"),
    "token after token, sums exchanged": ("first token decides",),
    "token after token, block in the counts": ("two documents",),
}
"""Where a mutant shows soonest: with many topics as with few, and with either axis as rows."""


def test_every_mutant_is_claimed():
    assert set(CAUGHT_BY) == set(SPARSE_MUTANTS)


@pytest.mark.parametrize(
    ("mutant", "name"), [(mutant, name) for mutant, names in CAUGHT_BY.items() for name in names]
)
def test_wrong_sparse_samplers_are_rejected(mutant, name):
    problem = PROBLEMS[name]
    topics = advanced_topics(problem, SPARSE_MUTANTS[mutant], N_SWEEPS, SEED)
    assert smallest_p_value(problem, topics) < REJECT


ACCEPTED_ON = {
    "blocks": (
        "three topics",
        "2 and 1 tokens of a word, by word",
        "2 and 1 tokens of a word",
        "asymmetric lists",
        "alpha above V beta",
        "beta matrix",
        "one document",
        "priors of 1e-20, documents as rows",
        "priors of 1e-20, words as rows",
    ),
    "parts of 2": ("small lists",),
    "tokens": ("one of 6", "single tokens of a document"),
    "tokens written out": ("one token a word", "one of 4"),
    "token after token": ("first token decides", "two documents"),
}
"""The problems on which mutants are rejected, for what they were made from."""


@pytest.mark.parametrize(
    ("control", "name"),
    [(control, name) for control, names in ACCEPTED_ON.items() for name in names],
)
def test_restricted_twins_are_accepted(control, name):
    verdict = verdict_on(PROBLEMS[name], SPARSE_CONTROLS[control], 500)
    assert verdict.p_value > ACCEPT, verdict.report
