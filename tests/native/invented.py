"""Corpora, priors and options that hypothesis invents, and single runs of a kernel on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import blocklda
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.state import State, SweepOptions
from tests.models.lda.samplers.subjects import find_subject

REPEATABLE = settings(
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

TOPICS = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 40, 64, 65, 70)
"""Around the widths of vectors and the levels of the tree, where loops begin and end."""


@dataclass(frozen=True)
class Setting:
    """All that a sweep depends on."""

    matrix: np.ndarray
    n_topics: int
    alpha: object
    beta: object
    options: SweepOptions
    seed: int

    def start(self) -> State:
        """Return a fresh state: twins that start from it see the same uniforms."""
        corpus = blocklda.Corpus.from_matrix(self.matrix)
        priors = Priors.create(self.n_topics, corpus.n_words, self.alpha, self.beta)
        rng = np.random.Generator(np.random.PCG64(self.seed))
        topics = rng.integers(self.n_topics, size=corpus.n_tokens, dtype=np.int32)
        return State(corpus=corpus, priors=priors, topics=topics, rng=rng)


@dataclass(frozen=True)
class Outcome:
    """What a run leaves behind; two runs agree if all of it is equal."""

    topics: list[int]
    generator: dict[str, object]
    n_steps: int


def run(setting: Setting, sampler: str, backend: str, n_sweeps: int = 2) -> Outcome:
    state = setting.start()
    n_steps = find_subject(sampler).sweep(backend)(state, setting.options, n_sweeps)
    return Outcome(state.topics.tolist(), state.rng.bit_generator.state, n_steps)


@st.composite
def invented(draw: st.DrawFn, large_work: int) -> Setting:
    """Invent a setting: small counts, and a few large blocks as far as they cost no more.

    A direct convolution takes K·C² products, one by one in the Python twins; ``large_work`` bounds
    them for a block.
    """
    n_topics = draw(st.sampled_from(TOPICS))
    n_docs, n_words = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    cell = st.sampled_from((0, 0, 0, 1, 1, 2, 3, 4, 5))
    row = st.lists(cell, min_size=n_words, max_size=n_words)
    matrix = np.array(draw(st.lists(row, min_size=n_docs, max_size=n_docs)))
    largest = int(min(300, max(40, (large_work / n_topics) ** 0.5)))
    sizes = st.one_of(st.integers(5, 40), st.integers(min(200, largest), largest))
    for size in draw(st.lists(sizes, max_size=2)):
        matrix[draw(st.integers(0, n_docs - 1)), draw(st.integers(0, n_words - 1))] = size
    return Setting(
        matrix=matrix,
        n_topics=n_topics,
        alpha=draw(priors((n_topics,))),
        beta=draw(priors((n_topics, n_words))),
        options=SweepOptions(
            max_block=draw(st.sampled_from((None, None, None, 1, 2, 3, 7, 20))),
            convolution=draw(st.sampled_from(("auto", "direct", "fft"))),
        ),
        seed=draw(st.integers(0, 2**32)),
    )


def priors(shape: tuple[int, ...]) -> st.SearchStrategy[object]:
    """Invent a number, or an array of different ones (from a seed, so that it stays small)."""
    levels = st.sampled_from((0.001, 0.01, 0.1, 0.5, 1.0, 7.5))
    arrays = st.builds(
        lambda level, seed: level * np.random.default_rng(seed).uniform(0.2, 3.0, shape),
        levels,
        st.integers(0, 1000),
    )
    return st.one_of(levels, arrays)
