"""`init="variational"`: the same for every build and backend, for every corpus, and worth it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings

import blocklda
from blocklda import CapacityError, InputError, _native, simulate
from blocklda.models.lda.predictive import perplexity, predictive
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import variational as twin
from blocklda.models.lda.starts.first_counts import first_counts
from blocklda.models.lda.starts.variational import (
    KERNELS,
    PASSES,
    single_precision,
    steps,
    variational_topics,
)
from tests.native.invented import REPEATABLE, TOPICS, Setting, invented

RAGGED = np.array([[1, 2, 3, 0], [4, 5, 18, 1], [0, 0, 0, 0], [2, 0, 7, 1]])


@pytest.fixture
def _restored_instruction_set() -> Iterator[None]:
    active = _native.active_instruction_set()
    yield
    _native.use_instruction_set(active)


@dataclass(frozen=True)
class Outcome:
    topics: list[int]
    generator: dict[str, object]


def start(setting: Setting, backend: str, passes: int = 2) -> Outcome:
    state = setting.start()
    topics = variational_topics(state.corpus, state.priors, state.rng, backend, passes)
    return Outcome(topics.tolist(), state.rng.bit_generator.state)


@settings(REPEATABLE, max_examples=100)
@given(setting=invented(large_work=10_000))
def test_twins_agree(setting):
    assert start(setting, "native") == start(setting, "python")


@pytest.mark.parametrize("n_topics", TOPICS)
@pytest.mark.parametrize("n_entries", [1, 2, 3, 4, 5, 8])
def test_twins_agree_for_every_group_of_entries(n_entries, n_topics):
    matrix = np.random.default_rng(n_entries).integers(1, 9, size=(3, n_entries))
    setting = Setting(matrix, n_topics, 0.1, 0.05, None, seed=n_topics)
    assert start(setting, "native") == start(setting, "python")


def one_pass(backend: str, alpha: object, beta: object, n_topics: int) -> np.ndarray:
    """n_vk after a pass: more to compare than the topics drawn from it."""
    corpus = blocklda.Corpus.from_matrix(RAGGED)
    checked = Priors.create(n_topics, 4, alpha, beta)
    priors = single_precision(checked, 4)
    docs = np.array([3, 0, 1])
    n_vk = first_counts(corpus, docs, checked, np.random.Generator(np.random.PCG64(5)))
    gains, scales, left = steps(3, 0)
    KERNELS[backend][0](corpus, priors, docs, gains, scales, 2, n_vk)
    return n_vk * left


@pytest.mark.parametrize("n_topics", TOPICS)
def test_the_counts_of_twins_agree_to_the_bit(n_topics):
    beta = np.random.default_rng(1).uniform(0.01, 2.0, size=(n_topics, 4))
    native = one_pass("native", 0.3, beta, n_topics)
    assert np.array_equal(native, one_pass("python", 0.3, beta, n_topics))
    assert (native[:, n_topics:] == 0).all()


@pytest.mark.usefixtures("_restored_instruction_set")
@settings(REPEATABLE, max_examples=100)
@given(setting=invented(large_work=1_000_000))
def test_instruction_sets_agree(setting):
    outcomes = []
    for name in _native.instruction_sets():
        _native.use_instruction_set(name)
        outcomes.append(start(setting, "native", PASSES))
    assert all(outcome == outcomes[0] for outcome in outcomes)


def slow_pass(n_kv: np.ndarray, alpha: np.ndarray, beta: np.ndarray, docs, rates) -> np.ndarray:
    """SCVB0 from its formulas, in doubles: γ_k ∝ (n_dk + α_k)(n_kv + β_kv) / (n_k + Σ_v β_kv)."""
    for d, rate in zip(docs, rates, strict=True):
        words = np.flatnonzero(RAGGED[d])
        phi = (n_kv + beta) / (n_kv + beta).sum(axis=1, keepdims=True)
        n_dk = np.zeros(len(alpha))
        for first in range(0, len(words), twin.GROUP):
            group = words[first : first + twin.GROUP]
            n_dk = n_dk + shares(n_dk + alpha, phi[:, group]) @ RAGGED[d, group]
        for _ in range(2):
            n_dk = shares(n_dk + alpha, phi[:, words]) @ RAGGED[d, words]
        own = np.zeros_like(n_kv)
        own[:, words] = shares(n_dk + alpha, phi[:, words]) * RAGGED[d, words]
        n_kv = (1 - rate) * n_kv + rate * len(docs) * own
    return n_kv


def shares(a: np.ndarray, phi: np.ndarray) -> np.ndarray:
    weights = a[:, None] * phi
    return weights / weights.sum(axis=0)


@pytest.mark.parametrize("backend", ["native", "python"])
@pytest.mark.parametrize("asymmetric", [False, True])
def test_a_pass_is_the_papers_update_with_every_prior(asymmetric, backend):
    rng = np.random.default_rng(3)
    alpha = rng.uniform(0.05, 2.0, 3) if asymmetric else 0.3
    beta = rng.uniform(0.01, 5.0, (3, 4)) if asymmetric else 0.2
    corpus, docs = blocklda.Corpus.from_matrix(RAGGED), np.array([3, 0, 1])
    priors = Priors.create(3, 4, alpha, beta)
    before = first_counts(corpus, docs, priors, np.random.Generator(np.random.PCG64(5)))
    _, scales, left = steps(3, 0)
    rates = 1 - np.append(scales[1:], left) / scales
    expected = slow_pass(
        before[:, :3].T.astype(float),
        np.broadcast_to(alpha, 3),
        np.broadcast_to(beta, (3, 4)),
        docs,
        rates,
    )
    np.testing.assert_allclose(one_pass(backend, alpha, beta, 3)[:, :3].T, expected, rtol=1e-4)


def test_topics_are_drawn_from_theta_and_phi():
    """Two topics with different words: each token goes where its word is, but for the priors."""
    matrix = np.array([[5000, 0], [0, 5000]])
    corpus = blocklda.Corpus.from_matrix(matrix)
    priors = single_precision(Priors.create(2, 2, 0.1, 1.0), 2)
    n_vk = np.zeros((2, 16), dtype=np.float32)
    n_vk[0, :2], n_vk[1, :2] = [30, 10], [10, 30]
    topics = np.zeros(corpus.n_tokens, dtype=np.int32)
    rng = np.random.Generator(np.random.PCG64(2))
    KERNELS["native"][1](corpus, priors, 0, n_vk, rng, topics)
    # One entry a document: n_d1 is 5000 φ_1v / (φ_1v + φ_2v) after the first pass, φ ∝ 31 and 11.
    theta = 0.1 + 5000 * np.array([31, 11]) / 42
    share = theta[0] * 31 / (theta[0] * 31 + theta[1] * 11)
    error = 4 * np.sqrt(share * (1 - share) / 5000)
    assert (topics[:5000] == 0).mean() == pytest.approx(share, abs=error)
    assert (topics[5000:] == 1).mean() == pytest.approx(share, abs=error)


def chain(matrix: object, n_topics: int, **options: object) -> blocklda.Chain:
    return blocklda.Chain(matrix, n_topics, **{"init": "variational", **options})


def test_same_seed_same_bits():
    one, same, other = (chain(RAGGED, 5, seed=seed) for seed in (4, 4, 5))
    for each in (one, same, other):
        each.sweep(3)
    assert np.array_equal(one.assignments(), same.assignments())
    assert not np.array_equal(one.assignments(), other.assignments())
    assert chain(RAGGED, 5, seed=4).assignments().tolist() == (
        chain(RAGGED, 5, seed=4, backend="python").assignments().tolist()
    )


@pytest.mark.parametrize(
    ("matrix", "n_topics"),
    [
        ([[1]], 1),
        ([[1]], 50),
        ([[3, 1, 2]], 4),
        ([[0, 0], [0, 0]], 3),
        ([[0, 0], [7, 0], [0, 0]], 2),
        (np.full((4, 1), 5), 3),
        (RAGGED, 1),
        (RAGGED, 500),
        ([[2_000_000, 1], [1, 1]], 3),
    ],
)
def test_every_corpus_has_a_start(matrix, n_topics):
    started = chain(matrix, n_topics, sampler="single-site")
    topics = started.assignments()
    assert topics.shape == (started.corpus.n_tokens,)
    assert ((topics >= 0) & (topics < n_topics)).all()
    started.sweep()


@pytest.mark.parametrize("alpha", [1e-300, 1e-8, 1e8, 1e300])
@pytest.mark.parametrize("beta", [1e-300, 1e-8, 1e8, 1e300])
def test_priors_that_single_precision_cannot_hold(alpha, beta):
    priors = Priors.create(3, 4, alpha, beta)
    corpus = blocklda.Corpus.from_matrix(RAGGED)
    rng = np.random.Generator(np.random.PCG64(1))
    topics = variational_topics(corpus, priors, rng, "native")
    assert ((topics >= 0) & (topics < 3)).all()


def test_alpha_is_respected():
    """A topic that nearly all documents must prefer, and one that none can."""
    counts = np.random.default_rng(1).poisson(0.5, size=(30, 20))
    topics = chain(counts, 3, alpha=[100.0, 1.0, 1e-4], beta=1.0).assignments()
    sizes = np.bincount(topics, minlength=3)
    assert sizes[0] > 5 * sizes[1]
    assert sizes[1] > 5 * sizes[2]


def test_beta_is_respected():
    """Seed words: each topic's own ten words have a large prior, and its tokens are theirs."""
    counts = np.random.default_rng(1).poisson(0.5, size=(30, 20))
    beta = np.full((2, 20), 1e-3)
    beta[0, :10] = beta[1, 10:] = 50.0
    started = chain(counts, 2, beta=beta)
    n_kv = started.topic_word_counts()
    assert n_kv[0, :10].sum() > 0.9 * n_kv[:, :10].sum()
    assert n_kv[1, 10:].sum() > 0.9 * n_kv[:, 10:].sum()


