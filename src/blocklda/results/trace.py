"""What is recorded of every chain at its kept draws, for diagnostics and summaries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blocklda.support.arrays import Floats, Ints
from blocklda.support.errors import InputError

__all__ = ["Trace"]


@dataclass(frozen=True, eq=False)
class Trace:
    """A few numbers of every kept draw of every chain; all chains kept the same sweeps.

    Attributes
    ----------
    sweeps
        Which sweeps were kept, shape (draws,).
    log_posterior
        log q, shape (chains, draws).
    topic_sizes
        n_k, each chain's topics in its own numbering, shape (chains, draws, topics).
    co_assignment
        What :class:`~blocklda.diagnostics.token_pairs.TokenPairs` returns, shape (chains, draws,
        pairs).
    alpha
        α where it is sampled, else None; shape (chains, draws, topics), numbered as topic_sizes.
    beta
        β where it is sampled, else None; shape (chains, draws).
    seconds
        Wall-clock time spent sampling, all chains together.
    """

    sweeps: Ints
    log_posterior: Floats
    topic_sizes: Ints
    co_assignment: Floats
    alpha: Floats | None = None
    beta: Floats | None = None
    seconds: float = float("nan")

    def __post_init__(self) -> None:
        """Refuse arrays that do not belong together."""
        if self.topic_sizes.ndim != 3:
            raise InputError(
                f"topic_sizes has the shape {self.topic_sizes.shape}: give (chains, draws, topics)."
            )
        chains, draws, topics = self.topic_sizes.shape
        wanted: dict[str, tuple[int, ...]] = {
            "sweeps": (draws,),
            "log_posterior": (chains, draws),
            "co_assignment": (chains, draws, *self.co_assignment.shape[2:3]),
            "alpha": (chains, draws, topics),
            "beta": (chains, draws),
        }
        for name, shape in wanted.items():
            values = getattr(self, name)
            if values is not None and values.shape != shape:
                raise InputError(
                    f"{name} has the shape {values.shape}: beside topic_sizes of the shape "
                    f"{self.topic_sizes.shape} it must be {shape}."
                )

    @property
    def n_chains(self) -> int:
        """How many chains there are."""
        return len(self.topic_sizes)

    @property
    def n_draws(self) -> int:
        """How many draws of each chain were kept."""
        return int(self.topic_sizes.shape[1])

    @property
    def n_topics(self) -> int:
        """K."""
        return int(self.topic_sizes.shape[2])

    @property
    def n_tokens(self) -> int:
        """Tokens of the corpus; every draw has a topic for each."""
        return int(self.topic_sizes[0, 0].sum()) if self.n_draws else 0

    def aligned(self, values: NDArray[Any], order: Ints) -> NDArray[Any]:
        """Return ``values`` (chains, draws, topics) with every chain's topics put in ``order``.

        Topic ``order[c, k]`` of chain c is the partner of topic k of the first chain.
        """
        if order.shape != (self.n_chains, self.n_topics):
            raise InputError(
                f"order has the shape {order.shape}: give (chains, topics), that is "
                f"({self.n_chains}, {self.n_topics})."
            )
        return np.take_along_axis(values, order[:, None, :], axis=2)
