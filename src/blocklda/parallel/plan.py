"""What every task of a run has to know, in a file that all machines read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from blocklda.data.pieces import Piece, word_pieces
from blocklda.files.archive import open_archive, write_archive
from blocklda.files.checkpoint import SHARDED_RUN
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.models.lda.prior_learning import NOTHING_LEARNED, PriorLearning
from blocklda.models.lda.priors import Priors
from blocklda.models.lda.samplers.grid.sampler import GRID
from blocklda.models.lda.samplers.grid.shards import group_shards
from blocklda.models.lda.samplers.partially_collapsed.sampler import PARTIALLY_COLLAPSED
from blocklda.models.lda.samplers.powers import sixteenths
from blocklda.run.chain_run import thinning
from blocklda.run.schedule import Schedule
from blocklda.support.arrays import Floats, Int32s
from blocklda.support.checks import whole_number
from blocklda.support.defaults import RANDOM_INIT
from blocklda.support.errors import FileFormatError

__all__ = [
    "CORPUS",
    "GIVEN",
    "SAMPLERS_ON_SHARDS",
    "Learned",
    "ShardedPlan",
    "read_plan",
    "read_settings",
    "write_plan",
]

SAMPLERS_ON_SHARDS = (PARTIALLY_COLLAPSED.name, GRID.name)

CORPUS = "corpus"
"""Where in the folder of a run the shards are that were made for it."""

GIVEN = "given"
"""The start of a chain whose first topics a user gave."""

ALL_DRAWS = 2**31

KIND, VERSION = "blocklda sharded run", 1
A_PLAN = "the plan of a sharded run"


class Learned(NamedTuple):
    """Priors that were learned from the topics of a sweep."""

    alpha: Floats
    beta: float | None
    """One number for all words and topics, None if it is as given."""


@dataclass(frozen=True)
class ShardedPlan:
    """One chain of a run on shards, whose settings are checked."""

    run: str
    """A name of its own: a folder may hold another run later."""
    corpus: ShardedCorpus
    priors: Priors
    largest_block: int
    sizes: Int32s
    """The largest block of each word in any shard, none above ``largest_block``."""
    schedule: Schedule
    max_draws: int
    """How many draws have their topics in files at the most, 0 for none."""
    generator: dict[str, Any]
    """The state of the chain's generator before the first topic is drawn."""
    settings: dict[str, Any]
    """What a run that goes on must have the same."""
    learning: PriorLearning = NOTHING_LEARNED
    """What is learned of the priors, which are where that begins."""
    is_watched: bool = False
    """Whether pairs of tokens and predictions of words are followed; older runs have none."""
    init: str = RANDOM_INIT
    """Where the chain starts: a name that ``Chain(init=…)`` takes, or ``GIVEN``."""
    annealed_sweeps: int = 0
    """How many of its first sweeps are annealed."""
    sampler: str = PARTIALLY_COLLAPSED.name
    word_groups: tuple[int, ...] = ()
    """Where groups of words begin, and the end of the last one; for `grid`."""

    @property
    def n_topics(self) -> int:
        """K."""
        return self.priors.n_topics

    @property
    def n_words(self) -> int:
        """V."""
        return self.corpus.words.n_words

    @cached_property
    def words(self) -> list[Piece]:
        """The pieces of words, each with a stream of its own; for `grid` the groups of words."""
        if self.word_groups:
            return list(pairwise(self.word_groups))
        return word_pieces(self.n_words, self.n_topics)

    @cached_property
    def shard_groups(self) -> list[range]:
        """The shards of each group, for `grid`."""
        n_tokens = [shard.n_tokens for shard in self.corpus.shards]
        return [range(*ends) for ends in pairwise(group_shards(n_tokens, self.n_words))]

    def priors_at(self, learned: Learned | None) -> Priors:
        """Return the priors of a sweep; None for those that nothing was learned of."""
        if learned is None:
            return self.priors
        changes: dict[str, Any] = {"alpha": learned.alpha}
        if learned.beta is not None:
            changes["beta"] = np.full((1, self.n_topics), learned.beta)
            changes["beta_sum"] = np.full(self.n_topics, self.n_words * learned.beta)
        return replace(self.priors, **changes)

    def learned(self, priors: Priors) -> Learned | None:
        """Return what was learned, None where nothing is: a matrix β does not travel."""
        if not self.learning.is_active:
            return None
        beta = None if self.learning.beta == "none" else float(priors.beta[0, 0])
        return Learned(priors.alpha, beta)

    def sixteenths(self, sweep: int) -> int:
        """Return 16 times the power of the likelihood in a sweep; sweeps are numbered from 1."""
        return sixteenths(sweep - 1, self.annealed_sweeps)

    def is_tempered(self, sweep: int) -> bool:
        """Whether the topics after a sweep are not of the posterior."""
        return 0 < sweep <= self.annealed_sweeps

    def keeps_topics(self, draw: int, sweep: int) -> bool:
        """Whether the topics of a sweep are in files when the chain has come to another one.

        Of too many draws every second, fourth, … one is there, as on one machine.
        """
        if not self.schedule.keeps(draw) or draw > sweep:
            return False
        number, n_draws = (
            (at - self.schedule.burn_in) // self.schedule.thin for at in (draw, sweep)
        )
        step = thinning(n_draws, self.max_draws)
        return step > 0 and number % step == 0

    def first_token(self, shard: int) -> int:
        """Return the number that the first token of a shard has in the whole corpus."""
        return sum(one.n_tokens for one in self.corpus.shards[:shard])


