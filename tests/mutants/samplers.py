"""Wrong samplers. Every statistical test must reject the ones it claims to catch.

Each is a sweep with the signature of a real one, ``(state, options, n_sweeps) -> steps``, made from
the plain-Python twins by a single mistake, or from the kernels where the mistake lies outside of
them. A check that lets one of them pass proves nothing about the samplers that pass it. Those of
the sparse samplers are in `sparse`, those of the partially collapsed one in `given_phi`, those on a
grid in `grid`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import (
    augmented,
    backward,
    blocks,
    nested,
    partially_collapsed,
    single_site,
)
from blocklda.models.lda.reference import leaves as reference_leaves
from blocklda.models.lda.reference.backward import Backward, ForwardSums
from blocklda.models.lda.reference.blocks import Block, sweep_blocks
from blocklda.models.lda.reference.draw import shuffle_tokens
from blocklda.models.lda.reference.leaves import raw_leaves, tilted_leaves
from blocklda.models.lda.reference.nested import Nested
from blocklda.models.lda.reference.single_site import SingleSite
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.state import State, SweepOptions
from tests.models.lda.samplers.subjects import GIVEN_PHI_ON_LISTS
from tests.mutants import given_phi as given_phi_mutants
from tests.mutants import grid as grid_mutants
from tests.mutants.parts import native, replaced

NEVER = 2**62
"""A block size from which to use the FFT that no block has."""


# --- counts that still hold the tokens which are being drawn


def _leaving_in(*kept: str, make_scheme: Callable[[], Any], max_block: int) -> Sweep:
    """Return a sweep that removes its tokens from all counts but ``kept`` before it draws."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        scheme, priors = make_scheme(), state.priors
        n_dk, n_vk, n_k = state.doc_topic_counts(), state.word_topic_counts(), state.topic_counts()
        for i in range(n_sweeps):
            for d, v, tokens in _entries(state):
                counts = {"n_dk": n_dk[d], "n_vk": n_vk[v], "n_k": n_k}
                # Single tokens keep the random order that they have from the first sweep on.
                if len(tokens) > max_block and (max_block > 1 or i == 0):
                    shuffle_tokens(tokens, state.rng)
                for start in range(0, len(tokens), max_block):
                    part = tokens[start : start + max_block]
                    old = np.bincount(part, minlength=priors.n_topics)
                    for name in counts.keys() - kept:
                        counts[name] -= old
                    a, b, c = n_dk[d] + priors.alpha, n_vk[v] + priors.word_prior(v), n_k
                    c = c + priors.beta_sum
                    block = Block(a=a, b=b, c=c, size=len(part), old=int(part[0]))
                    part[:] = np.repeat(*np.array(scheme.draw(block, state.rng)).T)
                    new = np.bincount(part, minlength=priors.n_topics)
                    for name, row in counts.items():
                        row[:] += new - old if name in kept else new
        return scheme.steps

    return sweep


def _entries(state: State) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield document, word and the view of the tokens of every entry."""
    corpus = state.corpus
    ends = np.cumsum(corpus.counts)
    docs = np.repeat(np.arange(corpus.n_docs), np.diff(corpus.doc_offsets))
    for d, v, start, end in zip(docs, corpus.word_ids, ends - corpus.counts, ends, strict=True):
        yield int(d), int(v), state.topics[start:end]


def _tokens_leaving_in(*kept: str) -> Sweep:
    return _leaving_in(*kept, make_scheme=SingleSite, max_block=1)


def _blocks_leaving_in(*kept: str) -> Sweep:
    return _leaving_in(*kept, make_scheme=lambda: Nested(NEVER), max_block=NEVER)


# --- priors


def _with_priors(sweep: Sweep, change: Callable[[Priors, int], Priors]) -> Sweep:
    def changed(state: State, options: SweepOptions, n_sweeps: int) -> int:
        # The arrays are shared, so the sweep moves the given state.
        wrong = replace(state, priors=change(state.priors, state.corpus.n_words))
        return sweep(wrong, options, n_sweeps)

    return changed


def _swapped(priors: Priors, n_words: int) -> Priors:
    alpha, beta = priors.alpha, priors.beta[0]
    return Priors(alpha=beta, beta=np.tile(alpha, (n_words, 1)), beta_sum=n_words * alpha)


def _beta_once(priors: Priors, n_words: int) -> Priors:
    """β_k in the place of Σ_v β_kv = V·β; without any β an empty topic would divide by zero."""
    return replace(priors, beta_sum=priors.beta_sum / n_words)


def _mean_alpha(priors: Priors, n_words: int) -> Priors:
    return replace(priors, alpha=np.full_like(priors.alpha, priors.alpha.mean()))


# --- uniforms


class _Recycling:
    """A generator that hands out every uniform twice."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self._kept: float | None = None

    def random(self) -> float:
        if self._kept is None:
            self._kept = self._rng.random()
            return self._kept
        again, self._kept = self._kept, None
        return again


