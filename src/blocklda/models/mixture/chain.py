"""A Markov chain over the clusterings of a corpus."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from blocklda.data.corpus import Corpus
from blocklda.files.chain_file import read_chain, restore_chain, write_chain
from blocklda.models.base import Stored
from blocklda.models.mixture.log_joint import log_joint
from blocklda.models.mixture.model import MixtureModel
from blocklda.models.mixture.priors import MixturePriors
from blocklda.models.mixture.sampler import BLOCKS
from blocklda.models.mixture.start import SEQUENTIAL
from blocklda.models.mixture.state import MAX_BLOCK, State, SweepOptions
from blocklda.run.chain import BaseChain
from blocklda.support import defaults
from blocklda.support.arrays import Int32s, Ints
from blocklda.support.checks import random_generator, true_or_false, whole_number

__all__ = ["DPMixtureChain"]


class DPMixtureChain(BaseChain):
    """A chain whose stationary distribution is the posterior of a clustering of the documents.

    Every document has one component, whose words are multinomial with a Dirichlet prior. The
    components are those of a Dirichlet process, or a given number of them. Documents with the same
    words move together. Empty documents are part of the model: their likelihood is 1, so they
    follow the prior given all others.

    Parameters
    ----------
    corpus
        A :class:`~blocklda.Corpus`, or anything :meth:`Corpus.from_matrix` takes.
    alpha
        The concentration of the Dirichlet process; with ``n_components`` the parameter of the
        Dirichlet prior of each share.
    beta
        Dirichlet prior of the words of a component: a number, or one number per word.
    n_components
        None for a Dirichlet process, in which components are born and die, or K for the finite
        mixture that is known as GSDMM or movie group process.
    learn
        If True, ``alpha`` is where the concentration starts; it is drawn after every sweep. If
        False it is fixed.
    backend
        "native" or "python": the compiled kernel, or its twin. Both leave the same state.
    seed
        A whole number, a NumPy ``SeedSequence``, or None for fresh entropy.
    init
        "sequential", in which documents join one after the other; "one", all in one component; or
        one label per document.
    alpha_prior
        Shape and rate of the Gamma prior of a concentration that is learned.
    max_block
        Documents with the same words that move at once at the most; 1 moves each by itself. Exact
        either way.

    Examples
    --------
    >>> import blocklda
    >>> corpus = blocklda.simulate.bars(n_docs=50, seed=1).corpus
    >>> chain = blocklda.DPMixtureChain(corpus, seed=1)
    >>> chain.sweep(5)
    """

    model: MixtureModel
    state: State
    options: SweepOptions

    options_type = SweepOptions

    def __init__(
        self,
        corpus: Any,
        alpha: float = defaults.CONCENTRATION,
        beta: ArrayLike = defaults.COMPONENT_BETA,
        n_components: int | None = None,
        learn: bool = True,
        backend: str = defaults.BACKEND,
        seed: int | np.random.SeedSequence | None = defaults.SEED,
        *,
        init: str | ArrayLike = SEQUENTIAL,
        alpha_prior: tuple[float, float] = defaults.PRIOR_OF_PRIORS,
        max_block: int = MAX_BLOCK,
    ) -> None:
        checked = Corpus.from_matrix(corpus)
        priors = MixturePriors.create(
            checked.n_words,
            alpha,
            beta,
            n_components,
            is_learned=true_or_false("learn", learn),
            alpha_prior=alpha_prior,
        )
        options = SweepOptions(max_block=whole_number("max_block", max_block, 1))
        rng = random_generator(seed)
        BLOCKS.documents(backend)  # says what is wrong with it before the start
        model = MixtureModel(checked, priors)
        state = model.start(init, rng, backend)
        super().__init__(model, state, BLOCKS, backend, options)

    # --- the state

    @property
    def alpha(self) -> float:
        """The present concentration."""
        return self.state.alpha

    @property
    def n_components(self) -> int:
        """How many components have documents."""
        return int((self.component_sizes() > 0).sum())

    def labels(self) -> Int32s:
        """Return the component of each document, as its position in :meth:`component_ids`."""
        return self.state.labels.copy()

    def component_ids(self) -> Ints:
        """Return the birth numbers of the components, ascending.

        Those of a finite mixture are 0, …, K − 1, with documents or without.
        """
        return self.state.births.copy()

    def component_sizes(self) -> Ints:
        """Return the number of documents of each component, in that order."""
        return self.state.sizes()

    def log_posterior(self) -> float:
        """Return log p(labels, words, α), without the prior of α where that is fixed."""
        return log_joint(self.state)

    # --- files

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the chain to a file, without the corpus; :meth:`load` resumes it to the bit."""
        write_chain(path, self)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], corpus: Any, backend: str | None = None
    ) -> DPMixtureChain:
        """Read a chain written by :meth:`save`; ``corpus`` must be the one it ran on."""
        found = Corpus.from_matrix(corpus)

        def restored(stored: Stored) -> DPMixtureChain:
            model = MixtureModel(found, MixturePriors.restore(stored, found.n_words))
            return restore_chain(cls.of, model, stored, backend=backend)

        return read_chain(path, found, MixtureModel.kind, restored)

    def __repr__(self) -> str:
        return (
            f"DPMixtureChain({self.corpus.n_docs:,} documents, {self.n_components} components, "
            f"n_sweeps={self.n_sweeps})"
        )
