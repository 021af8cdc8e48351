from collections.abc import Callable
from typing import Any, final

from blocklda.support.arrays import Float32s, Floats, Int32s, Ints

class Rows: ...

@final
class Corpus(Rows):
    def __init__(
        self, doc_offsets: Ints, word_ids: Int32s, counts: Int32s, n_words: int
    ) -> None: ...

@final
class ByWord(Rows):
    def __init__(
        self,
        corpus: Corpus,
        word_offsets: Ints,
        doc_ids: Int32s,
        counts: Int32s,
        starts: Int32s,
    ) -> None: ...

@final
class WordOrder:
    def __init__(self, corpus: Corpus, entries: Int32s, docs: Int32s, starts: Int32s) -> None: ...

@final
class Priors:
    def __init__(self, alpha: Floats, beta: Floats, beta_sum: Floats, n_topics: int) -> None: ...

@final
class StartPriors:
    def __init__(
        self, alpha: Float32s, beta: Float32s, beta_sum: Floats, n_topics: int
    ) -> None: ...

class SparseWorkspace:
    def __init__(self) -> None: ...

class DenseWorkspace:
    def __init__(self) -> None: ...

class DenseGridWorkspace:
    def __init__(self) -> None: ...

def augmented(
    corpus: Corpus,
    theta: Floats,
    phi: Floats,
    n_topics: int,
    topics: Int32s,
    bit_generator: Any,
) -> tuple[int, int]: ...
def single_site(
    corpus: Corpus,
    priors: Priors,
    topics: Int32s,
    bit_generator: Any,
    n_sweeps: int,
    workspace: DenseWorkspace,
    shuffles: bool = True,
    notes_cells: bool = False,
) -> tuple[int, int]: ...
def noted_cells(workspace: DenseWorkspace) -> tuple[Ints, Ints, Ints, Ints, Ints] | None: ...
def count_undecided(
    corpus: Corpus, priors: Priors, topics: Int32s, bit_generator: Any, n_sweeps: int
) -> int: ...
def draw_token(
    priors: Priors,
    n_d: Int32s,
    n_v: Int32s,
    n_k: Int32s,
    old: int,
    u: float,
    bound_share: float,
) -> tuple[int, int]: ...
def sweep_dense_grid(
    corpus: Corpus,
    priors: Priors,
    topics: Int32s,
    streams: list[Any],
    workspace: DenseGridWorkspace,
    doc_groups: Ints,
    word_groups: Ints,
    group_beta_sum: Floats,
    totals: Int32s,
    masses: Floats,
    draw_masses: Callable[[], None],
    keeps_docs: bool,
    shuffles: bool,
    n_threads: int,
) -> tuple[int, int]: ...
def draw_token_of_group(
    priors: Priors,
    n_d: Int32s,
    n_v: Int32s,
    n_k: Int32s,
    masses: Floats,
    old: int,
    u: float,
    bound_share: float,
) -> tuple[int, int]: ...
def annealed(
    corpus: Corpus,
    priors: Priors,
    topics: Int32s,
    bit_generator: Any,
    n_sweeps: int,
    sixteenths: int,
) -> tuple[int, int]: ...
def backward(
    corpus: Corpus,
    priors: Priors,
    topics: Int32s,
    bit_generator: Any,
    n_sweeps: int,
    max_block: int,
    fft_from: int,
    fft_convolve: Callable[[Floats, Floats, Floats], None],
) -> tuple[int, int]: ...
def nested(
    corpus: Corpus,
    priors: Priors,
    topics: Int32s,
    bit_generator: Any,
    n_sweeps: int,
    max_block: int,
    fft_from: int,
    fft_convolve: Callable[[Floats, Floats, Floats], None],
) -> tuple[int, int]: ...
def sparse(
    rows: Rows,
    priors: Priors,
    topics: Int32s,
    bit_generator: Any,
    n_sweeps: int,
    workspace: SparseWorkspace,
    max_block: int,
    one_by_one: Floats,
    sequential_block: int,
    sequential_from: int,
    notes_cells: bool = False,
) -> tuple[int, int]: ...
def sparse_cells(
    rows: Rows, n_topics: int, topics: Int32s, workspace: SparseWorkspace
) -> tuple[Ints, Ints, Ints, Ints, Ints] | None: ...
def sweep_grid(
    rows: Rows,
    priors: Priors,
    topics: Int32s,
    streams: list[Any],
    workspace: SparseWorkspace,
    row_groups: Ints,
    minor_groups: Ints,
    word_groups: tuple[Floats, Int32s, Floats, Callable[[], None]] | None,
    max_block: int,
    one_by_one: float,
    sequential_block: int,
    sequential_from: int,
    n_threads: int,
) -> tuple[int, int]: ...
def sweep_cell(
    corpus: Corpus,
    priors: Priors,
    topics: Int32s,
    bit_generator: Any,
    first_word: int,
    list_offsets: Ints,
    list_topics: Int32s,
    list_counts: Int32s,
    group_beta_sum: Floats,
    masses: Floats,
    max_block: int,
    one_by_one: float,
    sequential_block: int,
    sequential_from: int,
) -> tuple[int, int, Ints, Int32s, Int32s]: ...
def count_cells(
    corpus: Corpus, n_topics: int, topics: Int32s
) -> tuple[Ints, Ints, Ints, Ints, Ints]: ...
def topic_histograms(corpus: Corpus, n_topics: int, topics: Int32s) -> tuple[Ints, Ints]: ...
def topic_sums(
    corpus: Corpus,
    n_topics: int,
    draws: list[Any],
    weights: Floats,
    by_word: bool,
) -> tuple[Ints, Int32s, Floats]: ...
def add_topic_sums(
    corpus: Corpus,
    n_topics: int,
    draws: list[Any],
    weights: Floats,
    by_word: bool,
    first: int,
    out: Floats,
) -> None: ...
def concentrations(
    by_word: ByWord,
    first_word: int,
    topics: Int32s,
    priors: Priors | None,
    n_topics: int,
    out: Floats,
) -> None: ...
def phi_rows(
    rows: Floats, inverse_totals: Floats, priors: Priors, sizes: Int32s, alpha_powers: Floats
) -> None: ...
def hdp_blocks(
    corpus: Corpus,
    topics: Int32s,
    bit_generator: Any,
    workspace: SparseWorkspace,
    tau: Floats,
    numbers: Ints,
    levels: Floats,
    beta: Floats,
    beta_sum: float,
    n_born: int,
    max_block: int,
    one_by_one: float,
    sequential_block: int,
    sequential_from: int,
    moved_first: int,
    moved_every: int,
) -> tuple[int, int, int, bool]: ...
def hdp_grid(
    corpus: Corpus,
    topics: Int32s,
    streams: list[Any],
    workspace: SparseWorkspace,
    tau: Floats,
    numbers: Ints,
    levels: Floats,
    beta: Floats,
    beta_sum: float,
    n_born: int,
    row_groups: Ints,
    minor_groups: Ints,
    colours: tuple[Int32s, Int32s, Floats, Floats, Floats, float, Callable[[], None]],
    max_block: int,
    one_by_one: float,
    n_threads: int,
) -> tuple[int, int, int, bool]: ...
def hdp_tables(
    corpus: Corpus,
    topics: Int32s,
    bit_generator: Any,
    workspace: SparseWorkspace,
    tau: Floats,
    numbers: Ints,
    levels: Floats,
    beta: Floats,
    beta_sum: float,
    n_born: int,
    first: int,
    every: int,
) -> tuple[int, int, int, bool]: ...
def given_phi(
    corpus: Corpus,
    order: WordOrder,
    phi: Floats,
    alpha_powers: Floats,
    priors: Priors,
    max_block: int,
    on_lists: bool,
    topics: Int32s,
    bit_generator: Any,
) -> tuple[int, int]: ...
def draw_token_given_phi(
    priors: Priors, n_d: Int32s, phi: Floats, old: int, u: float, bound_share: float
) -> tuple[int, int]: ...
def mixture(
    corpus: Corpus,
    beta: Floats,
    beta_sum: float,
    alpha: float,
    n_components: int,
    docs: Int32s,
    kind_offsets: Ints,
    max_block: int,
    n_born: int,
    labels: Int32s,
    births: Ints,
    bit_generator: Any,
) -> tuple[int, int, int]: ...
def merge_split(
    corpus: Corpus, priors: Priors, topics: Int32s, bit_generator: Any
) -> tuple[int, int, bool, float]: ...
def elementary(x: float) -> tuple[float, float, float]: ...
def variational_pass(
    corpus: Corpus,
    priors: StartPriors,
    order: Ints,
    gains: Float32s,
    scales: Float32s,
    n_refine: int,
    n_vk: Float32s,
) -> None: ...
def variational_draw(
    corpus: Corpus,
    priors: StartPriors,
    n_refine: int,
    n_vk: Float32s,
    topics: Int32s,
    bit_generator: Any,
) -> tuple[int, int]: ...
def fold_in(
    words: Int32s,
    counts: Int32s,
    phi: Floats,
    alpha: Floats,
    n_topics: int,
    n_sweeps: int,
    burn_in: int,
    most_states: int,
    bit_generator: Any,
    theta: Floats,
) -> tuple[int, int]: ...
def left_to_right(
    words: Int32s,
    counts: Int32s,
    phi: Floats,
    alpha: Floats,
    n_topics: int,
    n_particles: int,
    bit_generator: Any,
    products: Floats,
    n_small: Ints,
) -> tuple[int, int]: ...
def kernels() -> dict[str, str]: ...
def instruction_sets() -> list[str]: ...
def use_instruction_set(name: str) -> None: ...
def active_instruction_set() -> str: ...
