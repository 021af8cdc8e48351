"""`grid`, on dense counts: one token at a time, given the masses of groups of words.

The masses are drawn given the topics of all tokens (`word_masses.py`) and kept for a sweep. Given
them, the weight of topic k for a token of word v in document d is

    (n_dk + α_k) μ_kg / (n_kg + β_kg) (n_vk + β_kv),     g the group of v,

without the token. Cells of a step share no document, no word and no total. All cells of a group of
documents draw from one stream, one after another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from blocklda.models.lda.reference.draw import draw_token, shuffle_tokens
from blocklda.models.lda.samplers.grid.plan import cut_dense_grid
from blocklda.models.lda.samplers.grid.word_masses import WordGroups
from blocklda.models.lda.samplers.sweep_streams import CELLS, MASSES, piece_stream, sweep_key
from blocklda.models.lda.state import State
from blocklda.support.arrays import Floats, Int32s, Ints

__all__ = ["sweep"]


@dataclass(frozen=True)
class Group:
    """A group of words: its tokens, the sum of its priors and its mass by topic."""

    totals: Ints
    beta_sum: Floats
    masses: Floats


def sweep(state: State, n_sweeps: int, size: int | None = None) -> int:
    """Update every token, ``n_sweeps`` times; return the number of draws."""
    grid = cut_dense_grid(state.corpus, size)
    words = WordGroups(grid.word_groups, state.priors, once=True)
    n_topics = state.priors.n_topics
    n_vk = state.word_topic_counts()
    shuffles = not state.is_in_random_order
    for _ in range(n_sweeps):
        key = sweep_key(state.rng)
        streams = [piece_stream(key, CELLS, i) for i in range(grid.size)]
        for row, first, end in zip(
            words.totals, grid.word_groups[:-1], grid.word_groups[1:], strict=True
        ):
            row[:n_topics] = n_vk[first:end].sum(axis=0)
        words.draw(piece_stream(key, MASSES, 0))
        totals = words.totals[:, :n_topics].astype(np.int64)
        beta_sum, masses = words.beta_sum[:, :n_topics], words.masses[:, :n_topics]
        groups = [Group(*rows) for rows in zip(totals, beta_sum, masses, strict=True)]
        for cells in grid.steps():
            for i, cell in enumerate(cells):
                group = groups[grid.word_group(cell)]
                sweep_cell(state, cell.rows, cell.minors, group, n_vk, streams[i], shuffles)
        shuffles = False
    state.random_order_at = state.n_sweeps + n_sweeps
    return n_sweeps * state.corpus.n_tokens


def sweep_cell(
    state: State,
    docs: tuple[int, int],
    words: tuple[int, int],
    group: Group,
    n_vk: Ints,
    rng: np.random.Generator,
    shuffles: bool,
) -> None:
    """Update the tokens of some documents and words, in their order."""
    corpus = state.corpus
    ends = np.cumsum(corpus.counts, dtype=np.int64)
    starts = ends - corpus.counts
    for d in range(*docs):
        entries = range(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        visited = [e for e in entries if words[0] <= corpus.word_ids[e] < words[1]]
        if not visited:
            continue
        document = state.topics[starts[entries[0]] : ends[entries[-1]]]
        n_dk = np.bincount(document, minlength=state.priors.n_topics)
        for e in visited:
            word, tokens = int(corpus.word_ids[e]), state.topics[starts[e] : ends[e]]
            if shuffles:
                shuffle_tokens(tokens, rng)
            update_tokens(state, word, tokens, (n_dk, n_vk[word], group.totals), group, rng)


def update_tokens(
    state: State,
    word: int,
    tokens: Int32s,
    counts: tuple[Ints, Ints, Ints],
    group: Group,
    rng: np.random.Generator,
) -> None:
    """Draw the tokens of an entry one by one, given the counts n_dk, n_vk and n_kg."""
    priors = state.priors
    n_d, n_v, n_k = counts
    for t, old in enumerate(tokens.tolist()):
        for table in counts:
            table[old] -= 1
        a, b, c = n_d + priors.alpha, n_v + priors.word_prior(word), n_k + group.beta_sum
        topic = draw_token(((a / c) * group.masses) * b, old, rng.random())
        for table in counts:
            table[topic] += 1
        tokens[t] = topic