def test_the_bars_are_found_at_once():
    corpus = simulate.bars(n_docs=200, seed=1).corpus
    for seed in range(5):
        warm, cold = chain(corpus, 10, seed=seed), chain(corpus, 10, seed=seed, init="random")
        at_random = cold.log_posterior()
        cold.sweep(2)
        assert warm.log_posterior() > cold.log_posterior() > at_random


@pytest.mark.realdata
def test_held_out_words_of_kos_are_predicted_better_than_after_20_random_sweeps(data_dir):
    corpus = blocklda.read_corpus(data_dir / "docword.kos.txt.gz")
    train, test = blocklda.split_tokens(corpus, slice(corpus.n_docs - 430, None), seed=0)
    warm = chain(train, 40, sampler="single-site", seed=1)
    cold = chain(train, 40, sampler="single-site", seed=1, init="random")
    cold.sweep(20)
    after_20 = perplexity(predictive(cold.draw(), test), test)
    # Measured: 1700 to 1760 at once and 1830 to 1920 after some sweeps, against 2220 to 2250.
    assert perplexity(predictive(warm.draw(), test), test) < 0.85 * after_20
    warm.sweep(5)
    assert perplexity(predictive(warm.draw(), test), test) < 0.92 * after_20
    assert warm.log_posterior() > cold.log_posterior()


