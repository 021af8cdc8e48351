"""One sweep of the partially collapsed sampler on one machine, in as many threads as wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from blocklda import _native
from blocklda.data.corpus import Corpus
from blocklda.data.pieces import Piece, word_pieces
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.partially_collapsed.documents import (
    DocumentPiece,
    cut_documents,
    sweep_piece,
)
from blocklda.models.lda.samplers.partially_collapsed.phi import (
    LARGEST_BLOCK,
    Phi,
    draw_gammas,
    finish_phi,
    inverse_totals,
    topics_anew,
    weakened,
)
from blocklda.models.lda.samplers.partially_collapsed.threads import Threads
from blocklda.models.lda.samplers.powers import WHOLE
from blocklda.models.lda.samplers.sweep_streams import SweepKey, sweep_key
from blocklda.models.lda.state import State, SweepOptions
from blocklda.support.arrays import Floats, Int32s

__all__ = ["draw_all", "largest_block", "run", "run_at_power", "word_block_sizes"]


def run(state: State, options: SweepOptions, n_sweeps: int) -> int:
    """Sweep a state by the kernels; return the simulation steps."""
    return run_at_power(state, options, n_sweeps, WHOLE)


def run_at_power(state: State, options: SweepOptions, n_sweeps: int, sixteenths: int) -> int:
    """Do the same with the likelihood to a power, of which 16 sixteenths are the whole."""
    workspace = _workspace(state, options)
    steps = 0
    with Threads(options.n_threads) as threads:
        for _ in range(n_sweeps):
            key = sweep_key(state.rng)
            workspace.draw_phi(state, key, threads, sixteenths)
            steps += workspace.sweep_documents(state, options, key, threads)
    return steps


def largest_block(max_block: int | None) -> int:
    """Return the most tokens that are drawn at once."""
    return LARGEST_BLOCK if max_block is None else min(max_block, LARGEST_BLOCK)


def word_block_sizes(corpus: Corpus, largest: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    """Return the size of the largest block of each word, none above ``largest``."""
    sizes = np.zeros(corpus.n_words, dtype=np.int32)
    np.maximum.at(sizes, corpus.word_ids, corpus.counts)
    return np.minimum(sizes, largest, out=sizes)


def draw_all(
    phi: Phi,
    words: Sequence[Piece],
    sizes: Int32s,
    priors: Priors,
    key: SweepKey,
    threads: Threads,
    concentrations: Callable[[Piece, Floats], None],
    sixteenths: int = WHOLE,
) -> None:
    """Draw φ of all words; ``concentrations`` writes n_vk + β_kv of a piece of them into rows.

    With fewer than 16 ``sixteenths`` it is φ^b that is put there, drawn given the power b of the
    likelihood; ``concentrations`` writes b n_vk + β_kv then.
    """

    def draw(piece: Piece) -> Floats:
        rows = phi.rows[slice(*piece)]
        concentrations(piece, rows)
        return draw_gammas(rows, priors.n_topics, key, piece)

    sums = threads.map(draw, words)
    if not sums:
        return
    inverse, anew = inverse_totals(sums, priors.n_topics)
    drawn = anew, topics_anew(priors, len(phi.rows), anew, key)

    def finish(piece: Piece) -> None:
        finish_phi(phi, piece, inverse, drawn, priors, sizes, sixteenths=sixteenths)

    threads.map(finish, words)


class _Workspace:
    """How a corpus is cut, and the room for φ, for the lifetime of a chain."""

    def __init__(self, corpus: Corpus, n_topics: int, options: SweepOptions) -> None:
        self.made_for = (id(corpus), n_topics, options.max_block, options.shards)
        self.corpus = corpus
        corpus.by_word()  # before the pieces: putting it in order takes more than it leaves
        self.documents = cut_documents(corpus, options.shards)
        self.words = word_pieces(corpus.n_words, n_topics)
        self.sizes = word_block_sizes(corpus, largest_block(options.max_block))
        self.phi = Phi.empty(corpus.n_words, n_topics, int(self.sizes.max(initial=1)))

    def draw_phi(self, state: State, key: SweepKey, threads: Threads, sixteenths: int) -> None:
        """Draw φ given the topics of all tokens."""
        priors = state.priors

        def concentrations(piece: Piece, rows: Floats) -> None:
            _native.concentrations(
                self.corpus.native_by_word,
                piece[0],
                state.topics,
                priors.native if sixteenths == WHOLE else None,
                priors.n_topics,
                rows,
            )
            if sixteenths < WHOLE:
                counts = rows[:, : priors.n_topics]
                counts[:] = weakened(counts, sixteenths, priors.beta_of(piece))

        draw_all(self.phi, self.words, self.sizes, priors, key, threads, concentrations, sixteenths)

    def sweep_documents(
        self, state: State, options: SweepOptions, key: SweepKey, threads: Threads
    ) -> int:
        """Draw the topics of all documents given φ."""
        largest = largest_block(options.max_block)

        def sweep(piece: DocumentPiece) -> int:
            return sweep_piece(
                self.corpus,
                piece,
                self.phi,
                state.priors,
                largest,
                state.topics,
                key,
            )

        return sum(threads.map(sweep, self.documents))


def _workspace(state: State, options: SweepOptions) -> _Workspace:
    made_for = (id(state.corpus), state.priors.n_topics, options.max_block, options.shards)
    kept = state.workspace
    if not isinstance(kept, _Workspace) or kept.made_for != made_for:
        state.workspace = kept = _Workspace(state.corpus, state.priors.n_topics, options)
    return kept
