"""The border between Python and the kernels: what is wrong is refused, and nothing crashes."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import blocklda
from blocklda import _native
from blocklda.support.arrays import sealed
from tests.native.good_calls import N_TOPICS, GoodCall, function_of, good_calls

REPOSITORY = Path(__file__).resolve().parents[2]
CALLS = sorted(good_calls())


def in_a_process(what: str) -> subprocess.CompletedProcess[str]:
    """Make wrong calls where a crash does not end the tests."""
    return subprocess.run(
        [sys.executable, "-X", "faulthandler", "-m", "tests.native.spoiled_calls", what],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def is_by_word(call: GoodCall) -> bool:
    """Whether other counts would not fit the corpus by word that is given, too."""
    return call.arguments.get("by_word") is not None or "starts" in call.arguments


WITHOUT_ARGUMENTS = {"SparseWorkspace", "DenseWorkspace", "DenseGridWorkspace", "Rows"}


@pytest.mark.parametrize("function", CALLS)
def test_good_calls_are_good(function):
    result = good_calls()[function]()
    # Those return two topics; other pairs are of steps and the entry that failed.
    if (
        not function.startswith("draw_token")
        and isinstance(result, tuple)
        and isinstance(result[0], int)
    ):
        n_steps, failed_entry, *_ = result
        assert n_steps > 0
        assert failed_entry == -1


def test_every_function_has_a_good_call():
    settings = {"instruction_sets", "use_instruction_set", "active_instruction_set", "kernels"}
    functions = {name for name in dir(_native) if callable(getattr(_native, name))}
    called = {function_of(name) for name in CALLS}
    assert functions - settings - WITHOUT_ARGUMENTS == called


def test_one_wrong_argument_is_refused():
    answer = in_a_process("one")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == ""
    n_calls = int(answer.stderr.split()[-2])
    assert n_calls > 7000


def test_numbers_changed_at_random_harm_nothing():
    answer = in_a_process("some")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == ""


def test_arguments_changed_in_any_way_harm_nothing(tmp_path):
    """`python -m torture.border` makes a million such calls, under the sanitizers."""
    done = subprocess.run(
        [sys.executable, "-m", "torture.border", "--quick", "--plain", "--out", str(tmp_path)],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2,000 calls" in done.stdout


@pytest.mark.parametrize("on_lists", [False, True])
def test_a_negative_phi_leaves_no_topic_behind_the_last_one(on_lists):
    call = good_calls()["given_phi"]
    phi = call.arguments["phi"].copy()
    phi[4, 1] = -1.0
    topics = call.arguments["topics"]
    for _ in range(100):
        try:
            call(phi=phi, topics=topics, on_lists=on_lists)
        except ValueError:  # blocks on lists may reach behind the last topic, which is refused
            break
        assert topics.max() < N_TOPICS


@pytest.mark.parametrize(
    "function", [name for name in CALLS if "counts" in good_calls()[name].arguments]
)
def test_more_tokens_than_can_be_counted_are_refused(function):
    call = good_calls()[function]
    counts = call.arguments["counts"].copy()
    counts[0] = 2**31 - 1
    with pytest.raises(ValueError, match=r"at most 2\^31 - 1 tokens"):
        call(counts=counts)


@pytest.mark.parametrize(
    "function",
    [
        name
        for name in CALLS
        if {"topics", "counts"} <= good_calls()[name].arguments.keys()
        and not is_by_word(good_calls()[name])
    ],
)
def test_as_many_tokens_as_can_be_counted_only_lack_topics(function):
    call = good_calls()[function]
    counts = call.arguments["counts"].copy()
    counts[0] = 2**31 - 1 - counts[1:].sum()
    with pytest.raises(ValueError, match="one topic per token"):
        call(counts=counts)


def test_no_words_at_all_are_taken():
    """Nothing of a word prior without rows is read."""
    call = good_calls()["single_site"]
    nothing = np.zeros(0, dtype=np.int32)
    result = call(
        doc_offsets=np.zeros(3, dtype=np.int64),
        word_ids=nothing,
        counts=nothing,
        n_words=0,
        beta=np.zeros((0, 8)),
        topics=nothing.copy(),
    )
    assert result == (0, -1)


@pytest.mark.parametrize("few_topics", [True, False])
def test_what_lies_behind_a_prior_is_not_read(few_topics):
    """Lists are padded with a topic that no row has; its weight is 0 and not what memory holds."""
    n_topics = 5 if few_topics else 21
    padded = -(-n_topics // 8) * 8
    memory = np.full(padded + 8, np.nan)
    memory[:padded] = 0.0
    memory[:n_topics] = np.linspace(0.1, 0.5, n_topics)
    behind_zeros = np.concatenate([memory[:padded], np.zeros(8)])
    ends = []
    for alpha in (sealed(memory)[:padded], sealed(behind_zeros)[:padded]):  # not copied
        call = good_calls()["sparse by word"]
        topics = call.arguments["topics"]
        result = call(
            alpha=alpha,
            beta=np.full((1, padded), 0.1),
            beta_sum=np.full(padded, 0.5),
            n_topics=n_topics,
            bit_generator=(bits := np.random.PCG64(3)).capsule,
            one_by_one=np.zeros(2),
        )
        assert result[1] == -1
        ends.append((result, topics.tolist(), bits.random_raw()))
    assert ends[0] == ends[1]


def fresh_end(changed: dict[str, np.ndarray], seed: int) -> list[int]:
    """Return where a sparse sweep ends that has no tables to start with."""
    call = good_calls()["sparse"]
    topics = changed["topics"].copy()
    bits = np.random.PCG64(seed)
    call(**{**changed, "topics": topics, "bit_generator": bits.capsule})
    return topics.tolist()


@pytest.mark.parametrize("is_sealed", [False, True])
def test_what_was_checked_cannot_be_changed(is_sealed):
    """Of arrays that may be changed there is a copy; Python's corpora have none that may."""
    call = good_calls()["single_site"]
    names = ("doc_offsets", "word_ids", "counts", "alpha", "beta", "beta_sum")
    if is_sealed:
        call.arguments.update({name: sealed(call.arguments[name]) for name in names})
    assembled = call.assembled()
    for name in names:
        array = call.arguments[name]
        if is_sealed:
            with pytest.raises(ValueError, match="WRITEABLE"):
                array.setflags(write=True)
        else:
            array[:] = -(2**31)
    topics, bits = assembled["topics"], np.random.PCG64(6)
    _native.single_site(**{**assembled, "bit_generator": bits.capsule})
    good, bits = good_calls()["single_site"], np.random.PCG64(6)
    good(bit_generator=bits.capsule)
    assert topics.tolist() == good.arguments["topics"].tolist()


