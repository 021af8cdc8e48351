from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

_Ints = NDArray[np.int32]
_Offsets = NDArray[np.int64]
_Floats = NDArray[np.float64]
_Singles = NDArray[np.float32]

def augmented(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    theta: _Floats,
    phi: _Floats,
    n_topics: int,
    topics: _Ints,
    bit_generator: Any,
) -> tuple[int, int]: ...
def single_site(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    alpha: _Floats,
    beta: _Floats,
    beta_sum: _Floats,
    n_topics: int,
    topics: _Ints,
    bit_generator: Any,
    n_sweeps: int,
) -> tuple[int, int]: ...
def backward(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    alpha: _Floats,
    beta: _Floats,
    beta_sum: _Floats,
    n_topics: int,
    topics: _Ints,
    bit_generator: Any,
    n_sweeps: int,
    max_block: int,
    fft_from: int,
    fft_convolve: Callable[[_Floats, _Floats, _Floats], None],
) -> tuple[int, int]: ...
def nested(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    alpha: _Floats,
    beta: _Floats,
    beta_sum: _Floats,
    n_topics: int,
    topics: _Ints,
    bit_generator: Any,
    n_sweeps: int,
    max_block: int,
    fft_from: int,
    fft_convolve: Callable[[_Floats, _Floats, _Floats], None],
) -> tuple[int, int]: ...

class SparseWorkspace:
    def __init__(self) -> None: ...

def sparse(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    alpha: _Floats,
    beta: _Floats,
    beta_sum: _Floats,
    n_topics: int,
    topics: _Ints,
    bit_generator: Any,
    n_sweeps: int,
    workspace: SparseWorkspace,
    by_word: tuple[_Offsets, _Ints, _Ints, _Ints] | None,
    max_block: int,
    one_by_one: _Floats,
) -> tuple[int, int]: ...
def sweep_grid(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    alpha: _Floats,
    beta: _Floats,
    beta_sum: _Floats,
    n_topics: int,
    topics: _Ints,
    streams: list[Any],
    workspace: SparseWorkspace,
    by_word: tuple[_Offsets, _Ints, _Ints, _Ints] | None,
    row_groups: _Offsets,
    minor_groups: _Offsets,
    word_groups: tuple[_Floats, _Ints, _Floats, Callable[[], None]] | None,
    max_block: int,
    one_by_one: float,
    n_threads: int,
) -> tuple[int, int]: ...
def occupancy(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    n_topics: int,
    topics: _Ints,
) -> tuple[_Offsets, _Offsets, _Offsets]: ...
def topic_histograms(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    n_words: int,
    n_topics: int,
    topics: _Ints,
) -> tuple[_Offsets, _Offsets]: ...
def variational_pass(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    alpha: _Singles,
    beta: _Singles,
    beta_sum: _Floats,
    n_topics: int,
    order: _Offsets,
    gains: _Singles,
    scales: _Singles,
    n_refine: int,
    n_vk: _Singles,
) -> None: ...
def variational_draw(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    alpha: _Singles,
    beta: _Singles,
    beta_sum: _Floats,
    n_topics: int,
    n_refine: int,
    n_vk: _Singles,
    topics: _Ints,
    bit_generator: Any,
) -> tuple[int, int]: ...
def concentrations(
    word_offsets: _Offsets,
    entry_counts: _Ints,
    starts: _Ints,
    token_topics: _Ints,
    beta: _Floats,
    n_topics: int,
    out: _Floats,
) -> None: ...
def phi_rows(
    rows: _Floats,
    inverse_totals: _Floats,
    alpha: _Floats,
    n_topics: int,
    sizes: _Ints,
    alpha_powers: _Floats,
) -> None: ...
def given_phi(
    doc_offsets: _Offsets,
    word_ids: _Ints,
    counts: _Ints,
    entries: _Ints,
    docs: _Ints,
    starts: _Ints,
    phi: _Floats,
    alpha_powers: _Floats,
    alpha: _Floats,
    n_topics: int,
    max_block: int,
    topics: _Ints,
    bit_generator: Any,
) -> tuple[int, int]: ...
def fold_in(
    words: _Ints,
    counts: _Ints,
    phi: _Floats,
    alpha: _Floats,
    n_topics: int,
    n_sweeps: int,
    burn_in: int,
    bit_generator: Any,
    theta: _Floats,
) -> tuple[int, int]: ...
def left_to_right(
    words: _Ints,
    counts: _Ints,
    phi: _Floats,
    alpha: _Floats,
    n_topics: int,
    n_particles: int,
    bit_generator: Any,
    products: _Floats,
    n_small: _Offsets,
) -> tuple[int, int]: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
def active_instruction_set() -> str: ...
