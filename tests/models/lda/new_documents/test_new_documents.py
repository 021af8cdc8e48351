"""What new documents do not depend on, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import blocklda
from blocklda import CapacityError, InputError
from blocklda.data.split import split_by_content
from blocklda.evaluate import left_to_right
from blocklda.models.lda.new_documents.infer import completion_log_probability, infer_doc_topics
from blocklda.support import memory

RNG = np.random.default_rng(8)
K, V = 5, 30
PHI = RNG.dirichlet(np.full(V, 0.2), size=(3, K))
MATRIX = RNG.poisson(0.6, (12, V))
MATRIX[4] = 0
MATRIX[9] = MATRIX[2]
ALPHA = np.array([0.1, 0.2, 0.1, 0.5, 0.3])


def corpus(matrix: np.ndarray) -> blocklda.Corpus:
    return blocklda.Corpus.from_matrix(matrix)


def infer(matrix: np.ndarray, phi: object = PHI, **options: object) -> np.ndarray:
    return infer_doc_topics(corpus(matrix), phi, ALPHA, n_sweeps=12, **options)


def complete(matrix: np.ndarray, phi: object = PHI, **options: object) -> np.ndarray:
    result = completion_log_probability(corpus(matrix), phi, ALPHA, n_sweeps=12, **options)
    return np.column_stack([result.log_probabilities, result.n_tokens])


def read(matrix: np.ndarray, phi: object = PHI, **options: object) -> np.ndarray:
    return left_to_right(phi[0], ALPHA, matrix, n_particles=3, n_batches=2, **options).batches


MEASURES = {"infer": infer, "complete": complete, "read": read}
every_measure = pytest.mark.parametrize("measure", MEASURES.values(), ids=MEASURES)


@every_measure
def test_order_and_subsets_do_not_matter(measure):
    whole = measure(MATRIX)
    order = np.random.default_rng(1).permutation(len(MATRIX))
    assert np.array_equal(measure(MATRIX[order]), whole[order])
    assert np.array_equal(measure(MATRIX[5:8]), whole[5:8])
    assert np.array_equal(
        np.vstack([measure(row[None]) for row in MATRIX if row.any()]), whole[MATRIX.any(axis=1)]
    )


@every_measure
def test_equal_documents_have_equal_rows_and_others_do_not(measure):
    whole = measure(MATRIX)
    assert np.array_equal(whole[9], whole[2])
    assert len(np.unique(whole[:, 0])) == len(MATRIX) - 1


@every_measure
def test_unused_words_do_not_matter(measure):
    """The topics give the added words nothing, so the others keep their probabilities."""
    wider = np.hstack([MATRIX, np.zeros((len(MATRIX), 7), dtype=int)])
    phi = np.concatenate([PHI, np.zeros((3, K, 7))], axis=2)
    assert np.array_equal(measure(wider, phi), measure(MATRIX))


@every_measure
def test_the_seed_matters_and_repeats(measure):
    assert np.array_equal(measure(MATRIX, seed=5), measure(MATRIX, seed=5))
    assert not np.array_equal(measure(MATRIX, seed=5), measure(MATRIX, seed=6))


@pytest.mark.parametrize("measure", [infer, complete])
@pytest.mark.parametrize("n_jobs", [None, 2, 5, 20, -1])
def test_threads_do_not_matter(n_jobs, measure):
    assert np.array_equal(measure(MATRIX, n_jobs=n_jobs), measure(MATRIX))


def test_rows_sum_to_one_and_empty_documents_have_the_prior_mean():
    theta = infer(MATRIX)
    assert theta.shape == (12, K)
    np.testing.assert_allclose(theta.sum(axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(theta[4], ALPHA / ALPHA.sum(), rtol=1e-14)
    assert complete(MATRIX)[4].tolist() == [0, 0]
    assert read(MATRIX)[4].tolist() == [0, 0]


def test_one_phi_and_a_list_of_it_are_the_same():
    assert np.array_equal(infer(MATRIX, PHI[0]), infer(MATRIX, PHI[:1]))
    assert np.array_equal(infer(MATRIX, PHI[0].tolist()), infer(MATRIX, [PHI[0]]))
    assert np.array_equal(infer(MATRIX, np.asfortranarray(PHI[0])), infer(MATRIX, PHI[0]))


def test_sweeps_are_shared_between_phi():
    """And between two chains; and never fewer for each than the burn-in and one."""
    first, same, more = (
        infer_doc_topics(corpus(MATRIX), PHI[:2], ALPHA, n_sweeps=n) for n in (12, 15, 16)
    )
    assert np.array_equal(first, same)
    assert not np.array_equal(first, more)
    few = infer_doc_topics(corpus(MATRIX), PHI, ALPHA, n_sweeps=3, burn_in=2)
    enough = infer_doc_topics(corpus(MATRIX), PHI, ALPHA, n_sweeps=18, burn_in=2)
    assert np.array_equal(few, enough)


def test_halves_of_documents():
    observed, heldout = split_by_content(corpus(MATRIX), 3)
    assert np.array_equal(
        (observed.to_matrix() + heldout.to_matrix()).toarray(), corpus(MATRIX).to_matrix().toarray()
    )
    lengths = MATRIX.sum(axis=1)
    assert observed.doc_lengths().tolist() == (lengths // 2).tolist()


def test_completion_is_the_mean_probability_over_phi():
    documents = corpus(MATRIX)
    observed, heldout = split_by_content(documents, 7)
    result = completion_log_probability(documents, PHI[:1], ALPHA, n_sweeps=12, seed=7)
    theta = infer_doc_topics(observed, PHI[0], ALPHA, n_sweeps=12, seed=7)
    expected = (heldout.to_matrix().toarray() * np.log(theta @ PHI[0])).sum(axis=1)
    np.testing.assert_allclose(result.log_probabilities, expected, rtol=1e-10)
    mean = expected.sum() / heldout.n_tokens
    assert result.mean_log_per_token == pytest.approx(mean)
    assert result.perplexity == pytest.approx(np.exp(-mean))


def test_a_word_that_no_topic_has():
    phi = PHI[0].copy()
    phi[:, 3] = 0
    phi /= phi.sum(axis=1, keepdims=True)
    with pytest.raises(InputError, match=r"word \(column\) 3 occurs .* probability 0"):
        infer(MATRIX, phi)
    with pytest.raises(InputError, match=r"word \(column\) 3"):
        left_to_right(phi, ALPHA, MATRIX)
    without = MATRIX.copy()
    without[:, 3] = 0
    assert np.isfinite(infer(without, phi)).all()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_sweeps": 0}, "n_sweeps=0 is not allowed"),
        ({"n_sweeps": 3, "burn_in": 3}, "n_sweeps=3 is not allowed: .* from 4 up"),
        ({"burn_in": -1}, "burn_in=-1"),
        ({"seed": -1}, "seed=-1"),
        ({"backend": "gpu"}, "backend='gpu' is not allowed: give 'native' or 'python'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"alpha": -1.0}, "alpha=-1.0"),
        ({"alpha": [0.1, 0.2]}, "alpha has the shape"),
        ({"topic_word": PHI[0, :, :-1] * 2}, "sums to|words"),
        ({"topic_word": np.full((2, 4), 0.25)}, "topic_word has 4 words .* have 30"),
        ({"topic_word": []}, "topic_word"),
        ({"topic_word": [PHI[0], PHI[0][:3]]}, "topic_word.1. has 3 topics"),
    ],
)
def test_what_is_refused(options, said):
    settings = {"topic_word": PHI, "alpha": 0.1, **options}
    for function in (infer_doc_topics, completion_log_probability):
        with pytest.raises(InputError, match=said):
            function(corpus(MATRIX), **settings)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_particles": 0}, "n_particles=0"),
        ({"n_batches": 0}, "n_batches=0"),
        ({"backend": "gpu"}, "backend='gpu'"),
        ({"documents": MATRIX[:, :4]}, "topic_word has 30 words"),
        ({"alpha": 0.0}, "alpha=0.0"),
    ],
)
def test_what_left_to_right_refuses(options, said):
    settings = {"topic_word": PHI[0], "alpha": 0.1, "documents": MATRIX, **options}
    with pytest.raises(InputError, match=said):
        left_to_right(**settings)


def test_nothing_to_hold_out():
    with pytest.raises(InputError, match="all 2 documents are empty"):
        completion_log_probability(corpus(np.zeros((2, V), dtype=int)), PHI, 0.1)


def test_one_batch_has_no_standard_error():
    result = left_to_right(PHI[0], ALPHA, MATRIX, n_particles=3, n_batches=1)
    assert np.isnan(result.standard_errors).all()
    assert np.array_equal(result.log_probabilities, result.batches[:, 0])


def test_large_results_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(memory, "WORTH_ASKING", 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1000)
    with pytest.raises(CapacityError, match=r"φ of .* words and 5 topics, 3 times, needs"):
        infer(MATRIX)
    monkeypatch.setattr(memory, "available_bytes", lambda: 8_000)
    with pytest.raises(CapacityError, match="θ of 400 documents and 5 topics needs"):
        infer(np.tile(MATRIX[:1], (400, 1)), PHI[0])
    with pytest.raises(CapacityError, match="900 particles on documents of up to"):
        left_to_right(PHI[0], ALPHA, MATRIX, n_particles=900)


def test_a_document_too_long_for_its_topics_is_refused(monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**9)
    longest = np.zeros((1, V), dtype=np.int64)
    longest[0, 3] = 2**31 - 1
    with pytest.raises(CapacityError, match=r"documents of up to 2,147,483,647 tokens .* needs"):
        infer(longest)


@pytest.mark.realdata
def test_training_documents_are_where_the_fit_put_them(data_dir):
    """Draws' φ lead back to the fit's own θ; their mean does not get so near."""
    full = blocklda.read_corpus(data_dir / "docword.kos.txt.gz").to_matrix()
    train = corpus(sparse.csr_matrix(full[:600]))
    lda = blocklda.LDA(20, alpha=0.1, beta=0.01, n_sweeps=100, random_state=0).fit(train)
    draws = [lda.draws_[i].topic_word() for i in range(1, len(lda.draws_), 3)]

    def distance(phi: object) -> float:
        theta = infer_doc_topics(train, phi, 0.1, n_sweeps=48)
        return float(np.abs(theta - lda.doc_topic_).sum(axis=1).mean() / 2)

    assert distance(draws) < 0.05
    assert distance(draws) < 0.7 * distance(lda.components_)