def frozen_view_of_a_writable_array(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    view = array.view()
    view.setflags(write=False)
    return view, array


def memoryview_of_a_writable_array(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.asarray(memoryview(array).toreadonly()), array


def frozen_owner(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    array.setflags(write=False)
    return array, array


def buffer(array: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    memory = bytearray(array.tobytes())
    kept = np.frombuffer(memory, dtype=array.dtype)
    writable = np.frombuffer(memory, dtype=array.dtype)
    kept.setflags(write=False)
    return kept, writable


@pytest.mark.parametrize(
    "hidden",
    [frozen_view_of_a_writable_array, memoryview_of_a_writable_array, frozen_owner, buffer],
)
def test_read_only_arrays_that_others_can_write_to_are_copied(hidden):
    call = good_calls()["count_cells"]
    word_ids, writable = hidden(call.arguments["word_ids"])
    assert not word_ids.flags.writeable
    assembled = call.assembled(word_ids=word_ids)
    writable.setflags(write=True)
    writable[:] = 2**31 - 1
    cells = _native.count_cells(**assembled)
    for found, expected in zip(cells, good_calls()["count_cells"](), strict=True):
        assert found.tolist() == expected.tolist()


def test_sealed_arrays_are_not_copied():
    """Whoever keeps an array itself holds a reference to it."""
    corpus = blocklda.Corpus.from_matrix(np.eye(3, dtype=int))
    arrays = (corpus.doc_offsets, corpus.word_ids, corpus.counts)
    writable = [array.copy() for array in arrays]
    columns = corpus.by_word()
    before = [sys.getrefcount(array) for array in (*arrays, *columns, *writable)]
    handles = [corpus.native, corpus.native_by_word, _native.Corpus(*writable, corpus.n_words)]
    after = [sys.getrefcount(array) for array in (*arrays, *columns, *writable)]
    are_kept = [n > m for n, m in zip(after, before, strict=True)]
    assert are_kept == [True] * 7 + [False] * 3
    del handles


def test_handles_are_made_again_in_copies():
    chain = blocklda.Chain(np.eye(3, dtype=int), 2, sampler="sparse")
    chain.sweep()
    for copied in (
        copy.deepcopy((chain.corpus, chain.priors)),
        pickle.loads(pickle.dumps((chain.corpus, chain.priors), protocol=5)),  # noqa: S301
        pickle.loads(pickle.dumps((chain.corpus, chain.priors), protocol=2)),  # noqa: S301
    ):
        corpus, priors = copied
        other = blocklda.Chain(corpus, 2, sampler="sparse")
        other.state.priors = priors
        other.sweep()
        assert np.array_equal(other.assignments(), chain.assignments())
        with pytest.raises(ValueError, match="WRITEABLE"):
            corpus.counts.setflags(write=True)


def test_an_object_is_made_once():
    """Made again, it would change under a kernel that is at work."""
    call = good_calls()["Corpus"]
    corpus = call()
    with pytest.warns(RuntimeWarning, match="already-initialized"), pytest.raises(TypeError):
        corpus.__init__(**call.arguments)


@pytest.mark.parametrize("name", ["word_ids", "counts", "doc_offsets"])
def test_kept_tables_are_not_used_for_another_corpus(name):
    """Of the same sizes, with the same topics."""
    call = good_calls()["sparse"]
    arguments = call.arguments
    arguments["n_topics"] = 40
    arguments.update(alpha=np.full(40, 0.1), beta=np.full((1, 40), 0.1), beta_sum=np.full(40, 0.5))
    assert call()[1] == -1
    if name == "doc_offsets":
        arguments[name][1:3] += 1
    else:
        arguments[name][:] = arguments[name][::-1].copy()
    changed = {n: v for n, v in arguments.items() if n not in ("workspace", "bit_generator")}
    expected = fresh_end(changed, seed=4)
    bits = np.random.PCG64(4)
    call(bit_generator=bits.capsule)
    assert arguments["topics"].tolist() == expected


def test_one_workspace_serves_one_thread_at_a_time():
    sweeping = good_calls()["sparse"]
    many = 30_000
    ended = threading.Event()

    def sweep() -> None:
        while not ended.is_set():
            try:
                sweeping(n_sweeps=many, one_by_one=np.zeros(many))
            except ValueError:  # the other thread was there first
                continue
            ended.set()

    other = good_calls()["sparse"].arguments
    other.update(workspace=sweeping.arguments["workspace"], n_sweeps=0, one_by_one=np.zeros(0))
    thread = threading.Thread(target=sweep)
    thread.start()
    refusals = set()
    while not ended.is_set() and not refusals:
        time.sleep(0.01)  # or this thread is the one that has the workspace, again and again
        try:
            sweeping(**other)
        except ValueError as error:
            refusals.add(str(error))
    ended.set()
    thread.join()
    assert refusals == {"the workspace is in use in another thread"}
    assert set(sweeping.arguments["topics"].tolist()) <= set(range(N_TOPICS))
