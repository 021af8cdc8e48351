"""What can be wrong with an argument of a native function; each must end in an exception."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from typing import Any

import numpy as np

from blocklda import Corpus, _native
from blocklda.models.lda.samplers.partially_collapsed.documents import cut_documents
from tests.native.good_calls import MATRIX, N_TOPICS

LARGEST = 2**31 - 1
WRONG_TOPICS = (-1, 5, 8, LARGEST, -LARGEST)
PRIORS = ("Priors", "Priors by word", "StartPriors")
CONCENTRATIONS = ("concentrations", "concentrations by word", "concentrations of counts")
HDP = ("hdp_blocks", "hdp_grid", "hdp_tables")

WRITTEN = {
    ("fold_in", "theta"),
    ("left_to_right", "products"),
    ("left_to_right", "n_small"),
    ("variational_pass", "n_vk"),
    ("add_topic_sums", "out"),
    ("concentrations", "out"),
    ("concentrations by word", "out"),
    ("concentrations of counts", "out"),
    *((name, array) for name in HDP for array in ("tau", "numbers", "levels")),
    *(
        (name, array)
        for name in ("mixture", "mixture of a given number")
        for array in ("labels", "births")
    ),
    *(("sweep_dense_grid" + form, "totals") for form in ("", " by word")),
    ("phi_rows", "rows"),
    ("phi_rows", "alpha_powers"),
}
"""Arrays that a function writes to; it writes to `topics`, too."""

SPOILED_ROWS = ("longer along axis 0", "shorter along axis 0", "empty along axis 0")
FINE_ALL_THE_SAME = {
    *((name, "beta", what) for name in PRIORS for what in SPOILED_ROWS),
    *((name, "out", what) for name in CONCENTRATIONS for what in SPOILED_ROWS[1:]),
    ("Corpus", "doc_offsets", "longer along axis 0"),
    *(("add_topic_sums", "out", what) for what in SPOILED_ROWS),
    *(
        (name, "doc_offsets", "longer along axis 0")
        for name in ("topic_sums", "add_topic_sums", "sparse_cells")
    ),
    *(("concentrations by word", "topics", f"an element {k}") for k in WRONG_TOPICS),
    ("given_phi", "alpha_powers", "longer along axis 1"),
    ("phi_rows", "alpha_powers", "shorter along axis 1"),
    *(("phi_rows", "beta", what) for what in SPOILED_ROWS),
    *(("given_phi", "beta", what) for what in SPOILED_ROWS),
    ("fold_in", "phi", "longer along axis 1"),
    ("left_to_right", "phi", "longer along axis 0"),
    ("single_site", "doc_offsets", "longer along axis 0"),
    ("count_undecided", "doc_offsets", "longer along axis 0"),
    ("annealed", "doc_offsets", "longer along axis 0"),
    ("annealed by word", "doc_offsets", "longer along axis 0"),
    ("backward", "doc_offsets", "longer along axis 0"),
    ("nested", "doc_offsets", "longer along axis 0"),
    ("merge_split", "doc_offsets", "longer along axis 0"),
    ("mixture", "kind_offsets", "longer along axis 0"),
    ("mixture of a given number", "kind_offsets", "longer along axis 0"),
    ("sparse", "doc_offsets", "longer along axis 0"),
    *((name, "doc_offsets", "longer along axis 0") for name in HDP),
    ("sweep_cell", "doc_offsets", "longer along axis 0"),
    ("count_cells", "doc_offsets", "longer along axis 0"),
    ("topic_histograms", "doc_offsets", "longer along axis 0"),
    ("variational_pass", "doc_offsets", "longer along axis 0"),
    ("variational_draw", "doc_offsets", "longer along axis 0"),
}
"""Words that no document has, documents that have no words, powers that no block needs, rows for a
part of the words and topics of the others, and priors of words before it is known how many there
are or who reads them."""

NO_WHOLE_NUMBERS = (None, 1.5, "3", 2**63, -(2**63) - 1, np.ones(2))
WRONG_NUMBERS = {
    "n_words": (-1, 0, 2, 2**31, 2**32, 2**32 + 5, 2**63 - 1),
    "n_topics": (-1, -3, 0, 1, 2**31, 2**32, 2**32 + 5, 2**63 - 1),
    "n_sweeps": (-1,),
    "max_block": (-1, 0),
    "sequential_block": (-1, 0),
    "sequential_from": (-1, 2**31, 2**62),
    "fft_from": (-1, 0, 1),
    "n_refine": (-1,),
    "sixteenths": (-1, 0, 17, 2**31, 2**62),
    "burn_in": (-1, 3, 2**62),
    "most_states": (-1, 2**31, 2**62),
    "n_components": (-1, 2, 2**31, 2**62),
    "n_born": (-1, 2**62),
    "n_particles": (-1, 0, 2**31, 2**62),
    "n_threads": (-1, 0),
    "first_word": (-1, 3, 2**31, 2**62),
    "first": (-1, 3, 2**31, 2**62),
    "every": (-1, 0),
    "moved_first": (-1, 3, 2**31, 2**62),
    "moved_every": (-1, 1),
    "by_word": (),
    "keeps_docs": (0, 1),
    "shuffles": (0, 1),
    "on_lists": (0, 1),
    "old": (-1, 0, 5, 8),
}
NO_PRIORS = (np.nan, -0.1, 0.0, -np.inf)
WRONG_ELEMENTS: dict[str, tuple[float, ...]] = {
    "doc_offsets": (-1, 1, LARGEST, 2**40),
    "word_ids": (-1, 5, LARGEST, -LARGEST),
    "words": (-1, 5, LARGEST, -LARGEST),
    "counts": (-1, 0, LARGEST, -LARGEST),
    "topics": WRONG_TOPICS,
    "order": (-1, 4, 2**32, -(2**40)),
    "alpha": NO_PRIORS,
    "beta": NO_PRIORS,
    "beta_sum": NO_PRIORS,
    "one_by_one": (np.nan, -0.1, 1.1, np.inf),
    "word_offsets": (-1, 1, LARGEST, 2**40),
    "entry_counts": (-1, 0, LARGEST, -LARGEST),
    "doc_ids": (-1, 1, LARGEST, -LARGEST),
    "starts": (-1, LARGEST, -LARGEST),
    "n_d": (-1, -LARGEST),
    "n_v": (-1, -LARGEST),
    "n_k": (-1, -LARGEST),
    "sizes": (-1, 17, LARGEST, -LARGEST),
    "entries": (-1, 1, LARGEST, -LARGEST),
    "docs": (-1, 1, LARGEST, -LARGEST),
    "labels": (-2, 4, LARGEST, -LARGEST),
    "kind_offsets": (-1, 1, LARGEST, 2**40),
    "row_groups": (-1, 1, LARGEST, 2**40),
    "minor_groups": (-1, 1, LARGEST, 2**40),
    "list_offsets": (-1, 1, LARGEST, 2**40),
    "doc_groups": (-1, 1, LARGEST, 2**40),
    "word_groups": (-1, 1, LARGEST, 2**40),
    "list_topics": (-1, 5, 8, LARGEST, -LARGEST),
    "list_counts": (-1, 0, LARGEST, -LARGEST),
    "group_beta_sum": (np.nan, -0.1, np.inf),
    "masses": (np.nan, -0.1, np.inf),
}
"""Put in the place of the first number, of which none of them is a good value."""


def spoiled(function: str, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield wrong values for an argument, each with what is wrong."""
    if isinstance(value, np.ndarray):
        yield from spoiled_numbers(function, name, value)
    elif isinstance(value, int):
        for number in (*NO_WHOLE_NUMBERS, *WRONG_NUMBERS[name]):
            yield repr(number), number
    elif name == "by_word":
        yield from spoiled_columns(value)
    elif name == "word_groups":
        yield from spoiled_groups(value)
    elif name == "colours":
        yield from spoiled_colours(value)
    else:
        yield "an object", object()
        yield from NO_OBJECTS[name]()


