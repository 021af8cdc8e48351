"""One good call of every function of the native module, to be spoiled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import blocklda
from blocklda import _native
from blocklda.models.lda.priors import Priors, pad_to_lanes
from blocklda.models.lda.samplers.convolution import fft_convolve
from blocklda.models.lda.starts.variational import single_precision

MATRIX = np.array([[2, 0, 1, 0, 3], [0, 0, 0, 0, 0], [0, 4, 1, 1, 0], [1, 1, 0, 0, 20]])
N_TOPICS = 5
N_PHI = 2
BITS = np.random.PCG64(1)  # its capsule does not keep it alive
CELL_BITS = [np.random.PCG64(number) for number in range(4)]


CORPUS = ("doc_offsets", "word_ids", "counts", "n_words")
PRIORS = ("alpha", "beta", "beta_sum", "n_topics")
ORDER = ("entries", "docs", "starts")
COLUMNS = ("word_offsets", "doc_ids", "entry_counts", "starts")

Arguments = dict[str, Any]
Assembly = Callable[[Arguments], Arguments]
"""Makes the objects that a function takes of the arrays that they are made of."""


@dataclass(frozen=True)
class GoodCall:
    """A function and arguments, by name: the arrays of the objects that it takes, and the rest."""

    function: Callable[..., Any]
    arguments: Arguments
    assembly: Assembly

    def __call__(self, **spoiled: Any) -> Any:
        return self.function(**self.assembled(**spoiled))

    def assembled(self, **spoiled: Any) -> Arguments:
        """Return the arguments that the function itself takes."""
        return self.assembly({**self.arguments, **spoiled})


def as_given(arguments: Arguments) -> Arguments:
    return arguments


def taken(arguments: Arguments, names: tuple[str, ...]) -> list[Any]:
    """Return some arguments, which are taken out of all."""
    return [arguments.pop(name) for name in names]


def with_corpus(arguments: Arguments) -> Arguments:
    return {"corpus": _native.Corpus(*taken(arguments, CORPUS)), **arguments}


def with_priors(arguments: Arguments) -> Arguments:
    return {"priors": _native.Priors(*taken(arguments, PRIORS)), **arguments}


def with_start_priors(arguments: Arguments) -> Arguments:
    return {"priors": _native.StartPriors(*taken(arguments, PRIORS)), **with_corpus(arguments)}


def with_rows(arguments: Arguments) -> Arguments:
    """The rows are words if the columns of the corpus by word are given."""
    by_word = arguments.pop("by_word")
    arguments = with_corpus(arguments)
    corpus = arguments.pop("corpus")
    rows = corpus if by_word is None else _native.ByWord(corpus, *by_word)
    return {"rows": rows, **with_priors(arguments)}


def with_order(arguments: Arguments) -> Arguments:
    arguments = with_priors(with_corpus(arguments))
    return {"order": _native.WordOrder(arguments["corpus"], *taken(arguments, ORDER)), **arguments}


def with_words(arguments: Arguments) -> Arguments:
    """The priors are optional, and the number of topics is given beside them."""
    n_topics = arguments["n_topics"]
    arguments = with_priors(arguments) if "beta" in arguments else {**arguments, "priors": None}
    arguments = {**with_columns(arguments), "n_topics": n_topics}
    columns = taken(arguments, ("corpus", "word_offsets", "doc_ids", "counts", "starts"))
    return {"by_word": _native.ByWord(*columns), **arguments}


def with_columns(arguments: Arguments) -> Arguments:
    arguments = with_corpus(arguments)
    return {"counts": arguments.pop("entry_counts"), **arguments}


ASSEMBLIES: dict[str, Assembly] = {
    "ByWord": with_columns,
    "WordOrder": with_corpus,
    "augmented": with_corpus,
    "single_site": lambda arguments: with_priors(with_corpus(arguments)),
    "count_undecided": lambda arguments: with_priors(with_corpus(arguments)),
    "draw_token": with_priors,
    "draw_token_of_group": with_priors,
    "draw_token_given_phi": with_priors,
    "sweep_dense_grid": lambda arguments: with_priors(with_corpus(arguments)),
    "annealed": lambda arguments: with_priors(with_corpus(arguments)),
    "backward": lambda arguments: with_priors(with_corpus(arguments)),
    "nested": lambda arguments: with_priors(with_corpus(arguments)),
    "merge_split": lambda arguments: with_priors(with_corpus(arguments)),
    "mixture": with_corpus,
    "sparse": with_rows,
    "hdp_blocks": with_corpus,
    "hdp_grid": with_corpus,
    "hdp_tables": with_corpus,
    "sweep_grid": with_rows,
    "sweep_cell": lambda arguments: with_priors(with_corpus(arguments)),
    "count_cells": with_corpus,
    "topic_histograms": with_corpus,
    "topic_sums": with_corpus,
    "add_topic_sums": with_corpus,
    "sparse_cells": lambda arguments: {
        "rows": _native.Corpus(*taken(arguments, CORPUS)),
        **arguments,
    },
    "concentrations": with_words,
    "phi_rows": with_priors,
    "given_phi": with_order,
    "variational_pass": with_start_priors,
    "variational_draw": with_start_priors,
}


def function_of(name: str) -> str:
    """Return the function that a good call is of; some have several."""
    return name.split(" ", maxsplit=1)[0]


def groups_of_words() -> tuple[Any, ...]:
    """Return what a sweep over two groups of words takes."""
    masses = np.full((2, 8), 0.5)
    return np.full((2, 8), 0.2), np.zeros((2, 8), np.int32), masses, lambda: None


def colours_of_cells() -> tuple[Any, ...]:
    """Return what a sweep over two by two cells takes, in 24 slots of which one is shared."""
    colours = np.where(np.arange(24) == 1, -1, np.arange(24) % 2).astype(np.int32)
    cells, masses = np.zeros((4, 24), np.int32), np.full((2, 24), 0.5)
    return cells, colours, masses, np.array([0.2, 0.3]), np.full(2, 0.25), 1.5, lambda: None


def good_calls() -> dict[str, GoodCall]:
    """Return fresh arguments: a call overwrites some of them."""
    corpus = blocklda.Corpus.from_matrix(MATRIX)
    rng = np.random.default_rng(2)
    entries = {
        "doc_offsets": corpus.doc_offsets.copy(),
        "word_ids": corpus.word_ids.copy(),
        "counts": corpus.counts.copy(),
        "n_words": corpus.n_words,
    }
    topics = rng.integers(N_TOPICS, size=corpus.n_tokens, dtype=np.int32)
    corpus_arguments = {**entries, "n_topics": N_TOPICS}
    generator = {"bit_generator": BITS.capsule}

    def priors_of(beta: Any) -> dict[str, Any]:
        priors = Priors.create(N_TOPICS, corpus.n_words, np.linspace(0.1, 0.5, N_TOPICS), beta)
        padded = [values.copy() for values in priors.padded]
        return dict(zip(PRIORS, [*padded, N_TOPICS], strict=True))

    def sampler(beta: Any, **more: Any) -> dict[str, Any]:
        return {
            **entries,
            **priors_of(beta),
            "topics": topics.copy(),
            **generator,
            "n_sweeps": 2,
            **more,
        }

    by_topic = rng.uniform(0.1, 1.0, size=(N_TOPICS, corpus.n_words))
    blocks = {"max_block": 2**31, "fft_from": 15, "fft_convolve": fft_convolve}
    sequential = {"sequential_block": 16, "sequential_from": 1}
    tables = {"max_block": 8, "one_by_one": np.array([0.0, 0.5]), **sequential}
    start = single_precision(Priors.create(N_TOPICS, corpus.n_words, 0.1, 0.1), corpus.n_words)
    start_priors = dict(
        zip(PRIORS, [start.alpha, start.beta, start.beta_sum, N_TOPICS], strict=True)
    )
    n_vk = rng.uniform(size=(corpus.n_words, 16)).astype(np.float32)
    document = {"words": np.array([0, 4], np.int32), "counts": np.array([2, 5], np.int32)}
    alpha = {"alpha": pad_to_lanes(np.full((1, N_TOPICS), 0.1))[0], "n_topics": N_TOPICS}
    phi = rows(rng, N_PHI * corpus.n_words).reshape(N_PHI, corpus.n_words, -1)
    columns = dict(zip(COLUMNS, (column.copy() for column in corpus.by_word()), strict=True))
    order = np.argsort(corpus.word_ids, kind="stable").astype(np.int32)
    docs, words = np.array([0, 1, 4]), np.array([0, 2, 5])

    def grid(
        beta: Any, rows: np.ndarray, minors: np.ndarray, by_word: Any, word_groups: Any = None
    ) -> dict[str, Any]:
        cells = {
            "streams": [bits.capsule for bits in CELL_BITS],
            "workspace": _native.SparseWorkspace(),
            "by_word": by_word,
            "row_groups": rows.copy(),
            "minor_groups": minors.copy(),
            "word_groups": word_groups,
            "max_block": 8,
            "one_by_one": 0.5,
            **sequential,
            "n_threads": 2,
        }
        swept = sampler(beta)
        return {n: v for n, v in swept.items() if n not in ("bit_generator", "n_sweeps")} | cells

    def dense_grid(beta: Any, keeps_docs: bool) -> dict[str, Any]:
        cells = {
            "streams": [bits.capsule for bits in CELL_BITS[:2]],
            "workspace": _native.DenseGridWorkspace(),
            "doc_groups": docs.copy(),
            "word_groups": words.copy(),
            "group_beta_sum": np.full((2, 8), 0.2),
            "totals": np.zeros((2, 8), np.int32),
            "masses": np.full((2, 8), 0.5),
            "draw_masses": lambda: None,
            "keeps_docs": keeps_docs,
            "shuffles": True,
            "n_threads": 2,
        }
        swept = sampler(beta)
        return {n: v for n, v in swept.items() if n not in ("bit_generator", "n_sweeps")} | cells

    def cell() -> dict[str, Any]:
        """A cell of the last words, which have tokens of other shards too."""
        table = np.zeros((corpus.n_words, N_TOPICS), np.int32)
        np.add.at(table, (np.repeat(corpus.word_ids, corpus.counts), topics), 1)
        table[3] += 2
        words, listed = np.nonzero(table[2:])
        lists = {
            "first_word": 2,
            "list_offsets": np.searchsorted(words, np.arange(corpus.n_words - 1)),
            "list_topics": listed.astype(np.int32),
            "list_counts": table[2:][words, listed],
            "group_beta_sum": np.full(8, 0.3),
            "masses": np.full(8, 0.5),
            "max_block": 8,
            "one_by_one": 0.5,
            **sequential,
        }
        return {n: v for n, v in sampler(0.1).items() if n != "n_sweeps"} | lists

    def mixture_of(n_components: int | None) -> Arguments:
        n_slots = n_components or corpus.n_docs
        return {
            **entries,
            "beta": np.full(corpus.n_words, 0.1),
            "beta_sum": 0.5,
            "alpha": 1.5,
            "n_components": n_components or 0,
            "docs": np.array([0, 2, 1, 3], dtype=np.int32),
            "kind_offsets": np.array([0, 1, 3, 4]),
            "max_block": 4,
            "n_born": 2,
            "labels": np.array([0, 1, -1, 1], dtype=np.int32),
            "births": np.arange(n_slots),
            **generator,
        }

    calls = {
        "sweep_grid": grid(0.1, docs, words, None),
        "sweep_grid by word": grid(
            by_topic, words, docs, tuple(column.copy() for column in corpus.by_word())
        ),
        "sweep_grid of groups": grid(0.1, docs, words, None, groups_of_words()),
        "sweep_grid of groups by word": grid(
            by_topic,
            words,
            docs,
            tuple(column.copy() for column in corpus.by_word()),
            groups_of_words(),
        ),
        "sweep_cell": cell(),
        "Corpus": entries,
        "ByWord": {**entries, **columns},
        "Priors": priors_of(0.1),
        "Priors by word": priors_of(by_topic),
        "StartPriors": start_priors,
        "WordOrder": {
            **entries,
            "entries": order,
            "docs": columns["doc_ids"],
            "starts": columns["starts"],
        },
        "concentrations": {
            **entries,
            **columns,
            **priors_of(0.1),
            "first_word": 0,
            "topics": topics.copy(),
            "out": np.zeros((corpus.n_words, 8)),
        },
        "concentrations by word": {
            **entries,
            **columns,
            **priors_of(by_topic),
            "first_word": 2,
            "topics": topics.copy(),
            "out": np.zeros((corpus.n_words - 2, 8)),
        },
        "concentrations of counts": {
            **corpus_arguments,
            **columns,
            "first_word": 0,
            "topics": topics.copy(),
            "out": np.zeros((corpus.n_words, 8)),
        },
        "phi_rows": {
            "rows": rows(rng, corpus.n_words),
            "inverse_totals": np.ones(8),
            **priors_of(0.1),
            "sizes": np.full(corpus.n_words, 3, np.int32),
            "alpha_powers": np.zeros((corpus.n_words, 16)),
        },
        "given_phi": {
            **entries,
            "entries": order,
            "docs": columns["doc_ids"],
            "starts": columns["starts"],
            "phi": rows(rng, corpus.n_words),
            "alpha_powers": np.full((corpus.n_words, 16), 0.1),
            **priors_of(0.1),
            "max_block": 16,
            "on_lists": False,
            "topics": topics.copy(),
            **generator,
        },
        "augmented": {
            **entries,
            "theta": rows(rng, corpus.n_docs),
            "phi": rows(rng, corpus.n_words),
            "n_topics": N_TOPICS,
            "topics": topics.copy(),
            **generator,
        },
        "single_site": sampler(0.1, workspace=_native.DenseWorkspace()),
        "noted_cells": {"workspace": _native.DenseWorkspace()},
        "count_undecided": sampler(by_topic),
        "draw_token": {
            **priors_of(0.1),
            **{name: np.arange(N_TOPICS, dtype=np.int32) for name in ("n_d", "n_v", "n_k")},
            "old": 2,
            "u": 0.5,
            "bound_share": 1.0,
        },
        "draw_token_of_group": {
            **priors_of(0.1),
            **{name: np.arange(N_TOPICS, dtype=np.int32) for name in ("n_d", "n_v", "n_k")},
            "masses": np.full(N_TOPICS, 0.5),
            "old": 2,
            "u": 0.5,
            "bound_share": 1.0,
        },
        "draw_token_given_phi": {
            **priors_of(0.1),
            "n_d": np.arange(N_TOPICS, dtype=np.int32),
            "phi": np.full(N_TOPICS, 0.5),
            "old": 2,
            "u": 0.5,
            "bound_share": 1.0,
        },
        "sweep_dense_grid": dense_grid(0.1, True),
        "sweep_dense_grid by word": dense_grid(by_topic, False),
        "annealed": sampler(0.1, sixteenths=13),
        "annealed by word": sampler(by_topic, sixteenths=9),
        "backward": sampler(by_topic, **blocks),
        "nested": sampler(0.1, **blocks),
        "mixture": mixture_of(None),
        "mixture of a given number": mixture_of(3),
        "merge_split": {n: v for n, v in sampler(0.1).items() if n != "n_sweeps"},
        "elementary": {"x": 0.5},
        "sparse": sampler(0.1, workspace=_native.SparseWorkspace(), by_word=None, **tables),
        "sparse by word": sampler(
            by_topic,
            workspace=_native.SparseWorkspace(),
            by_word=tuple(column.copy() for column in corpus.by_word()),
            **tables,
        ),
        "hdp_blocks": {
            **entries,
            **slots(topics),
            "max_block": 8,
            "one_by_one": 0.5,
            **sequential,
            "moved_first": 1,
            "moved_every": 2,
            **generator,
        },
        "hdp_grid": {
            **entries,
            **slots(topics),
            "streams": [bits.capsule for bits in CELL_BITS],
            "row_groups": docs.copy(),
            "minor_groups": words.copy(),
            "colours": colours_of_cells(),
            "max_block": 8,
            "one_by_one": 0.5,
            "n_threads": 2,
        },
        "hdp_tables": {**entries, **slots(topics), "first": 0, "every": 2, **generator},
        "count_cells": {**corpus_arguments, "topics": topics.copy()},
        "topic_histograms": {**corpus_arguments, "topics": topics.copy()},
        "topic_sums": {
            **corpus_arguments,
            "draws": [topics.astype(np.uint8)],
            "weights": np.full((1, N_TOPICS), 0.1),
            "by_word": True,
        },
        "add_topic_sums": {
            **corpus_arguments,
            "draws": [topics.astype(np.uint8)] * 2,
            "weights": np.full((2, 1), 0.1),
            "by_word": False,
            "first": 1,
            "out": np.zeros((2, N_TOPICS)),
        },
        "sparse_cells": {
            **corpus_arguments,
            "topics": topics.copy(),
            "workspace": _native.SparseWorkspace(),
        },
        "variational_pass": {
            **entries,
            **start_priors,
            "order": np.array([3, 0]),
            "gains": np.ones(2, dtype=np.float32),
            "scales": np.ones(2, dtype=np.float32),
            "n_refine": 1,
            "n_vk": n_vk.copy(),
        },
        "variational_draw": {
            **entries,
            **start_priors,
            "n_refine": 1,
            "n_vk": n_vk.copy(),
            "topics": topics.copy(),
            **generator,
        },
        "fold_in": {
            **document,
            **alpha,
            "phi": phi,
            "n_sweeps": 3,
            "burn_in": 1,
            "most_states": 4,
            **generator,
            "theta": np.zeros((N_PHI, N_TOPICS)),
        },
        "left_to_right": {
            **document,
            **alpha,
            "phi": phi[0],
            "n_particles": 3,
            **generator,
            "products": np.ones(2),
            "n_small": np.zeros(2, dtype=np.int64),
        },
    }
    return {
        name: GoodCall(
            getattr(_native, function_of(name)),
            arguments,
            ASSEMBLIES.get(function_of(name), as_given),
        )
        for name, arguments in calls.items()
    }


def slots(topics: np.ndarray) -> Arguments:
    """Return topics in 24 slots, and a stick of which half is left."""
    n_slots = 24
    is_used = np.arange(n_slots) < N_TOPICS
    return {
        "topics": topics.copy(),
        "workspace": _native.SparseWorkspace(),
        "tau": np.where(is_used, 0.5 / N_TOPICS, 0.0),
        "numbers": np.where(is_used, np.arange(n_slots), -1),
        "levels": np.array([0.5, 2.0, 3.0]),
        "beta": np.linspace(0.1, 0.5, 5),
        "beta_sum": 1.5,
        "n_born": N_TOPICS,
    }


def rows(rng: np.random.Generator, n_rows: int) -> np.ndarray:
    """Return distributions over the topics, padded."""
    return pad_to_lanes(rng.dirichlet(np.ones(N_TOPICS), size=n_rows))
