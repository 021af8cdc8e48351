"""From the parameters of a mixture to a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.estimator.base_plan import (
    MAY_CHANGE,
    BasePlan,
    checked_chains,
    resolved_burn_in,
    resolved_sweeps,
    shared_settings,
)
from blocklda.files.chain_file import restore_chain
from blocklda.models.mixture.chain import DPMixtureChain
from blocklda.models.mixture.model import MixtureModel
from blocklda.models.mixture.predictive import WatchedDocuments
from blocklda.models.mixture.priors import MixturePriors
from blocklda.models.mixture.sampler import BLOCKS
from blocklda.models.mixture.start import ONE, SEQUENTIAL
from blocklda.models.mixture.state import MAX_BLOCK, SweepOptions
from blocklda.run.run import Run
from blocklda.run.schedule import Schedule
from blocklda.run.settings import described
from blocklda.support import defaults
from blocklda.support.checks import random_generator, true_or_false, whole_number
from blocklda.support.errors import not_allowed
from blocklda.support.memory import require_memory

if TYPE_CHECKING:
    from blocklda.estimator.mixture import DPMixture

__all__ = ["MixturePlan"]

SAMPLED = "sampled"
AUTO = "auto"


@dataclass(frozen=True, kw_only=True)
class MixturePlan(BasePlan):
    """A fit of a mixture."""

    model: MixtureModel

    @classmethod
    def create(cls, mixture: DPMixture, corpus: Corpus, burn_in: int | None = None) -> MixturePlan:
        """Check the parameters of an estimator; ``burn_in`` is that of a fit it continues."""
        n_chains = checked_chains(mixture)
        true_or_false("blocks", mixture.blocks)
        thin = whole_number("thin", mixture.thin, 1)
        if burn_in is None:
            burn_in = resolved_burn_in(mixture.burn_in, mixture.n_sweeps, is_long=True)
        n_sweeps, is_auto = resolved_sweeps(mixture.n_sweeps, burn_in, thin)
        kept = {
            name: value
            for name, value in mixture.get_params(deep=False).items()
            if name not in MAY_CHANGE
        }
        return cls(
            model=MixtureModel(corpus, _priors(mixture, corpus), WatchedDocuments.choose(corpus)),
            options=SweepOptions(max_block=MAX_BLOCK if mixture.blocks else 1),
            starts=chain_starts(mixture.init, n_chains),
            schedule=Schedule.create(n_sweeps, burn_in, thin),
            stops_when_settled=is_auto,
            settings=described(kept),
            **shared_settings(mixture, n_chains),
        )

    def new_chain(self, init: Any, seed: np.random.SeedSequence) -> DPMixtureChain:
        """Return a chain at its start."""
        state = self.model.start(init, random_generator(seed), defaults.BACKEND)
        return DPMixtureChain.of(self.model, state, BLOCKS, options=self.options)

    def restored_chain(self, model: Any, stored: Any) -> DPMixtureChain:
        """Return the chain in a part of a file."""
        return restore_chain(DPMixtureChain.of, model, stored)

    def require_memory(self, earlier: Run | None) -> None:
        """Refuse a fit that takes more memory than is free.

        A sweep has for every document some numbers of its slot, and for every entry of the corpus
        a place in a list; a kept draw has one label per document.
        """
        corpus, n_chains = self.corpus, len(self.starts)
        slots = self.model.priors.n_components or corpus.n_docs
        sweeping = 60 * slots + 8 * corpus.n_docs + 8 * corpus.n_entries + 24 * corpus.n_words
        kept = n_chains * self.n_kept() * 4 * corpus.n_docs
        require_memory(
            self.n_workers * sweeping + kept,
            f"a mixture of {corpus.n_docs:,} documents",
            "run fewer chains at the same time, or keep fewer draws",
        )


def chain_starts(init: Any, n_chains: int) -> tuple[Any, ...]:
    """Return where each chain starts.

    By default documents join one after the other, and the last of several chains has all in one
    component: chains that all start alike may agree on what the start found.
    """
    if not isinstance(init, str) or init != AUTO:
        return (init,) * n_chains
    return (SEQUENTIAL,) if n_chains == 1 else (*(SEQUENTIAL,) * (n_chains - 1), ONE)


def _priors(mixture: DPMixture, corpus: Corpus) -> MixturePriors:
    alpha = mixture.alpha
    if isinstance(alpha, str) and alpha != SAMPLED:
        raise not_allowed("alpha", alpha, f"a number above 0, or {SAMPLED!r}")
    is_learned = isinstance(alpha, str)
    return MixturePriors.create(
        corpus.n_words,
        defaults.CONCENTRATION if is_learned else alpha,
        mixture.beta,
        mixture.n_components,
        is_learned=is_learned,
        alpha_prior=mixture.alpha_prior,
    )
