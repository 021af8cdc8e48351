"""scikit-learn's contract: its own checks, pipelines, frames and names."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import blocklda
from blocklda import InputError
from tests.estimator.settings import COUNTS, make
from tests.files.fits import assert_same

NAMES = [f"word {v}" for v in range(COUNTS.shape[1])]
CHECKS = list(estimator_checks_generator(blocklda.LDA(n_sweeps=20)))
ARRAY_API = "check_array_api_input"
"""Runs only where SciPy's array API is switched on; scikit-learn says so and skips it."""


@pytest.mark.filterwarnings("ignore:.*documents (is|are) empty:UserWarning")
@pytest.mark.parametrize(("estimator", "check"), CHECKS, ids=[str(i) for i in range(len(CHECKS))])
def test_scikit_learns_own_checks(estimator, check):
    if check.func.__name__ == ARRAY_API:
        pytest.skip("scikit-learn skips its array API check unless SCIPY_ARRAY_API is set")
    check(estimator)


def test_a_pipeline_from_texts_to_classes():
    texts = ["cat dog cat", "dog cat mouse", "stock market", "market money stock"] * 5
    model = make_pipeline(CountVectorizer(), blocklda.LDA(2, random_state=0), LogisticRegression())
    model.fit(texts, [0, 0, 1, 1] * 5)
    assert model.predict(["mouse cat", "money market"]).tolist() == [0, 1]
    search = GridSearchCV(
        make_pipeline(CountVectorizer(), blocklda.LDA(random_state=0)),
        {"lda__n_topics": [1, 2]},
        cv=2,
    )
    assert search.fit(texts).best_params_ == {"lda__n_topics": 2}


def test_frames_come_out_if_asked_for():
    frame = pd.DataFrame(COUNTS, columns=NAMES, index=[f"doc {d}" for d in range(len(COUNTS))])
    lda = make().set_output(transform="pandas").fit(frame)
    out = lda.transform(frame)
    assert (
        out.columns.tolist()
        == ["topic_0", "topic_1", "topic_2"]
        == lda.get_feature_names_out().tolist()
    )
    assert out.index.tolist() == frame.index.tolist()


@pytest.mark.parametrize(
    "form", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, np.asfortranarray, np.float32]
)
def test_the_form_of_a_matrix_does_not_matter(form):
    assert_same(make().fit(form(COUNTS)), make().fit(COUNTS))
    lda = make().fit(COUNTS)
    assert np.array_equal(lda.transform(form(COUNTS)), lda.transform(COUNTS))


def test_words_of_other_names_are_refused():
    corpus = blocklda.Corpus.from_matrix(COUNTS, NAMES)
    lda = make().fit(corpus)
    lda.transform(COUNTS)  # without names the order is trusted
    other = blocklda.Corpus.from_matrix(COUNTS, [*NAMES[:3], "another", *NAMES[4:]])
    with pytest.raises(
        InputError, match=r"column\) 3 of X is 'another', but in fit it was 'word 3'"
    ):
        lda.transform(other)
    with pytest.raises(ValueError, match="feature names"):
        make().fit(pd.DataFrame(COUNTS, columns=NAMES)).transform(
            pd.DataFrame(COUNTS, columns=NAMES[::-1])
        )


def test_a_vocabulary_of_another_size_is_refused():
    lda = make().fit(COUNTS)
    for method in (lda.transform, lda.score, lda.perplexity):
        with pytest.raises(InputError, match="X has 8 features, but LDA is expecting 9 features"):
            method(COUNTS[:, :8])


def through_pickle(lda):
    return pickle.loads(pickle.dumps(lda))  # noqa: S301  # what joblib does between processes


@pytest.mark.parametrize("copied", [copy.deepcopy, through_pickle])
def test_copies_go_on_alike(copied):
    lda = make(n_chains=2, warm_start=True).fit(COUNTS)
    other = copied(lda)
    assert_same(other, lda)
    assert_same(other.set_params(n_sweeps=60).fit(COUNTS), lda.set_params(n_sweeps=60).fit(COUNTS))
