"""What one draw says of documents that are not in it.

Given a draw, a new document x of N words is in component c with probability proportional to

    n_c ∏_v (n_cv + β_v)^(x_v) / (n_c· + B)^(N),    in a new one to α ∏_v β_v^(x_v) / B^(N),

y^(n) being y (y + 1) … (y + n − 1); a finite mixture has n_c + α and no new component.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import gammaln, logsumexp

from blocklda.data.corpus import Corpus
from blocklda.models.mixture.draw import Draw
from blocklda.support.arrays import Floats, Ints

__all__ = ["WatchedDocuments", "document_log_probability", "log_weights"]

CELLS_AT_ONCE = 2_000_000
"""Documents times components in memory at a time."""

N_WATCHED = 200
"""Documents whose predictions are recorded."""


def log_weights(draw: Draw, documents: sparse.csr_matrix[np.int64]) -> Floats:
    """Return log p(component, document | draw), shape (documents, components + 1).

    The last column is a new component, −inf in a finite mixture. The sum over the columns is the
    predictive probability of the document, as a sequence of words.
    """
    priors, counts = draw.priors, draw.component_word_counts()
    B, N = priors.beta_sum, np.asarray(documents.sum(axis=1)).ravel()
    totals = np.append(np.asarray(counts.sum(axis=1)).ravel(), 0.0)
    with np.errstate(divide="ignore"):
        sizes = np.log(_size_weights(draw))
    found = sizes - (gammaln(totals + B + N[:, None]) - gammaln(totals + B))
    beta = priors.beta[documents.indices]
    of_beta = gammaln(documents.data + beta) - gammaln(beta)
    rows = np.repeat(np.arange(documents.shape[0]), np.diff(documents.indptr))
    found += np.bincount(rows, weights=of_beta, minlength=documents.shape[0])[:, None]
    for i in range(int(documents.data.max(initial=0))):
        # The i-th occurrence of a word: b + i in place of β + i where the component has the word.
        occurs = sparse.csr_matrix(
            ((documents.data > i).astype(np.float64), documents.indices, documents.indptr),
            shape=documents.shape,
        )
        prior = priors.beta[counts.indices] + i
        gains = sparse.csr_matrix(
            (np.log1p(counts.data / prior), counts.indices, counts.indptr), shape=counts.shape
        )
        found[:, :-1] += (occurs @ gains.T).toarray()
    return np.asarray(found)


def _size_weights(draw: Draw) -> Floats:
    """Return the prior probabilities of the components and of a new one."""
    n_docs, K = len(draw.labels), draw.priors.n_components
    if K is None:
        return np.append(draw.sizes, draw.alpha) / (n_docs + draw.alpha)
    return np.append(draw.sizes + draw.alpha, 0.0) / (n_docs + K * draw.alpha)


def in_parts(n_docs: int, n_components: int) -> Iterator[slice]:
    """Yield which documents to weigh at a time."""
    step = max(1, CELLS_AT_ONCE // (n_components + 1))
    for first in range(0, n_docs, step):
        yield slice(first, min(first + step, n_docs))


def document_log_probability(draw: Draw, documents: sparse.csr_matrix[np.int64]) -> Floats:
    """Return log p(document | draw) of new documents."""
    parts = in_parts(documents.shape[0], len(draw.births))
    found = [logsumexp(log_weights(draw, documents[part]), axis=1) for part in parts]
    return np.concatenate(found) if found else np.zeros(0)


@dataclass(frozen=True, eq=False)
class WatchedDocuments:
    """Some documents of the corpus, each predicted by all others: how well one draw predicts."""

    docs: Ints
    rows: sparse.csr_matrix[np.int64]

    @classmethod
    def choose(cls, corpus: Corpus, n_docs: int = N_WATCHED) -> WatchedDocuments:
        """Take documents that are spread evenly over those that have words."""
        filled = np.flatnonzero(np.diff(corpus.doc_offsets))
        places = np.linspace(0, len(filled) - 1, min(n_docs, len(filled))).astype(np.int64)
        docs = filled[places]
        return cls(docs, corpus.to_matrix()[docs])

    def log_predictive(self, draw: Draw) -> float:
        """Return the mean log probability of a word of these documents given all other documents.

        The components of the other documents are those of the draw.
        """
        found = log_weights(draw, self.rows)
        own = draw.labels[self.docs].astype(np.int64)
        found[np.arange(len(own)), own] = self._own_weights(draw, own)
        # The shares of the others are of one document less than log_weights takes them to be.
        prior = draw.alpha * (draw.priors.n_components or 1)
        fewer = np.log1p(1.0 / (len(draw.labels) - 1 + prior))
        return float((logsumexp(found, axis=1) + fewer).sum() / self.rows.sum())

    def _own_weights(self, draw: Draw, own: Ints) -> Floats:
        """Return the weights of the documents' own components, without the documents."""
        priors, counts, rows = draw.priors, draw.component_word_counts(), self.rows
        places = np.repeat(np.arange(len(own)), np.diff(rows.indptr))
        seen = np.asarray(counts[own[places], rows.indices]).ravel() + priors.beta[rows.indices]
        of_words = np.bincount(
            places, weights=gammaln(seen) - gammaln(seen - rows.data), minlength=len(own)
        )
        N = np.asarray(rows.sum(axis=1)).ravel()
        totals = np.asarray(counts.sum(axis=1)).ravel()[own] + priors.beta_sum
        one = 1.0 / (len(draw.labels) + draw.alpha * (priors.n_components or 1))
        with np.errstate(divide="ignore"):
            lead = np.log(np.maximum(_size_weights(draw)[own] - one, 0.0))
        alone = (draw.sizes[own] == 1) & (priors.n_components is None)
        lead[alone] = -np.inf
        return np.asarray(lead + of_words - (gammaln(totals) - gammaln(totals - N)))
