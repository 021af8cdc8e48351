"""Several chains, learned priors and the stopping rule on shards: a local fit, to the bit."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import blocklda
from blocklda import parallel
from blocklda.formats.sharded import write_shards
from blocklda.models.lda.token_pairs import TokenPairs
from blocklda.parallel import first_topics, tasks, watched
from tests.parallel.clusters import corpus

N_TOPICS = 5
SCHEDULE = {"n_sweeps": 8, "burn_in": 4, "thin": 2}
LEARNED = {
    "optimised": {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "optimised"},
    "sampled": {"learn_alpha": "asymmetric", "learn_beta": "symmetric", "learn_how": "sampled"},
    "symmetric": {"learn_alpha": "symmetric", "learn_beta": "none", "learn_how": "sampled"},
    "beta": {"learn_alpha": "none", "learn_beta": "symmetric", "learn_how": "optimised"},
    "nothing": {"learn_alpha": "none", "learn_beta": "none"},
}


@pytest.fixture(scope="module")
def few() -> blocklda.Corpus:
    return corpus(n_docs=500, n_words=80)


@pytest.fixture(scope="module")
def shards(few, tmp_path_factory):
    folder = tmp_path_factory.mktemp("few") / "corpus"
    write_shards(few, folder, 2)
    return folder


def local(few: blocklda.Corpus, n_chains: int = 2, **settings) -> blocklda.LDA:
    given = {"alpha": 0.1, "beta": 0.01, "init": "random", **SCHEDULE, **settings}
    lda = blocklda.LDA(
        N_TOPICS,
        sampler="partially-collapsed",
        moves=(),
        n_chains=n_chains,
        random_state=7,
        **given,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lda.fit(few)


def on_shards(shards, n_chains: int = 2, **settings) -> parallel.ShardedFit:
    given = {"out_of_core": True, "client": None, "seed": 7, **SCHEDULE, **settings}
    return parallel.fit(corpus_shards=shards, n_topics=N_TOPICS, n_chains=n_chains, **given)


def require_same(found: parallel.ShardedFit, expected: blocklda.LDA) -> None:
    result, wanted = found.result, expected.result_
    np.testing.assert_array_equal(result.log_posterior, wanted.log_posterior)
    assert result.reference == wanted.reference
    assert result.ending == wanted.ending
    assert [one.name for one in result.trace.quantities] == [
        one.name for one in wanted.trace.quantities
    ]
    for name, values in wanted.trace.values.items():
        np.testing.assert_array_equal(result.trace[name], values, err_msg=name)
    for name, value in wanted.priors.items():
        np.testing.assert_array_equal(result.priors[name], value, err_msg=name)
    # Sums over sweeps are added up in another order than draws.
    np.testing.assert_allclose(result.topic_word, wanted.topic_word, rtol=1e-12)
    np.testing.assert_array_equal(result.alignment.order, wanted.alignment.order)
    np.testing.assert_allclose(result.alignment.distances, wanted.alignment.distances, atol=1e-12)
    assert found.diagnostics().verdict == expected.diagnostics().verdict


@pytest.mark.parametrize("name", LEARNED)
def test_chains_and_priors(few, shards, name):
    found, expected = on_shards(shards, **LEARNED[name]), local(few, **LEARNED[name])
    require_same(found, expected)
    lda = found.to_lda()
    for one in ("components_", "doc_topic_", "log_posterior_"):
        np.testing.assert_array_equal(getattr(lda, one), getattr(expected, one))
    np.testing.assert_allclose(
        found.doc_topic(0), expected.doc_topic_[: found.corpus.shards[0].n_docs], rtol=1e-12
    )


ANNEALED = {"n_sweeps": 14, "burn_in": 12, "init": "annealed"}


@pytest.mark.parametrize("how", [{"init": "auto"}, ANNEALED], ids=["auto", "annealed"])
def test_starts(few, shards, how):
    """Variational, random and annealed starts, with priors that are learned after these."""
    found = on_shards(shards, **how, **LEARNED["sampled"])
    expected = local(few, **how, **LEARNED["sampled"])
    require_same(found, expected)
    for one, other in zip(found.to_lda().chains_, expected.chains_, strict=True):
        assert one.state.opening == other.state.opening
        one.sweep(2)
        other.sweep(2)
        np.testing.assert_array_equal(one.assignments(), other.assignments())


def test_a_variational_start_from_a_part_of_the_documents(shards, tmp_path, monkeypatch):
    """Whoever draws the topics: one process, or workers that have only their shards."""
    monkeypatch.setattr(first_topics, "SAMPLED_TOKENS", 20_000)
    how = {"init": "variational", "n_chains": 1}
    found = on_shards(shards, checkpoint=tmp_path, **how)
    assert not (tmp_path / first_topics.START).exists()
    on_random = on_shards(shards, n_chains=1)
    assert found.log_posterior[0] > on_random.log_posterior[0]
    plan = found.chains[0].plan
    documents = first_topics.SampledDocuments(plan.corpus, lambda every: _every(plan.corpus, every))
    assert documents.every == -(-plan.corpus.n_tokens // 20_000)
    assert documents.corpus.n_docs == -(-plan.corpus.n_docs // documents.every)
    np.testing.assert_array_equal(
        documents.corpus.to_matrix().toarray(),
        plan.corpus.whole().to_matrix()[:: documents.every].toarray(),
    )


def _every(corpus, every):
    return [tasks.some_documents(str(corpus.folder), i, every) for i in range(len(corpus.shards))]


@pytest.mark.xdist_group("dask")
def test_on_workers(client, few, shards):
    how = {"init": "auto", **LEARNED["sampled"]}
    found = on_shards(shards, client=client, out_of_core=False, **how)
    require_same(found, local(few, **how))


@pytest.mark.xdist_group("dask")
def test_annealed_on_workers(client, shards):
    found = on_shards(shards, client=client, out_of_core=False, n_chains=1, **ANNEALED)
    one = on_shards(shards, n_chains=1, **ANNEALED)
    np.testing.assert_array_equal(found.log_posterior, one.log_posterior)


def test_the_stopping_rule(few, shards, tmp_path):
    auto = {"n_sweeps": "auto", "burn_in": 2, "thin": 1}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("blocklda.diagnostics.stopping.FIRST_DRAWS", 4)
        patch.setattr("blocklda.estimator.base_plan.MAX_SWEEPS_KEPT", 14)
        patch.setattr("blocklda.estimator.base_plan.MIN_KEPT", 14)
        found = on_shards(shards, checkpoint=tmp_path, **auto)
        require_same(found, local(few, **auto))
        again = on_shards(shards, checkpoint=tmp_path, **auto)  # nothing is left to do
    assert again.n_sweeps == found.n_sweeps
    assert [one["sweep"] for one in found.chains[0].record.looks] == [6, 8, 11, 16][
        : len(found.chains[0].record.looks)
    ]


def test_a_run_goes_on_and_is_found_again(few, shards, tmp_path):
    how = LEARNED["sampled"]
    on_shards(shards, checkpoint=tmp_path, **{**how, "n_sweeps": 6})
    (tmp_path / "chain-2" / "sweep-000006.npz").unlink()  # killed between two chains
    found = on_shards(shards, checkpoint=tmp_path, **how)
    expected = local(few, **how)
    require_same(found, expected)
    loaded = parallel.load(tmp_path)
    require_same(loaded, expected)
    with pytest.raises(blocklda.InputError, match="was made with n_chains=2"):
        on_shards(shards, n_chains=1, checkpoint=tmp_path, **how)
    with pytest.raises(blocklda.InputError, match="was made with learning="):
        on_shards(shards, checkpoint=tmp_path)


def test_a_saved_model_and_new_documents(few, shards, tmp_path):
    found = on_shards(shards, **LEARNED["sampled"])
    found.save(tmp_path / "model")
    loaded = blocklda.LDA.load(tmp_path / "model")
    assert loaded.n_chains == 2
    assert loaded.learn_how == "sampled"
    np.testing.assert_array_equal(loaded.log_posterior_, found.result.log_posterior)
    mixtures = found.transform(few)
    assert mixtures.shape == (few.n_docs, N_TOPICS)
    np.testing.assert_allclose(mixtures.sum(axis=1), 1)


def test_what_is_followed_is_chosen_from_the_first_shards(few, shards, monkeypatch):
    """A corpus of more tokens is not read as a whole on the client."""
    monkeypatch.setattr(watched, "WATCHED_TOKENS", 1)
    found = on_shards(shards, n_chains=1, **LEARNED["nothing"])
    n_docs = found.corpus.shards[0].n_docs
    first = blocklda.Corpus.from_matrix(few.to_matrix()[:n_docs])
    pairs = TokenPairs.choose(first)
    at_end = pairs.co_assignment(found.assignments())
    np.testing.assert_array_equal(found.trace()["co_assignment"][0, -1], at_end)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"n_chains": 0}, "n_chains=0"),
        ({"init": "warm"}, "init='warm' is unknown"),
        ({"init": "annealed"}, "burn_in=4 is too short for init='annealed'"),
        ({"learn_alpha": "both"}, "learn_alpha='both'"),
        ({"learn_beta": True, "burn_in": 1, "learn_how": "optimised"}, "burn_in=1 leaves no sweep"),
        ({"n_sweeps": "some"}, "n_sweeps='some'"),
    ],
)
def test_refusals(shards, settings, said):
    with pytest.raises(blocklda.InputError) as caught:
        on_shards(shards, **settings)
    assert said in str(caught.value)