def test_an_unknown_start_is_told_the_known_ones():
    with pytest.raises(InputError, match=r"init='warm'.*'random' or 'variational'"):
        chain(RAGGED, 2, init="warm")


def test_other_mistakes_are_told_before_the_start():
    with pytest.raises(InputError, match="backend='gpu'"):
        chain(RAGGED, 2, backend="gpu")
    with pytest.raises(InputError, match="sampler='fast'"):
        chain(RAGGED, 2, sampler="fast")


def test_a_table_that_does_not_fit_is_refused(monkeypatch):
    monkeypatch.setattr("blocklda.support.memory.available_bytes", lambda: 10_000_000)
    with pytest.raises(CapacityError, match=r"a chain of 40 topics .* 100,000 words"):
        chain(np.ones((1, 100_000), dtype=int), 40)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"order": np.array([4])}, "document out of range"),
        ({"gains": np.ones(2, dtype=np.float32)}, "differ in length"),
        ({"n_vk": np.zeros((4, 8), dtype=np.float32)}, "differ in length"),
        ({"alpha": np.zeros(32, dtype=np.float32)}, "padded"),
        ({"beta": np.ones((3, 16), dtype=np.float32)}, "one row"),
        ({"word_ids": np.full(10, 4, dtype=np.int32)}, "word id"),
    ],
)
def test_the_border_refuses_what_does_not_fit(wrong, said):
    corpus = blocklda.Corpus.from_matrix(RAGGED)
    priors = single_precision(Priors.create(3, 4, 0.1, 0.1), 4)
    arrays = {
        "word_ids": corpus.word_ids,
        "alpha": priors.alpha,
        "beta": priors.beta,
        **wrong,
    }
    arguments = {
        "order": np.array([0]),
        "gains": np.ones(1, dtype=np.float32),
        "scales": np.ones(1, dtype=np.float32),
        "n_refine": 1,
        "n_vk": np.ones((4, 16), dtype=np.float32),
    }
    arguments.update({name: value for name, value in wrong.items() if name in arguments})
    with pytest.raises(ValueError, match=said):
        _native.variational_pass(
            _native.Corpus(corpus.doc_offsets, arrays["word_ids"], corpus.counts, 4),
            _native.StartPriors(arrays["alpha"], arrays["beta"], priors.beta_sum, 3),
            **arguments,
        )
