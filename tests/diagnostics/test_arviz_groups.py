"""The log likelihood and the posterior predictive that ArviZ gets."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import special

import blocklda
from blocklda import InputError
from blocklda.diagnostics import document_likelihood
from blocklda.diagnostics.document_likelihood import document_log_likelihood
from tests.cli.commands import bars
from tests.diagnostics.test_arviz import only


@pytest.fixture(scope="module")
def fitted() -> blocklda.LDA:
    return blocklda.LDA(5, n_chains=2, n_sweeps=80, random_state=0, progress=False).fit(bars(60))


FORMS = [{"arviz": 0}, {"arviz_base": 0}]


@pytest.mark.parametrize("versions", FORMS)
def test_groups_have_draws_of_their_own(
    versions: dict[str, int], fitted: blocklda.LDA, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, **versions)
    data = fitted.to_arviz(log_likelihood=True, posterior_predictive=True)
    assert data["posterior"]["log_posterior"].sizes["chain"] == 2
    sweeps = sorted({draw.sweep for draw in fitted.draws_})
    likelihood = data["log_likelihood"]["documents"]
    assert likelihood.dims == ("chain", "draw", "document")
    assert likelihood["draw"].values.tolist() == sweeps
    np.testing.assert_array_equal(likelihood.values, document_log_likelihood(fitted.result_))
    check = data["posterior_predictive"]
    assert check["mutual_information"].shape == (2, len(sweeps), 5)
    reference = fitted.result_.reference
    observed = check["mutual_information_observed"].values[reference].mean(axis=0)
    expected = blocklda.evaluate.posterior_predictive_check(fitted)
    np.testing.assert_allclose(observed, expected.observed, rtol=0.5)


def test_only_what_was_asked_for_is_computed(fitted: blocklda.LDA) -> None:
    names = str(list(getattr(fitted.to_arviz(), "groups", lambda: ())()))
    assert "log_likelihood" not in names
    assert "posterior_predictive" not in names


def test_the_likelihood_is_that_of_the_document() -> None:
    """One topic and words with a flat prior: p(w | φ) averaged over φ is a beta integral."""
    counts = np.array([[3, 1], [0, 2], [0, 0]])
    lda = blocklda.LDA(1, alpha=1.0, beta=1.0, n_sweeps=3000, burn_in=1, thin=1, random_state=0)
    lda.set_params(keep_draws=2500, progress=False)
    with pytest.warns(UserWarning, match="1 of 3 documents is empty"):
        lda.fit(counts)
    values = document_log_likelihood(lda.result_)[0]
    assert (values[:, 2] == 0).all()
    # The posterior of φ_0 is Beta(1 + 3, 1 + 3), and E φ_0³ φ_1 a quotient of beta functions.
    weights = np.exp(values[:, 0])
    expected = np.exp(special.betaln(4 + 3, 4 + 1) - special.betaln(4, 4))
    assert abs(weights.mean() - expected) < 4 * weights.std() / np.sqrt(len(weights))
    logs = values[:, 0]
    mean = 3 * (special.digamma(4) - special.digamma(8)) + (special.digamma(4) - special.digamma(8))
    assert abs(logs.mean() - mean) < 4 * logs.std() / np.sqrt(len(logs))


def test_pieces_do_not_change_it(fitted: blocklda.LDA, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = document_log_likelihood(fitted.result_)
    monkeypatch.setattr(document_likelihood, "CELLS", 7)
    np.testing.assert_allclose(document_log_likelihood(fitted.result_), whole, rtol=1e-12)


def test_loo_says_itself_that_it_does_not_work(fitted: blocklda.LDA) -> None:
    arviz: Any = pytest.importorskip("arviz")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = arviz.loo(fitted.to_arviz(log_likelihood=True), pointwise=True)
    assert (np.asarray(found.pareto_k) > 0.7).mean() > 0.5


def test_what_has_no_draws_or_is_not_lda() -> None:
    bare = blocklda.LDA(2, n_sweeps=40, keep_draws=False, random_state=0, progress=False)
    bare.fit(bars(20))
    with pytest.raises(InputError, match=r"to_arviz\(log_likelihood=True\) needs .*draws"):
        bare.to_arviz(log_likelihood=True)
    mixture = blocklda.DPMixture(n_sweeps=40, random_state=0, progress=False).fit(bars(20))
    with pytest.raises(InputError, match="posterior_predictive=True is only for LDA: leave it out"):
        mixture.to_arviz(posterior_predictive=True)
