"""A mixture as a model: what the layers around it ask of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.models.base import LOG_PREDICTIVE, Arrays, Model, Quantity, Role, Stored
from blocklda.models.lda.draw import topic_dtype
from blocklda.models.mixture.draw import Draw
from blocklda.models.mixture.kinds import Kinds
from blocklda.models.mixture.log_joint import log_joint
from blocklda.models.mixture.predictive import WatchedDocuments
from blocklda.models.mixture.priors import MixturePriors
from blocklda.models.mixture.sampler import BLOCKS, Sampler
from blocklda.models.mixture.start import check_start, start_state
from blocklda.models.mixture.state import State, SweepOptions
from blocklda.models.mixture.summary import Summary
from blocklda.support.arrays import AnyInts, Floats, Ints
from blocklda.support.checks import whole_number
from blocklda.support.errors import unknown_choice

__all__ = ["MixtureModel"]


SHARES = (95, 99)
"""Per cent of the documents that the largest components hold of which the number is recorded."""


class MixtureModel(Model):
    """A mixture of multinomials with shares and words of components integrated out.

    ``watched`` are documents whose predictions are recorded; none unless they are given.
    """

    kind: ClassVar[str] = "mixture"
    counted: ClassVar[str] = "components"

    def __init__(
        self, corpus: Corpus, priors: MixturePriors, watched: WatchedDocuments | None = None
    ) -> None:
        self.corpus = corpus
        self.priors = priors
        self.kinds = Kinds.of(corpus)
        self._watched = watched

    @property
    def is_finite(self) -> bool:
        """True if the number of components is given."""
        return self.priors.n_components is not None

    # --- what is recorded

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """How many components there are, by several measures, and alpha where it is learned."""
        counts: dict[str, tuple[Callable[[Any], float], str]] = {
            "n_components": (_n_components, "components"),
            **{
                f"n_components_{share}": (
                    partial(Draw.n_holding, share=share / 100),
                    f"components with {share} % of documents",
                )
                for share in SHARES
            },
            "n_components_above_1": (partial(Draw.n_above, share=0.01), "components above 1 %"),
            "effective_components": (Draw.effective_components, "effective components"),
        }
        found = [
            Quantity(name, Role.SCALAR, measure, title, is_count=True, if_missing=math.nan)
            for name, (measure, title) in counts.items()
        ]
        if self._watched is not None:
            found.append(
                Quantity(
                    LOG_PREDICTIVE,
                    Role.SCALAR,
                    self._watched.log_predictive,
                    title="log predictive",
                )
            )
        if self.priors.is_learned:
            found.append(Quantity("alpha", Role.SCALAR, _alpha, check=_check_positive))
        return tuple(found)

    # --- sampling

    def start(self, init: Any, rng: np.random.Generator, backend: str) -> State:
        """Return the state before the first sweep."""
        sweep = BLOCKS.documents(backend)
        return start_state(init, self.corpus, self.priors, self.kinds, rng, sweep)

    def check_start(self, init: Any) -> None:
        """Refuse a start that is neither a name nor one label per document."""
        check_start(init, self.corpus, self.priors)

    def find_sampler(self, name: Any) -> Sampler:
        """Return the sampler of a name; a sampler stands for itself."""
        if isinstance(name, Sampler):
            return name
        if name != BLOCKS.name:
            raise unknown_choice("sampler", name, (BLOCKS.name,))
        return BLOCKS

    def log_level(self, state: State) -> float:
        """Return log p(labels, words, α)."""
        return log_joint(state)

    def count(self, state: State) -> int:
        """Return how many components have documents."""
        return int((state.sizes() > 0).sum())

    # --- draws

    def draw(self, state: State, chain: int) -> Draw:
        """Return labels, numbers of components and alpha as a draw."""
        return Draw.create(state, chain)

    def support(self, log_levels: Floats, values: Mapping[str, Sequence[Any]]) -> float:
        """Return how well a chain's draws predict: log densities are not comparable across K."""
        found = values.get(LOG_PREDICTIVE)
        return float(np.mean(found)) if found else super().support(log_levels, values)

    def estimates(self, draws: Sequence[Draw]) -> Summary:
        """Return the components of a representative draw, and the other draws seen through them."""
        return Summary(draws)

    def mean_priors(self, state: State, values: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
        """Return alpha, its mean over the draws where it was learned, and beta."""
        alpha = values.get("alpha")
        return {
            "alpha": float(np.mean(alpha)) if alpha else state.alpha,
            "beta": self.priors.given_beta(),
        }

    # --- files

    def state_parts(self, state: State) -> tuple[dict[str, Any], Arrays]:
        """Return labels, numbers of components, alpha and priors."""
        header = {"alpha": state.alpha, "n_born": state.n_born, **self.priors.to_header()}
        arrays: Arrays = {"labels": state.labels, "births": state.births}
        return header, arrays | self.priors.to_arrays()

    def restore_state(self, stored: Stored, rng: np.random.Generator, n_sweeps: int) -> State:
        """Return the state, if it is one of this model."""
        self.priors.require_same(stored)
        own = MixturePriors.restore(stored, self.corpus.n_words)
        labels = stored.shaped("labels", np.int32, (self.corpus.n_docs,))
        births = stored.array("births", np.int64, 1, self._most_components())
        n_born = whole_number("n_born", stored.header["n_born"], 0)
        self._check_components(stored, labels, births, n_born)
        return State(
            corpus=self.corpus,
            rng=rng,
            n_sweeps=n_sweeps,
            priors=self.priors,
            kinds=self.kinds,
            labels=labels,
            births=births,
            n_born=n_born,
            alpha=own.alpha,
        )

    def _most_components(self) -> int:
        return self.priors.n_components or max(1, self.corpus.n_docs)

    def _check_components(
        self, stored: Stored, labels: AnyInts, births: Ints, n_born: int | None = None
    ) -> None:
        """Refuse labels of components that do not exist, or are empty and should not be there."""
        K = len(births)
        is_right = bool(((labels >= 0) & (labels < K)).all()) and bool((np.diff(births) > 0).all())
        if self.is_finite:
            is_right &= np.array_equal(births, np.arange(self._most_components()))
        elif is_right:
            is_right = len(np.unique(labels)) == K and (K == 0 or births[0] >= 0)
        if n_born is not None and K:
            is_right &= n_born > births[-1]
        if not is_right:
            raise stored.damaged("its labels and components do not match")

    def restore_options(self, header: Mapping[str, Any]) -> SweepOptions:
        """Return the options of sweeps that a header holds."""
        return SweepOptions(
            n_threads=whole_number("n_threads", header["n_threads"], 1),
            max_block=whole_number("max_block", header["max_block"], 1),
        )

    def draw_arrays(self, draw: Draw) -> Arrays:
        """Return labels, numbers of components and alpha."""
        return {"labels": draw.labels, "births": draw.births, "alpha": np.array([draw.alpha])}

    def restore_draw(self, stored: Stored, chain: int, sweep: int, state: State) -> Draw:
        """Return the draw in a file."""
        births = stored.array("births", np.int64, 1, self._most_components())
        dtype = topic_dtype(max(1, len(births)))
        labels = stored.shaped("labels", dtype, (self.corpus.n_docs,))
        self._check_components(stored, labels, births)
        (alpha,) = stored.shaped("alpha", np.float64, (1,))
        if not (np.isfinite(alpha) and alpha > 0):
            raise stored.damaged("its alpha is not a positive number")
        return Draw(chain, sweep, labels, births, float(alpha), self.corpus, self.priors)


# Functions by name, since models and their quantities are pickled with estimators.


def _n_components(draw: Draw) -> int:
    return draw.n_components


def _alpha(draw: Draw) -> float:
    return draw.alpha


def _check_positive(values: Any) -> str | None:
    is_right = (np.isfinite(values) & (values > 0)).all()
    return None if is_right else "the concentrations of its draws are not positive numbers"