def _recycling(sweep: Sweep) -> Sweep:
    def recycled(state: State, options: SweepOptions, n_sweeps: int) -> int:
        return sweep(replace(state, rng=_Recycling(state.rng)), options, n_sweeps)

    return recycled


# --- the order of tokens


def sort_tokens(block: np.ndarray, rng: np.random.Generator) -> None:
    block.sort()


def _sorted(sweep: Sweep, max_block: int | None) -> Sweep:
    """Take the tokens of a block in the order of their topics, where they should be shuffled."""

    def unshuffled(state: State, options: SweepOptions, n_sweeps: int) -> int:
        steps = 0
        with replaced(blocks, shuffle_tokens=sort_tokens):
            for _ in range(n_sweeps):
                state.random_order_at = None
                steps += sweep(state, replace(options, max_block=max_block), 1)
        return steps

    return unshuffled


# --- the block's conditional


def _blockwise(make_scheme: Callable[[], Any]) -> Sweep:
    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        scheme = make_scheme()
        for _ in range(n_sweeps):
            sweep_blocks(state, scheme, options.max_block)
        return scheme.steps

    return sweep


class _SequenceBlock(Block):
    """The ratios of a^(n) b^(n) / c^(n): right for one sequence of tokens, not for their count."""

    def ratio(self, n: int) -> np.ndarray:
        return super().ratio(n) * n


class _WithoutFactorial:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    @property
    def steps(self) -> int:
        return self._inner.steps

    def draw(self, block: Block, rng: np.random.Generator) -> list[tuple[int, int]]:
        wrong = _SequenceBlock(**vars(block))
        return self._inner.draw(wrong, rng)


class _SwappedSplit(Nested):
    """Splits by h_left(c − n) h_right(n), which gives the left child what the right one earned."""

    def draw_left(
        self, h_left: np.ndarray, h_right: np.ndarray, count: int, rng: np.random.Generator
    ) -> int:
        return super().draw_left(h_right, h_left, count, rng)


def _tilt_even_topics(leaves: np.ndarray) -> np.ndarray:
    tilted = leaves.copy()
    tilted[:, ::2] *= 1.3 ** -np.arange(len(leaves), dtype=float)[:, None]
    return tilted


