"""The programs that are compared: each set up, swept and judged in the same way.

All get the same training tokens, K, α and β, one thread, and learn no hyperparameters. Samplers are
judged by their assignments, taken out of the program and put through our own estimator, so that
none is judged by its own smoothing: θ_dk = (n_dk + α) / (N_d + Kα), φ_kv = (n_kv + β) / (n_k + Vβ).
Variational programs have no assignments; they are judged by their expectations of θ and φ.
"""

from __future__ import annotations

import logging
import math
import time
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import gensim
import lda
import numpy as np
import tomotopy
from sklearn.decomposition import LatentDirichletAllocation

import blocklda
from blocklda.models.lda.draw import Draw
from blocklda.models.lda.log_posterior import log_posterior
from blocklda.models.lda.predictive import perplexity
from blocklda.models.lda.priors import Priors

ALPHA, BETA = 0.1, 0.01


@dataclass(frozen=True)
class Task:
    """What all contenders are given."""

    corpus_name: str
    train: blocklda.Corpus
    test: blocklda.Corpus
    n_topics: int
    seed: int

    @cached_property
    def priors(self) -> Priors:
        return Priors.create(self.n_topics, self.train.n_words, ALPHA, BETA)

    def draw(self, topics: np.ndarray, sweeps: int) -> Draw:
        """Return assignments, wherever they come from, as one of our draws."""
        return Draw(0, sweeps, topics, self.train, self.priors)

    def documents(self) -> list[list[str]]:
        """Return the training documents that have tokens, as lists of words w0, w1, …"""
        words = np.array([f"w{v}" for v in range(self.train.n_words)])
        tokens = np.repeat(words[self.train.word_ids], self.train.counts)
        ends = np.cumsum(self.train.doc_lengths())[:-1]
        return [doc.tolist() for doc in np.split(tokens, ends) if len(doc)]


@dataclass(frozen=True)
class Point:
    """Where a program was after some time."""

    program: str
    corpus: str
    topics: int
    seed: int
    estimate: str
    seconds: float
    sweeps: int
    perplexity: float
    log_posterior: float = math.nan


