"""A fitted model as gensim's LdaModel, for code that needs one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.results.result import FitResult, result_of
from blocklda.support.extras import import_extra
from blocklda.support.fixed_order import column_totals

if TYPE_CHECKING:
    from blocklda.estimator.lda import LDA

__all__ = ["to_gensim"]


def to_gensim(lda: LDA) -> Any:
    """Return a gensim ``LdaModel`` whose topics are ``components_``, with our α and β.

    ``id2word`` is a ``Dictionary`` of the training corpus, whose numbers are our columns. gensim
    keeps pseudo-counts λ, whose rows in proportion are the topics: here the posterior mean of φ_k
    times the expected tokens of the topic and Σ_v β_kv. What gensim computes from them, such as
    the topics of documents, is its variational approximation and not ours.
    """
    models = import_extra("gensim.models", "gensim", "to_gensim")
    model = result_of(lda)
    n_topics, n_words = model.topic_word.shape
    beta = np.asarray(lda.beta_, dtype=np.float64)
    eta = np.array(np.broadcast_to(beta, n_words if beta.ndim == 0 else (n_topics, n_words)))
    exported = models.LdaModel(
        num_topics=n_topics,
        id2word=_dictionary(model),
        alpha=np.array(lda.alpha_),
        eta=eta,
        dtype=np.float64,  # gensim's default is single precision
        random_state=0,  # it has the first guess at a document's topics drawn at random
    )
    sizes = column_totals(model.corpus.doc_lengths(), model.doc_topic)
    sizes += eta.sum(axis=-1)
    exported.state.sstats = model.topic_word * sizes[:, None] - eta
    exported.state.numdocs = model.corpus.n_docs
    exported.sync_state()
    return exported


def _dictionary(model: FitResult) -> Any:
    corpora = import_extra("gensim.corpora", "gensim", "to_gensim")
    corpus = model.corpus
    doc_counts = np.bincount(corpus.word_ids, minlength=corpus.n_words)
    word_counts = corpus.word_counts()
    dictionary = corpora.Dictionary()
    dictionary.token2id = {word: v for v, word in enumerate(model.words)}
    dictionary.dfs = {v: int(doc_counts[v]) for v in range(corpus.n_words)}
    dictionary.cfs = {v: int(word_counts[v]) for v in range(corpus.n_words)}
    dictionary.num_docs = corpus.n_docs
    dictionary.num_pos = corpus.n_tokens
    dictionary.num_nnz = corpus.n_entries
    return dictionary