def write_plan(folder: Path, plan: ShardedPlan) -> None:
    """Write a plan to the folder of its run."""
    header = {
        "kind": KIND,
        "version": VERSION,
        "run": plan.run,
        "corpus": str(plan.corpus.folder),
        "largest_block": plan.largest_block,
        "schedule": [plan.schedule.n_sweeps, plan.schedule.burn_in, plan.schedule.thin],
        "max_draws": plan.max_draws,
        "generator": plan.generator,
        "settings": plan.settings,
        "fingerprint": plan.corpus.fingerprint,
        "learning": list(astuple(plan.learning)),
        "is_watched": plan.is_watched,
        "init": plan.init,
        "annealed_sweeps": plan.annealed_sweeps,
        "sampler": plan.sampler,
        "word_groups": list(plan.word_groups),
    }
    arrays: dict[str, NDArray[Any]] = {"sizes": plan.sizes, **plan.priors.to_arrays()}
    write_archive(folder / SHARDED_RUN, header, arrays)


def read_settings(folder: Path) -> tuple[dict[str, Any], str]:
    """Return the settings of the run in a folder, and the fingerprint of its corpus."""
    with open_archive(folder / SHARDED_RUN, KIND, VERSION, A_PLAN) as archive, archive.reading():
        return dict(archive.header["settings"]), str(archive.header["fingerprint"])


def read_plan(folder: Path, corpus: ShardedCorpus | None = None) -> ShardedPlan:
    """Read the plan of a folder; ``corpus`` is the one to use if it is somewhere else by now."""
    with open_archive(folder / SHARDED_RUN, KIND, VERSION, A_PLAN) as archive, archive.reading():
        header = archive.header
        corpus = corpus or ShardedCorpus.open(Path(header["corpus"]))
        n_words = corpus.words.n_words
        return ShardedPlan(
            run=str(header["run"]),
            corpus=corpus,
            priors=Priors.restore(archive, n_words),
            largest_block=whole_number("largest_block", header["largest_block"], 1),
            sizes=archive.shaped("sizes", np.int32, (n_words,)),
            schedule=Schedule.create(*header["schedule"]),
            max_draws=_max_draws(header),
            generator=dict(header["generator"]),
            settings=dict(header["settings"]),
            learning=PriorLearning.create(*header.get("learning", astuple(NOTHING_LEARNED))),
            is_watched=header.get("is_watched") is True,
            init=str(header.get("init", RANDOM_INIT)),
            annealed_sweeps=whole_number("annealed_sweeps", header.get("annealed_sweeps", 0), 0),
            sampler=_sampler(header),
            word_groups=_word_groups(header, n_words),
        )


def _sampler(header: Mapping[str, Any]) -> str:
    """Return the sampler of a run; those from before there were two have no name for it."""
    name = str(header.get("sampler", PARTIALLY_COLLAPSED.name))
    if name not in SAMPLERS_ON_SHARDS:
        raise FileFormatError(f"its sampler {name!r} is none for shards")
    return name


def _word_groups(header: Mapping[str, Any], n_words: int) -> tuple[int, ...]:
    groups = tuple(whole_number("word_groups", one, 0) for one in header.get("word_groups", ()))
    if groups and (list(groups) != sorted(groups) or (groups[0], groups[-1]) != (0, n_words)):
        raise FileFormatError("its groups of words are not those of its vocabulary")
    return groups


def _max_draws(header: Mapping[str, Any]) -> int:
    """Return how many draws are kept; runs from before there was a number kept all or none."""
    if "max_draws" in header:
        return whole_number("max_draws", header["max_draws"], 0)
    return ALL_DRAWS if header["keep_draws"] is True else 0
