"""The opening of a chain: its first sweeps, where they are not those of its sampler."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError

__all__ = ["NO_OPENING", "Opening"]


@dataclass(frozen=True)
class Opening:
    """The kind of a chain's first ``n_sweeps`` sweeps; which kernel a sweep uses follows from it.

    ``kind`` is "annealed", "annealed-given-phi", or the name of an exact sampler. After each of the
    first ``n_merge_splits`` sweeps that are not annealed, the move merge-split is tried. Sweeps are
    counted from the start of the chain, over all sessions.
    """

    ANNEALED: ClassVar[str] = "annealed"
    ANNEALED_GIVEN_PHI: ClassVar[str] = "annealed-given-phi"

    kind: str
    n_sweeps: int
    n_merge_splits: int = 0

    def n_left(self, n_done: int) -> int:
        """Return how many of these sweeps are left to a chain that has done some sweeps."""
        return max(0, self.n_sweeps - n_done)

    def is_tempered(self, n_done: int) -> bool:
        """Return True if the last sweep was annealed, so that the state is not of the posterior.

        Before the first sweep of an annealed opening it is True, too.
        """
        kinds = (self.ANNEALED, self.ANNEALED_GIVEN_PHI)
        return self.kind in kinds and n_done <= self.n_sweeps

    def to_header(self) -> dict[str, Any]:
        """Return the opening as the header of a file holds it."""
        header: dict[str, Any] = {"kind": self.kind, "n_sweeps": self.n_sweeps}
        if self.n_merge_splits > 0:
            header["n_merge_splits"] = self.n_merge_splits
        return header

    @classmethod
    def restore(cls, header: Mapping[str, Any], known: tuple[str, ...]) -> Opening:
        """Return the opening of a header, none where it names none; refuse an unknown kind."""
        found = header.get("opening")
        if found is None:
            return NO_OPENING
        opening = cls(
            str(found["kind"]),
            whole_number("opening", found["n_sweeps"], 0),
            whole_number("opening", found.get("n_merge_splits", 0), 0),
        )
        if opening.n_sweeps > 0 and opening.kind not in known:
            raise InputError(f"its opening {opening.kind!r} is unknown here")
        return opening


NO_OPENING = Opening("none", 0)
"""All sweeps are the sampler's."""
