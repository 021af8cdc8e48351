"""Topics of single documents and of their words, against their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import beta as beta_law

import blocklda
from blocklda.results.result import FitResult, result_of
from blocklda.summaries.documents import document_mixtures, entry_topics, typical_documents
from blocklda.support.errors import InputError
from tests.summaries.models import aligned_counts, renumbered, small_lda, without_draws

DOCS = [12, 3, 7, 29, 3]


def test_means_are_those_of_the_model(model: FitResult) -> None:
    found = document_mixtures(model, range(30))
    np.testing.assert_allclose(found.mean, model.doc_topic, rtol=1e-12)
    some = document_mixtures(model, DOCS)
    np.testing.assert_allclose(some.mean, found.mean[DOCS], rtol=1e-12)


def test_means_with_learned_priors() -> None:
    learned = {"learn_alpha": "asymmetric", "learn_how": "sampled"}
    model = result_of(small_lda(**learned))
    np.testing.assert_allclose(
        document_mixtures(model, DOCS).mean, model.doc_topic[DOCS], rtol=1e-12
    )


def test_intervals_are_those_of_the_mixture(model: FitResult) -> None:
    found = document_mixtures(model, DOCS, interval=0.8)
    tables = [table.sum(axis=1)[DOCS] for table in aligned_counts(model)]
    alpha = 0.1
    firsts = np.array(tables) + alpha
    seconds = np.array(tables).sum(axis=2)[:, :, None] + 6 * alpha - firsts
    means = firsts / (firsts + seconds)
    within = beta_law.var(firsts, seconds).mean(axis=0)
    slack = 2e-3 * np.sqrt(within + means.var(axis=0))  # what the solution may be off
    for end, level in ((found.low, 0.1), (found.high, 0.9)):
        assert (beta_law.cdf(end - slack, firsts, seconds).mean(axis=0) < level).all()
        assert (beta_law.cdf(end + slack, firsts, seconds).mean(axis=0) > level).all()
    empty = DOCS.index(7)
    np.testing.assert_allclose(found.mean[empty], 1 / 6)


@pytest.mark.parametrize("cells", [1, 400, 2**20])
def test_pieces_and_numbering_change_no_mixture(
    model: FitResult, cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = document_mixtures(model, DOCS)
    monkeypatch.setattr("blocklda.summaries.documents.CELLS_AT_ONCE", cells)
    for other in (document_mixtures(model, DOCS), document_mixtures(renumbered(model), DOCS)):
        np.testing.assert_allclose(other.mean, expected.mean, rtol=1e-12)
        # Ends are solved for together, and how closely depends on what is solved for with them.
        slack = 2e-3 * (expected.high - expected.low)
        assert (np.abs(other.low - expected.low) <= slack).all()
        assert (np.abs(other.high - expected.high) <= slack).all()


def test_one_topic_has_all() -> None:
    found = document_mixtures(result_of(small_lda(n_topics=1)), [0, 7])
    for part in found:
        np.testing.assert_allclose(part, 1)


def test_no_documents(model: FitResult) -> None:
    assert [part.shape for part in document_mixtures(model, [])] == [(0, 6)] * 3
    assert entry_topics(model, []) == []


INTERVAL = 0.8


def coverages(seed: int) -> tuple[float, float]:
    """Return how often intervals hold the true θ, and how often those of the means alone do.

    Everything is drawn from the prior and the chain starts at the true topics, so that the truth is
    one more draw from the posterior.
    """
    rng = np.random.default_rng(seed)
    phi = rng.dirichlet(np.full(8, 0.2), size=3)
    theta = rng.dirichlet(np.full(3, 0.5), size=20)
    corpus = blocklda.simulate.draw_corpus(theta, phi, 15, rng)
    truth = blocklda.simulate.draw_assignments(corpus, theta, phi, rng)
    settings = {"init": truth, "n_sweeps": 120, "burn_in": 0, "thin": 2, "random_state": seed}
    lda = blocklda.LDA(3, alpha=0.5, beta=0.2, progress=False, **settings).fit(corpus)
    found = document_mixtures(result_of(lda), range(20), INTERVAL)
    # The mutant: quantiles of the means of θ given each draw, as if counts told θ exactly.
    means = np.array([draw.doc_topic() for draw in lda.draws_])
    low, high = np.quantile(means, [0.1, 0.9], axis=0)
    inside = (found.low <= theta) & (theta <= found.high)
    return float(inside.mean()), float(((low <= theta) & (theta <= high)).mean())


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    found = np.array([coverages(seed) for seed in range(40)])
    errors = found.std(axis=0, ddof=1) / np.sqrt(len(found))
    right, wrong = (found.mean(axis=0) - INTERVAL) / errors
    assert abs(right) < 4
    assert wrong < -6


def test_words_of_documents_against_a_count_of_tokens(model: FitResult) -> None:
    corpus = model.corpus
    tables = aligned_counts(model)
    for other in (model, renumbered(model)):
        found = entry_topics(other, DOCS)
        for d, rows in zip(DOCS, found, strict=True):
            entries = slice(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
            words, counts = corpus.word_ids[entries], corpus.counts[entries]
            expected = np.mean([table[d, words] / counts[:, None] for table in tables], axis=0)
            np.testing.assert_allclose(rows, expected, rtol=1e-12)
            np.testing.assert_allclose(rows.sum(axis=1), np.ones(len(words)))


def test_words_make_up_the_mixture_of_their_document(model: FitResult) -> None:
    (rows,) = entry_topics(model, [12])
    counts = model.corpus.counts[model.corpus.doc_offsets[12] : model.corpus.doc_offsets[13]]
    expected = (counts @ rows + 0.1) / (counts.sum() + 0.6)
    np.testing.assert_allclose(model.doc_topic[12], expected, rtol=1e-12)


@pytest.mark.parametrize("n_docs", [1, 4, 29, 100])
def test_typical_documents_are_the_largest(model: FitResult, n_docs: int) -> None:
    found = typical_documents(model, n_docs)
    assert found.shape == (6, min(n_docs, 29))
    for k, row in enumerate(found):
        shares = model.doc_topic[:, k]
        by_size = sorted((d for d in range(30) if d != 7), key=lambda d: (-shares[d], d))
        assert row.tolist() == by_size[:n_docs]


def test_of_equal_documents_the_first_are_typical(model: FitResult) -> None:
    equal = replace(model, doc_topic_mean=np.full((30, 6), 1 / 6))
    expected = [[0, 1, 2, 3, 4, 5, 6, 8]] * 6
    assert typical_documents(equal, 8).tolist() == expected


@pytest.mark.parametrize("what", [document_mixtures, entry_topics])
def test_what_is_no_document_is_refused(model: FitResult, what: object) -> None:
    with pytest.raises(InputError, match=r"docs\[1\]=30 is not allowed: .* from 0 to 29"):
        what(model, [2, 30])
    with pytest.raises(InputError, match=r"docs\[0\]=-1 is not allowed"):
        what(model, [-1])
    with pytest.raises(InputError, match="docs=5 is not allowed: give a list"):
        what(model, 5)
    with pytest.raises(InputError, match=f"{what.__name__} needs draws"):
        what(without_draws(model), [2])


def test_wrong_numbers_are_refused(model: FitResult) -> None:
    with pytest.raises(InputError, match="interval=2 is not allowed"):
        document_mixtures(model, [0], interval=2)
    with pytest.raises(InputError, match="n_docs=0 is not allowed"):
        typical_documents(model, 0)