def _half_tilted(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Divide q_k(n) by s^n for every other topic; it cancels only when done for all."""
    upward = nested.upward
    with replaced(nested, upward=lambda q, by_fft: upward(_tilt_even_topics(q), by_fft)):
        return nested.sweep(state, options, n_sweeps)


class _ShortForwardSums(Backward):
    """Draws n_k with h_{1:k}(left − n), the sum that already holds topic k."""

    def simulate(self, sums: ForwardSums, rng: np.random.Generator) -> list[tuple[int, int]]:
        q, h = sums.q, sums.h
        allocation, left = [], len(q) - 1
        for k in range(q.shape[1] - 1, 0, -1):
            weights = q[: left + 1, k] * h[k][left::-1]
            n = int(rng.choice(left + 1, p=weights / weights.sum()))
            allocation.append((k, n))
            left -= n
        return [*allocation, (0, left)]


# --- data augmentation


def _theta_from(concentration: Callable[[State], np.ndarray], draw: bool = True) -> Sweep:
    def theta(state: State) -> np.ndarray:
        rows = concentration(state)
        if not draw:
            return rows / rows.sum(axis=1, keepdims=True)
        return np.stack([state.rng.dirichlet(row) for row in rows])

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(augmented, draw_theta=theta):
            return native("augmented")(state, options, n_sweeps)

    return sweep


MUTANTS: dict[str, Sweep] = {
    "token left in all counts": _tokens_leaving_in("n_dk", "n_vk", "n_k"),
    "token left in n_dk": _tokens_leaving_in("n_dk"),
    "token left in n_vk": _tokens_leaving_in("n_vk"),
    "token left in n_k": _tokens_leaving_in("n_k"),
    "block left in n_dk": _blocks_leaving_in("n_dk"),
    "priors swapped": _with_priors(native("single-site"), _swapped),
    "beta in place of V beta": _with_priors(native("nested"), _beta_once),
    "alpha the same for all topics": _with_priors(native("backward"), _mean_alpha),
    "uniforms used twice by single-site": _recycling(single_site.sweep),
    "uniforms used twice by nested": _recycling(nested.sweep),
    "tokens scanned in sorted order": _sorted(single_site.sweep, None),
    "parts of a sorted block": _sorted(nested.sweep, 2),
    "nested without n!": _blockwise(lambda: _WithoutFactorial(Nested(NEVER))),
    "backward without n!": _blockwise(lambda: _WithoutFactorial(Backward(NEVER))),
    "children swapped": _blockwise(lambda: _SwappedSplit(NEVER)),
    "half of the leaves tilted": _half_tilted,
    "forward sums one topic late": _blockwise(lambda: _ShortForwardSums(NEVER)),
    "theta without alpha": _theta_from(lambda state: state.doc_topic_counts() + 1e-3),
    "theta not drawn": _theta_from(
        lambda state: state.doc_topic_counts() + state.priors.alpha, draw=False
    ),
    **given_phi_mutants.MUTANTS,
    **grid_mutants.MUTANTS,
}
"""Wrong samplers by the mistake they make."""


def mutants_but(left: Collection[str]) -> list[str]:
    """Return all mutants but those that a test leaves to another one, which must be mutants too."""
    if not set(left) <= set(MUTANTS):
        raise KeyError(f"not mutants: {set(left) - set(MUTANTS)}")
    return [name for name in MUTANTS if name not in left]


CONTROLS: dict[str, tuple[Sweep, Sweep]] = {
    "augmented": (augmented.sweep, native("augmented")),
    "single-site": (single_site.sweep, native("single-site")),
    "nested": (nested.sweep, native("nested")),
    "backward": (backward.sweep, native("backward")),
    "partially collapsed": (partially_collapsed.sweep, native("partially-collapsed")),
    "partially collapsed on lists": (GIVEN_PHI_ON_LISTS.python, GIVEN_PHI_ON_LISTS.native),
    **grid_mutants.RIGHT,
    "tokens one by one": (_tokens_leaving_in(), native("single-site")),
    "blocks one by one": (_blocks_leaving_in(), native("nested")),
}
"""The right twins that the mutants were made from, each with the kernel whose draws it must repeat
to the bit: the checks that reject the mutants then need to accept the kernels alone."""


def _leaves_by(leaves: Callable[[Block], np.ndarray]) -> Sweep:
    """Return `nested` with all convolutions by FFT, on other leaves than the tilted ones."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        by_fft = replace(options, convolution="fft")
        # Without its least coefficient, or the FFT would give way to direct sums.
        with replaced(reference_leaves, tilted_leaves=leaves, SMALLEST_BY_FFT=-np.inf):
            return nested.sweep(state, by_fft, n_sweeps)

    return sweep


def _unevenly_tilted(block: Block) -> np.ndarray:
    leaves = tilted_leaves(block)
    leaves[:, 0] *= 1.1 ** -np.arange(len(leaves), dtype=float)
    return leaves


LARGE_BLOCK_MUTANTS: dict[str, Sweep] = {
    "FFT of leaves that are not tilted": _leaves_by(raw_leaves),
    "one leaf tilted by 10 % more": _leaves_by(_unevenly_tilted),
}
"""Mistakes that only a large block shows."""
