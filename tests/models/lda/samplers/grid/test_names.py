"""What is approximate says so in its name, and is no member of the exact samplers."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse

import blocklda
from blocklda import InputError
from blocklda.models.lda.samplers.registry import ALL_SAMPLERS, choose_sampler, find_sampler
from tests.cli.terminal import run

NAME = "approximate-parallel"
COUNTS = np.random.default_rng(1).poisson(0.5, size=(20, 30))


def test_names_say_what_is_approximate():
    assert blocklda.APPROXIMATE_SAMPLERS == (NAME,)
    assert all("approximate" in name for name in blocklda.APPROXIMATE_SAMPLERS)
    assert not any("approximate" in name for name in blocklda.SAMPLERS)
    assert (*blocklda.SAMPLERS, *blocklda.APPROXIMATE_SAMPLERS) == ALL_SAMPLERS
    assert find_sampler(NAME).summary.startswith("not exact")


@pytest.mark.parametrize("n_topics", [2, 50, 5_000])
def test_nobody_gets_it_without_asking(n_topics):
    corpus = blocklda.Corpus.from_matrix([[3, 1], [0, 2]])
    assert choose_sampler("auto", n_topics, corpus) in blocklda.SAMPLERS


def test_unknown_names_are_answered_with_all_there_are():
    with pytest.raises(InputError, match="'approximate-parallel'"):
        blocklda.Chain(COUNTS, 3, sampler="parallel")


def test_the_estimator_takes_it():
    lda = blocklda.LDA(3, sampler=NAME, n_sweeps=6, burn_in=2, random_state=1, progress=False)
    lda.fit(COUNTS)
    assert lda.components_.shape == (3, 30)


def test_the_command_line_takes_it(tmp_path):
    scipy.sparse.save_npz(tmp_path / "counts.npz", scipy.sparse.csr_matrix(COUNTS))
    settings = ("-k", 3, "--sampler", NAME, "--sweeps", 20, "--json")
    result = run("fit", tmp_path / "counts.npz", *settings)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["sampler"] == NAME
