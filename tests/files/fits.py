"""What the tests of checkpoints share: fits that cover chains, samplers and learned priors."""

from __future__ import annotations

import numpy as np

import blocklda

COUNTS = np.random.default_rng(4).poisson(0.7, size=(40, 15)) + np.eye(40, 15, dtype=int)

FITS: dict[str, dict[str, object]] = {
    "one chain": {},
    "three chains": {"n_chains": 3},
    "two threads": {"n_chains": 3, "n_jobs": 2},
    "optimised priors": {
        "learn_alpha": "asymmetric",
        "learn_beta": "symmetric",
        "learn_how": "optimised",
        "burn_in": 15,
    },
    "sampled priors": {
        "n_chains": 2,
        "learn_alpha": "asymmetric",
        "learn_beta": "symmetric",
        "learn_how": "sampled",
    },
    "automatic priors": {"alpha": "auto", "beta": "auto"},
    "no draws": {"n_chains": 2, "keep_draws": False},
    "augmented": {"sampler": "augmented"},
    "merge-split": {"n_chains": 2, "moves": ("merge-split",)},
    "nested": {"sampler": "nested", "init": "random"},
    "annealed": {
        "n_chains": 2,
        "init": "annealed",
        "burn_in": 20,
        "learn_alpha": "asymmetric",
        "learn_how": "sampled",
    },
}


def make(name: str, **settings: object) -> blocklda.LDA:
    usual = {"n_topics": 4, "n_sweeps": 45, "burn_in": 5, "thin": 5, "random_state": 7}
    given = {"alpha": 0.1, "beta": 0.01}
    return blocklda.LDA(**{**usual, **given, **FITS[name], **settings})


def results(lda: blocklda.LDA) -> dict[str, np.ndarray]:
    """Everything that two equal fits have equal, to the bit."""
    trace = lda.result_.trace
    arrays = {
        "components_": lda.components_,
        "doc_topic_": lda.doc_topic_,
        "alpha_": lda.alpha_,
        "beta_": np.array(lda.beta_),
        "log_posterior_": lda.log_posterior_,
        "topic_sizes": trace.topic_sizes,
        "co_assignment": trace["co_assignment"],
    }
    for draw in lda.draws_:
        arrays[f"draw {draw.chain}, {draw.sweep}"] = draw.topics
        arrays[f"alpha of draw {draw.chain}, {draw.sweep}"] = draw.priors.alpha
        arrays[f"beta of draw {draw.chain}, {draw.sweep}"] = draw.priors.beta
    for number, chain in enumerate(lda.chains_):
        arrays[f"chain {number}"] = chain.assignments()
        state = chain.state.rng.bit_generator.state["state"]["state"]
        arrays[f"generator {number}"] = np.array([state >> 64, state % 2**64], dtype=np.uint64)
    return arrays


def assert_same(one: blocklda.LDA, other: blocklda.LDA) -> None:
    ours, theirs = results(one), results(other)
    assert ours.keys() == theirs.keys()
    for name, values in ours.items():
        assert np.array_equal(values, theirs[name]), f"{name} differs"
