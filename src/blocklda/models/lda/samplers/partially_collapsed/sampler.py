"""`partially-collapsed`: φ drawn once a sweep, documents given φ, in any number of threads."""

from __future__ import annotations

from blocklda.data.corpus import Corpus
from blocklda.data.pieces import TOKENS_PER_PIECE
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import partially_collapsed as twin
from blocklda.models.lda.samplers.base import Sampler, TableBytes
from blocklda.models.lda.samplers.partially_collapsed.phi import Phi
from blocklda.models.lda.samplers.partially_collapsed.sweep import run
from blocklda.models.lda.state import SweepOptions

__all__ = ["PARTIALLY_COLLAPSED"]


def _table_bytes(corpus: Corpus, priors: Priors, options: SweepOptions) -> TableBytes:
    """Count φ and the orders of all pieces, and the counts of one piece in each thread.

    The corpus is put in order of its words, which chains share.
    """
    docs_per_piece = 1 + corpus.n_docs * TOKENS_PER_PIECE // max(1, corpus.n_tokens)
    docs = min(corpus.n_docs, options.n_threads * docs_per_piece)
    phi = Phi.bytes_needed(corpus.n_words, priors.n_topics)
    during = 24 * corpus.n_entries + 8 * priors.n_topics * docs
    return TableBytes(phi + 12 * corpus.n_entries, during)


PARTIALLY_COLLAPSED = Sampler(
    name="partially-collapsed",
    summary="φ drawn, then tokens given φ, in several threads",
    native=run,
    python=twin.sweep,
    memory=_table_bytes,
)
