"""What may be learned, when it is, and that nothing is remembered in between."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

import blocklda
from blocklda import InputError
from blocklda.models.lda.prior_learning import PriorLearning
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.sparse.plan import rows_are_words

COUNTS = np.random.default_rng(11).poisson(1.2, size=(8, 10))
COUNTS[2] = 0
COUNTS[5, 3] = 30


def learning(**changes: object) -> PriorLearning:
    settings = {
        "learn_alpha": "asymmetric",
        "learn_beta": "symmetric",
        "learn_how": "sampled",
        "alpha_prior": (1.0, 1.0),
        "beta_prior": (2.0, 3.0),
    }
    return PriorLearning.create(**{**settings, **changes})


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"learn_alpha": "each"}, r"learn_alpha='each' .* 'none', 'symmetric' or 'asymmetric'"),
        ({"learn_alpha": True}, r"learn_alpha=True is not allowed"),
        ({"learn_alpha": None}, r"learn_alpha=None is not allowed"),
        ({"learn_beta": "asymmetric"}, r"learn_beta='asymmetric' .* 'none' or 'symmetric'"),
        ({"learn_how": "optimum"}, r"learn_how='optimum' .* 'optimised' or 'sampled'"),
        ({"alpha_prior": 1.0}, r"alpha_prior=1\.0 is not a pair"),
        ({"alpha_prior": (1, 2, 3)}, r"alpha_prior=\(1, 2, 3\) is not a pair"),
        ({"alpha_prior": "ab"}, r"alpha_prior='ab' is not a pair"),
        (
            {"beta_prior": (0.0, 1.0)},
            r"beta_prior=\(0\.0, 1\.0\) has the shape 0: .* 0\.1 to",
        ),
        ({"beta_prior": (1.0, -1.0)}, r"has the rate -1: give one from 1e-06 to 1e\+06"),
        ({"beta_prior": (float("nan"), 1.0)}, r"has the shape nan"),
        ({"beta_prior": (1.0, float("inf"))}, r"has the rate inf"),
    ],
)
def test_mistakes_are_told(changes, said):
    with pytest.raises(InputError, match=said):
        learning(**changes)


def test_beta_may_be_switched_on_and_off():
    assert learning(learn_beta=True) == learning(learn_beta="symmetric")
    assert learning(learn_beta=np.False_).beta == "none"


def test_what_cannot_be_learned_is_refused():
    matrix = Priors.create(2, 3, 0.1, np.ones((2, 3)))
    uneven = Priors.create(2, 3, [0.1, 0.2], 0.1)
    with pytest.raises(InputError, match=r"learn_beta='symmetric' .* matrix .* seed words"):
        learning().check(matrix)
    with pytest.raises(InputError, match=r"learn_alpha='symmetric' .* from 0.1 to 0.2"):
        learning(learn_alpha="symmetric").check(uneven)
    learning(learn_beta="none").check(matrix)
    learning().check(uneven)
    learning(learn_alpha="none").check(uneven)


def test_only_optimised_priors_need_a_burn_in():
    assert learning(learn_how="optimised").needs_burn_in
    assert not learning().needs_burn_in
    nothing = learning(learn_alpha="none", learn_beta=False, learn_how="optimised")
    assert not nothing.is_active
    assert not nothing.needs_burn_in
    assert not nothing.is_due(5, 10)


@pytest.mark.parametrize("burn_in", [0, 1, 2, 3, 10, 11, 100])
def test_when_priors_are_updated(burn_in):
    due = [s for s in range(1, 201) if learning(learn_how="optimised").is_due(s, burn_in)]
    assert all(1 < sweep <= burn_in for sweep in due)
    if burn_in >= 2:
        assert due[-1] == burn_in
    assert all(learning().is_due(sweep, burn_in) for sweep in range(1, 201))


def test_the_density_is_that_of_the_gamma_priors():
    priors = Priors.create(3, 4, [0.1, 0.5, 2.0], 0.3)
    even = Priors.create(3, 4, 0.1, 0.3)
    beta = stats.gamma.logpdf(0.3, 2.0, scale=1 / 3)
    alpha = {x: stats.gamma.logpdf(x, 1.0, scale=1.0) for x in (0.1, 0.5, 2.0)}
    assert learning().log_density(priors) == pytest.approx(sum(alpha.values()) + beta)
    assert learning(learn_alpha="symmetric").log_density(even) == pytest.approx(alpha[0.1] + beta)
    assert learning(learn_beta=False).log_density(priors) == pytest.approx(sum(alpha.values()))
    assert learning(learn_alpha="none").log_density(priors) == pytest.approx(beta)
    assert learning(learn_how="optimised").log_density(priors) == 0


def advance(chain: blocklda.Chain, settings: PriorLearning, n_sweeps: int) -> blocklda.Chain:
    for _ in range(n_sweeps):
        chain.sweep()
        if settings.is_due(chain.n_sweeps, burn_in=8):
            chain.state.priors = settings.updated(chain.state, chain.state.rng)
    return chain


def same(one: blocklda.Chain, other: blocklda.Chain) -> bool:
    return (
        np.array_equal(one.assignments(), other.assignments())
        and np.array_equal(one.priors.alpha, other.priors.alpha)
        and np.array_equal(one.priors.beta, other.priors.beta)
        and one.state.rng.bit_generator.state == other.state.rng.bit_generator.state
    )


def new_chain(sampler: str, backend: str = "native") -> blocklda.Chain:
    return blocklda.Chain(COUNTS, 5, sampler=sampler, backend=backend, seed=7)


@pytest.mark.parametrize("how", ["optimised", "sampled"])
@pytest.mark.parametrize("alpha", ["symmetric", "asymmetric"])
@pytest.mark.parametrize("sampler", blocklda.SAMPLERS)
def test_a_saved_chain_goes_on_and_twins_agree(sampler, alpha, how, tmp_path):
    settings = learning(learn_alpha=alpha, learn_how=how)
    whole = advance(new_chain(sampler), settings, 12)
    first = advance(new_chain(sampler), settings, 5)
    first.save(tmp_path / "chain")
    assert same(advance(blocklda.Chain.load(tmp_path / "chain", COUNTS), settings, 7), whole)
    assert same(advance(new_chain(sampler, "python"), settings, 12), whole)


@pytest.mark.parametrize("sampler", ["sparse", "sparse-single-site"])
def test_priors_that_change_the_axis_of_a_sparse_sampler(sampler, tmp_path):
    """The axis follows from the priors: a chain read from a file knows the present ones only."""
    changes: list[Callable[[blocklda.Chain], object]] = [
        lambda chain: chain.sweep(2),
        lambda chain: setattr(chain.state, "priors", Priors.create(40, 10, 0.001, 5.0)),
        lambda chain: chain.sweep(2),
    ]

    def chain(backend: str = "native") -> blocklda.Chain:
        return blocklda.Chain(
            COUNTS, 40, alpha=5.0, beta=0.001, sampler=sampler, backend=backend, seed=7
        )

    whole, twin, first = chain(), chain("python"), chain()
    axes = set()
    for change in changes:
        change(whole)
        change(twin)
        axes.add(rows_are_words(whole.corpus, whole.priors))
    assert axes == {True, False}
    for change in changes[:2]:
        change(first)
    first.save(tmp_path / "chain")
    second = blocklda.Chain.load(tmp_path / "chain", COUNTS)
    changes[2](second)
    assert same(second, whole)
    assert same(twin, whole)
