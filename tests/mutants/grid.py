"""Wrong samplers on a grid: wrong masses in the kernels of `grid`, on two by two cells.

Both forms of cells have the same mistakes, and dense ones some of their own, made in the twin.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from blocklda.models.lda.priors import Priors
from blocklda.models.lda.reference import dense_grid
from blocklda.models.lda.reference import grid as twin
from blocklda.models.lda.samplers.base import Sweep
from blocklda.models.lda.samplers.grid import dense as dense_kernel
from blocklda.models.lda.samplers.grid import sampler as kernel
from blocklda.models.lda.samplers.grid.plan import Form
from blocklda.models.lda.samplers.grid.word_masses import WordGroups, draw_masses
from blocklda.models.lda.state import State, SweepOptions
from tests.mutants.parts import replaced

SIZE = 2

FORMS: dict[str, Form] = {"grid": "dense", "grid on lists": "lists"}

RIGHT: dict[str, tuple[Sweep, Sweep]] = {
    name: (partial(twin.sweep, size=SIZE, form=form), partial(kernel.run, size=SIZE, form=form))
    for name, form in FORMS.items()
}
"""The twins and the kernels."""


def _with(groups: type[WordGroups], form: Form) -> Sweep:
    """Return the kernel's sweep with another kind of groups."""
    module = dense_kernel if form == "dense" else kernel

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(module, WordGroups=groups):
            return kernel.run(state, options, n_sweeps, SIZE, form)

    return sweep


class _NoMasses(WordGroups):
    """Weighs a topic's words in a group as if all of the topic lay in it."""

    def draw(self, rng: np.random.Generator) -> None:
        self.masses[:] = 1.0


class _ExpectedMasses(WordGroups):
    """Takes what masses are on average for what they are."""

    def draw(self, rng: np.random.Generator) -> None:
        k = self.n_topics
        concentrations = self.totals[:, :k] + self.beta_sum[:, :k]
        self.masses[:, :k] = concentrations / concentrations.sum(axis=0)


class _MassesOfThePrior(WordGroups):
    """Draws masses that know nothing of the tokens."""

    def draw(self, rng: np.random.Generator) -> None:
        self.masses[:, : self.n_topics] = draw_masses(self.beta_sum[:, : self.n_topics], rng)


class _MassesOfTheSweepBefore(WordGroups):
    """Draws masses anew in every step, from the totals at the beginning of the sweep.

    There is one group object for a run and one generator of masses for a sweep.
    """

    at_start: np.ndarray
    sweep: np.random.Generator | None = None

    def draw(self, rng: np.random.Generator) -> None:
        if self.sweep is not rng:
            self.sweep, self.at_start = rng, self.totals.copy()
        k = self.n_topics
        self.masses[:, :k] = draw_masses(self.at_start[:, :k] + self.beta_sum[:, :k], rng)


class _BetaOfAllWords(WordGroups):
    """Divides by n_kg + Vβ, with the sum of β over all words."""

    def __init__(self, starts: np.ndarray, priors: Priors, *, once: bool = False) -> None:
        super().__init__(starts, priors, once=once)
        self.of_groups = self.beta_sum[:, : self.n_topics].copy()
        self.beta_sum[:] = self.beta_sum.sum(axis=0)

    def draw(self, rng: np.random.Generator) -> None:
        k = self.n_topics
        self.masses[:, :k] = draw_masses(self.totals[:, :k] + self.of_groups, rng)


def _twin_with(**parts: Any) -> Sweep:
    """Return the twin of dense cells with other parts."""

    def sweep(state: State, options: SweepOptions, n_sweeps: int) -> int:
        with replaced(dense_grid, **parts):
            return twin.sweep(state, options, n_sweeps, SIZE, "dense")

    return sweep


_update = dense_grid.update_tokens
_sweep_cell = dense_grid.sweep_cell


def _without_masses(
    state: State, word: int, tokens: Any, counts: Any, group: dense_grid.Group, rng: Any
) -> None:
    """Forget the masses in the weights alone."""
    ones = replace(group, masses=np.ones_like(group.masses))
    _update(state, word, tokens, counts, ones, rng)


def _with_old_totals(
    state: State,
    docs: Any,
    words: Any,
    group: dense_grid.Group,
    n_vk: Any,
    rng: Any,
    shuffles: bool,
) -> None:
    """Weigh with the totals from the beginning of the cell, but for the token that is drawn."""
    at_start = group.totals.copy()

    def update(
        state: State, word: int, tokens: Any, counts: Any, group: dense_grid.Group, rng: Any
    ) -> None:
        n_dk, n_v, n_k = counts
        for t, old in enumerate(tokens.tolist()):
            one = tokens[t : t + 1]
            _update(state, word, one, (n_dk, n_v, at_start.copy()), group, rng)
            n_k[old] -= 1
            n_k[one[0]] += 1

    with replaced(dense_grid, update_tokens=update):
        _sweep_cell(state, docs, words, group, n_vk, rng, shuffles)


def _with_totals_of_all(
    state: State, word: int, tokens: Any, counts: Any, group: dense_grid.Group, rng: Any
) -> None:
    """Weigh with the totals of all words in place of those of the group."""
    n_dk, n_v, _ = counts
    _update(state, word, tokens, (n_dk, n_v, state.topic_counts()), group, rng)


def _with_counts_of_the_cell(
    state: State, docs: Any, words: Any, group: Any, n_vk: Any, rng: Any, shuffles: bool
) -> None:
    """Count the tokens of a document in the cell's words alone."""
    corpus = state.corpus
    starts = np.cumsum(corpus.counts, dtype=np.int64) - corpus.counts
    for d in range(*docs):
        entries = np.arange(corpus.doc_offsets[d], corpus.doc_offsets[d + 1])
        visited = [e for e in entries if words[0] <= corpus.word_ids[e] < words[1]]
        blocks = [state.topics[starts[e] :][: corpus.counts[e]] for e in visited]
        if not blocks:
            continue
        n_dk = np.bincount(np.concatenate(blocks), minlength=state.priors.n_topics)
        for e, tokens in zip(visited, blocks, strict=True):
            word = int(corpus.word_ids[e])
            if shuffles:
                dense_grid.shuffle_tokens(tokens, rng)
            _update(state, word, tokens, (n_dk, n_vk[word], group.totals), group, rng)


MUTANTS: dict[str, Sweep] = {
    "no masses of groups": _with(_NoMasses, "lists"),
    "masses of groups not drawn": _with(_ExpectedMasses, "lists"),
    "masses of groups from the prior": _with(_MassesOfThePrior, "lists"),
    "masses of groups from old totals": _with(_MassesOfTheSweepBefore, "lists"),
    "beta of all words in a group": _with(_BetaOfAllWords, "lists"),
    "masses of groups not drawn, dense": _with(_ExpectedMasses, "dense"),
    "masses of groups from the prior, dense": _with(_MassesOfThePrior, "dense"),
    "beta of all words in a group, dense": _with(_BetaOfAllWords, "dense"),
    "masses left out of dense weights": _twin_with(update_tokens=_without_masses),
    "totals of a group from before the cell": _twin_with(sweep_cell=_with_old_totals),
    "totals of all words in a dense cell": _twin_with(update_tokens=_with_totals_of_all),
    "documents counted in a dense cell alone": _twin_with(sweep_cell=_with_counts_of_the_cell),
}