class Contender(ABC):
    """A program with a clock of its own, which runs only while it sweeps."""

    name: str
    estimate = "one state"
    step = 5
    """Sweeps between two judgements."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.seconds = 0.0
        self.sweeps = 0
        self.points: list[Point] = []
        self.set_up()

    @abstractmethod
    def set_up(self) -> None:
        """Read the corpus; not timed."""

    @abstractmethod
    def run(self, n: int) -> None:
        """Sweep ``n`` times."""

    @abstractmethod
    def judge(self) -> tuple[float, float]:
        """Return held-out perplexity and log posterior, NaN where there is none; not timed."""

    def sweep(self, n: int = 1) -> None:
        start = time.perf_counter()
        self.run(n)
        self.seconds += time.perf_counter() - start
        self.sweeps += n

    def catch_up(self, seconds: float, max_sweeps: float = math.inf) -> None:
        """Sweep until the own clock shows ``seconds``, judging on the way."""
        while self.seconds < seconds and self.sweeps < max_sweeps:
            self.sweep(int(min(self.step, max_sweeps - self.sweeps)))
            self.record(*self.judge())

    def record(self, perplexity: float, log_posterior: float) -> None:
        self.points.append(
            Point(
                self.name,
                self.task.corpus_name,
                self.task.n_topics,
                self.task.seed,
                self.estimate,
                self.seconds,
                self.sweeps,
                perplexity,
                log_posterior,
            )
        )


class Sampler(Contender):
    """A program whose assignments can be taken out."""

    @abstractmethod
    def assignments(self) -> np.ndarray:
        """Return one topic per token, in the order of the training corpus."""

    def judge(self) -> tuple[float, float]:
        return judge(self.task, self.assignments(), self.sweeps)


def judge(task: Task, topics: np.ndarray, sweeps: int) -> tuple[float, float]:
    """Return held-out perplexity and log posterior of one state."""
    draw = task.draw(topics, sweeps)
    return perplexity(draw.predictive(task.test), task.test), log_posterior(draw)


class Tomotopy(Sampler):
    """tomotopy with one worker; it trains on what `add_doc` was given."""

    name = "tomotopy"

    def set_up(self) -> None:
        model = tomotopy.LDAModel(
            k=self.task.n_topics, alpha=ALPHA, eta=BETA, seed=self.task.seed + 1
        )
        model.optim_interval = 0  # do not learn alpha
        for words in self.task.documents():
            model.add_doc(words)
        model.train(0, workers=1)
        self.model = model
        self._check_order()

    def run(self, n: int) -> None:
        self.model.train(n, workers=1, parallel=tomotopy.ParallelScheme.NONE)

    def assignments(self) -> np.ndarray:
        return np.concatenate([doc.topics for doc in self.model.docs]).astype(np.int32)

    def _check_order(self) -> None:
        """Its documents must keep their words in our order, or topics would go to other words."""
        train = self.task.train
        names = list(self.model.used_vocabs)
        words = np.array([int(name[1:]) for name in names])
        theirs = words[np.concatenate([doc.words for doc in self.model.docs])]
        if not np.array_equal(theirs, np.repeat(train.word_ids, train.counts)):
            raise RuntimeError("tomotopy keeps the words of a document in another order.")


class LdaPackage(Sampler):
    """`lda` on its own state, by the function that its fit calls in a loop."""

    name = "lda"
    step = 1

    def set_up(self) -> None:
        logging.getLogger("lda").setLevel(logging.ERROR)
        model = lda.LDA(
            n_topics=self.task.n_topics,
            n_iter=1,
            alpha=ALPHA,
            eta=BETA,
            random_state=self.task.seed,
        )
        model._initialize(self.task.train.to_matrix())
        self.model = model
        self.uniforms = model._rands.copy()
        self.random_state = np.random.RandomState(self.task.seed)  # as its fit does

    def run(self, n: int) -> None:
        for _ in range(n):
            self.random_state.shuffle(self.uniforms)
            self.model._sample_topics(self.uniforms)

    def assignments(self) -> np.ndarray:
        return np.asarray(self.model.ZS, dtype=np.int32)


class Variational(Contender):
    """A program that has expectations of θ and φ instead of a state."""

    estimate = "expectation"
    step = 1

    @abstractmethod
    def theta(self, docs: np.ndarray) -> np.ndarray:
        """Return θ of some training documents, rows that sum to 1."""

    @abstractmethod
    def phi(self) -> np.ndarray:
        """Return φ, shape (topics, words)."""

    def judge(self) -> tuple[float, float]:
        test = self.task.test
        docs = np.flatnonzero(np.diff(test.doc_offsets))
        theta, words = self.theta(docs), np.ascontiguousarray(self.phi().T)
        probabilities = np.empty(test.n_entries)
        for d, row in zip(docs, theta, strict=True):
            entries = slice(test.doc_offsets[d], test.doc_offsets[d + 1])
            probabilities[entries] = words[test.word_ids[entries]] @ row
        return perplexity(probabilities, test), math.nan


class Gensim(Variational):
    """Gensim's online variational Bayes; a sweep is a pass over all documents."""

    name = "gensim"

    def set_up(self) -> None:
        train = self.task.train
        self.docs = [
            list(zip(train.word_ids[a:b].tolist(), train.counts[a:b].tolist(), strict=True))
            for a, b in pairwise(train.doc_offsets)
        ]
        K = self.task.n_topics
        logging.getLogger("gensim").setLevel(logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.model = gensim.models.LdaModel(
                num_topics=K,
                id2word={v: str(v) for v in range(train.n_words)},
                alpha=[ALPHA] * K,
                eta=BETA,
                random_state=self.task.seed,
                eval_every=None,
            )

    def run(self, n: int) -> None:
        for _ in range(n):
            self.model.state.numdocs = 0  # `update` takes its documents for new ones and adds them
            self.model.update(self.docs, passes=1)

    def theta(self, docs: np.ndarray) -> np.ndarray:
        gamma, _ = self.model.inference([self.docs[d] for d in docs])
        return gamma / gamma.sum(axis=1, keepdims=True)

    def phi(self) -> np.ndarray:
        return self.model.get_topics()


class ScikitLearn(Variational):
    """scikit-learn's batch variational Bayes; a sweep is one of its iterations."""

    name = "scikit-learn"

    def set_up(self) -> None:
        self.matrix = self.task.train.to_matrix().astype(np.float64)
        self.model = LatentDirichletAllocation(
            self.task.n_topics,
            doc_topic_prior=ALPHA,
            topic_word_prior=BETA,
            random_state=self.task.seed,
        )
        self.model._init_latent_vars(self.task.train.n_words, dtype=np.float64)

    def run(self, n: int) -> None:
        # What its fit does in a loop; each call of fit would start anew.
        for _ in range(n):
            self.model._em_step(self.matrix, self.task.train.n_docs, batch_update=True)

    def theta(self, docs: np.ndarray) -> np.ndarray:
        return self.model.transform(self.matrix[docs])

    def phi(self) -> np.ndarray:
        return self.model.components_ / self.model.components_.sum(axis=1, keepdims=True)


PEERS: dict[str, type[Contender]] = {
    contender.name: contender for contender in (Tomotopy, LdaPackage, Gensim, ScikitLearn)
}