def spoiled_numbers(function: str, name: str, array: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Yield an array that is none, does not fit, or holds what it must not."""
    for what, wrong in spoiled_array(array):
        if (function, name, what) not in FINE_ALL_THE_SAME:
            yield what, wrong
    is_written = (function, name) in WRITTEN
    is_written |= name == "topics" and function not in CONCENTRATIONS
    if is_written:
        yield "read-only", read_only(array)
    for element in WRONG_ELEMENTS.get(name, ()):
        if (function, name, f"an element {element}") not in FINE_ALL_THE_SAME:
            yield f"an element {element}", with_element(array, 0, element)
    if name in ("alpha", "theta") and not is_written:
        yield "weight behind the last topic", with_element(array, 7, 0.1)


def spoiled_objects(function: str, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what is no object of the module, was never made, or does not fit the others."""
    if not type(value).__module__.endswith("_native"):
        return
    yield "an object", object()
    yield "an array", np.ones(3)
    yield "one that was never made", type(value).__new__(type(value))
    yield "a class", type(value)
    if (function, name) not in {("concentrations", "priors"), ("concentrations by word", "priors")}:
        yield "None", None
    if name in ("corpus", "rows", "by_word") and function not in ANY_TOKENS:
        yield "a corpus of more tokens", other_corpus(value, more_tokens=1)
    if name in ("corpus", "rows", "by_word") and function not in ANY_WORDS:
        yield "a corpus of more words", other_corpus(value, more_words=1)
    if name == "order":
        yield "that of an equal corpus", other_order()
    if name == "priors":
        if function in SIZED:
            yield "of more topics", other_priors(value, n_topics=21, n_rows=1)
        if function not in ALPHA:
            yield "of other words", other_priors(value, n_topics=N_TOPICS, n_rows=7)


MIXTURES = ("mixture", "mixture of a given number")

ANY_TOKENS = ("variational_pass", *MIXTURES)
"""Functions that take no array with a number for each token."""

ANY_WORDS = (
    *HDP,
    *(
        "count_cells",
        "topic_histograms",
        "WordOrder",
        "single_site",
        "annealed",
        "nested",
        "sparse",
        "sweep_cell",
    ),
    "merge_split",
    *("concentrations", "concentrations of counts"),
    *("topic_sums", "add_topic_sums", "sparse_cells"),
)
"""Functions to which a word more without tokens makes no difference."""

SIZED = ("phi_rows", "given_phi", "variational_pass", "variational_draw", *CONCENTRATIONS)
"""Functions that see the number of topics elsewhere, too."""

ALPHA = ("phi_rows", "given_phi")
"""Functions that do not read the priors of words."""


def other_corpus(like: Any, more_tokens: int = 0, more_words: int = 0) -> Any:
    matrix = np.hstack([MATRIX, np.zeros((len(MATRIX), more_words), dtype=int)])
    matrix[0, 0] += more_tokens
    corpus = Corpus.from_matrix(matrix)
    return corpus.native_by_word if isinstance(like, _native.ByWord) else corpus.native


def other_order() -> Any:
    (piece,) = cut_documents(Corpus.from_matrix(MATRIX))
    return piece.native[1]


def other_priors(like: Any, n_topics: int, n_rows: int) -> Any:
    is_start = isinstance(like, _native.StartPriors)
    kind, lanes, dtype = (type(like), 16, np.float32) if is_start else (type(like), 8, np.float64)
    padded = -(-n_topics // lanes) * lanes
    alpha = np.zeros(padded, dtype=dtype)
    alpha[:n_topics] = 0.1
    return kind(alpha, np.full((n_rows, padded), 0.1, dtype=dtype), np.ones(padded), n_topics)


def no_generators() -> Iterator[tuple[str, Any]]:
    yield "a generator", np.random.default_rng(1)
    yield "another capsule", datetime.datetime_CAPI  # type: ignore[attr-defined]
    yield "None", None


def no_workspaces() -> Iterator[tuple[str, Any]]:
    for kind in (_native.SparseWorkspace, _native.DenseWorkspace, _native.DenseGridWorkspace):
        yield f"a {kind.__name__} that was never made", kind.__new__(kind)
    yield "None", None


def no_streams() -> Iterator[tuple[str, Any]]:
    generators = [np.random.PCG64(number) for number in range(4)]
    streams = [generator.capsule for generator in generators]
    yield "None", None
    yield "none at all", []
    yield "too few", streams[:3]
    yield "too many", [*streams, np.random.PCG64(5).capsule]
    yield "one twice", [*streams[:3], streams[0]]
    yield "no capsules", generators
    for what, wrong in no_generators():
        yield f"one is {what}", [*streams[:3], wrong]


def no_shares() -> Iterator[tuple[str, Any]]:
    for number in (None, "0.5", np.nan, -0.1, 1.1, np.inf):
        yield repr(number), number


def no_positive_numbers() -> Iterator[tuple[str, Any]]:
    for number in (None, "0.5", np.nan, -0.1, 0.0, np.inf):
        yield repr(number), number


def no_convolutions() -> Iterator[tuple[str, Any]]:
    yield "no function", 3
    yield "a function that fails", fail


def no_draws() -> Iterator[tuple[str, Any]]:
    yield "None", None
    yield "no draws", []
    yield "too few topics", [np.zeros(3, dtype=np.uint8)]
    for dtype in (np.int8, np.int32, np.float64):
        yield f"{dtype.__name__}", [np.zeros(34, dtype=dtype)]
    yield "topics that are none", [np.full(34, N_TOPICS, dtype=np.uint8)]


NO_OBJECTS = {
    "draws": no_draws,
    "bit_generator": no_generators,
    "workspace": no_workspaces,
    "streams": no_streams,
    "draw_masses": no_convolutions,
    "one_by_one": no_shares,
    "x": no_positive_numbers,
    "u": no_shares,
    "bound_share": no_positive_numbers,
    "alpha": no_positive_numbers,
    "beta_sum": no_positive_numbers,
    "fft_convolve": no_convolutions,
}


def fail(*_: Any) -> None:
    raise RuntimeError("not today")


def spoiled_array(array: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Yield the same numbers in other types, shapes and places, and too many or too few."""
    for dtype in ("f4", "f8", "i2", "i4", "i8", "u4", "u8", "c16", "?", "O", "S8"):
        if np.dtype(dtype) != array.dtype:
            yield f"of type {dtype}", array.astype(dtype)
    yield "of the other byte order", array.astype(array.dtype.newbyteorder())
    yield "a list", array.tolist()
    yield "None", None
    yield "bytes", array.tobytes()
    yield "with one axis more", array[None]
    yield "with one axis less", array.ravel()[0] if array.ndim == 1 else array[0]
    yield "not contiguous", np.repeat(array, 2, axis=-1)[..., ::2]
    if len(array) > 1:
        yield "backwards", array[::-1].copy()[::-1]
    yield "one number again and again", np.broadcast_to(array.ravel()[0], array.shape)
    yield "not aligned", unaligned(array)
    for axis in range(array.ndim):
        before = [(int(i == axis), 0) for i in range(array.ndim)]
        yield f"longer along axis {axis}", np.pad(array, before, mode="edge")
        yield f"shorter along axis {axis}", np.delete(array, 0, axis)
        yield f"empty along axis {axis}", np.delete(array, slice(None), axis)


def spoiled_columns(columns: tuple[np.ndarray, ...] | None) -> Iterator[tuple[str, Any]]:
    """Yield a wrong corpus by word."""
    yield "an object", object()
    yield "an empty tuple", ()
    if columns is None:
        return
    yield "too few columns", columns[:3]
    for i, column in enumerate(columns):
        others = list(columns)
        for what, wrong in spoiled_array(column):
            others[i] = wrong
            yield f"column {i} {what}", tuple(others)
        for place in (0, len(column) - 1):
            for number in (-LARGEST, -1, int(column[place]) + 1, LARGEST):
                others[i] = with_element(column, place, number)
                yield f"column {i}, {number} at {place}", tuple(others)
        others[i] = column[::-1].copy()
        yield f"column {i} in another order", tuple(others)


def spoiled_groups(groups: tuple[Any, ...] | None) -> Iterator[tuple[str, Any]]:
    """Yield wrong groups of words: arrays, what they hold, and what draws the masses."""
    yield "an object", object()
    yield "an empty tuple", ()
    if groups is None:
        return
    *arrays, draw = groups
    yield "no function", (*arrays, 3)
    yield "a function that fails", (*arrays, fail)
    yield "nothing that draws", tuple(arrays)
    for i, array in enumerate(arrays):
        for what, wrong in [*spoiled_array(array), ("read-only", read_only(array))]:
            if i > 0 or what != "read-only":
                yield f"array {i} {what}", (*arrays[:i], wrong, *arrays[i + 1 :], draw)
    beta_sum, totals, masses = arrays
    for number in (np.nan, -0.1, np.inf, -np.inf):
        yield f"a sum of {number}", (with_element(beta_sum, 0, number), totals, masses, draw)
        wrong = with_element(masses, 0, number)
        yield f"a mass of {number}", (beta_sum, totals, wrong, draw)


def spoiled_colours(colours: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    """Yield wrong colours: arrays, what they hold, their γ, and what draws them."""
    yield "an object", object()
    yield "an empty tuple", ()
    *arrays, gamma, draw = colours
    yield "no function", (*arrays, gamma, 3)
    yield "a function that fails", (*arrays, gamma, fail)
    yield "nothing that draws", (*arrays, gamma)
    for number in (np.nan, 0.0, -1.0, np.inf, None, "1"):
        yield f"a gamma of {number}", (*arrays, number, draw)
    beta_sum = 3
    for i, array in enumerate(arrays):
        for what, wrong in [*spoiled_array(array), ("read-only", read_only(array))]:
            if i != beta_sum or what != "read-only":
                yield f"array {i} {what}", (*arrays[:i], wrong, *arrays[i + 1 :], gamma, draw)
    wrong_elements: dict[int, tuple[float, ...]] = {
        1: (-2, 2, LARGEST, -LARGEST),
        **dict.fromkeys((2, 3, 4), (np.nan, -0.1, np.inf, -np.inf)),
    }
    for i, numbers in wrong_elements.items():
        for number in numbers:
            wrong = with_element(arrays[i], 0, number)
            yield f"array {i} with {number}", (*arrays[:i], wrong, *arrays[i + 1 :], gamma, draw)
    free = with_element(arrays[1], -1, -1)
    yield "a free slot that is shared", (arrays[0], free, *arrays[2:], gamma, draw)


def with_element(array: np.ndarray, place: int, value: float) -> np.ndarray:
    changed = array.copy()
    changed.ravel()[place] = value
    return changed


def read_only(array: np.ndarray) -> np.ndarray:
    frozen = array.copy()
    frozen.setflags(write=False)
    return frozen


def unaligned(array: np.ndarray) -> np.ndarray:
    moved = np.zeros(array.nbytes + 1, dtype=np.uint8)[1:].view(array.dtype).reshape(array.shape)
    moved[...] = array
    return moved
