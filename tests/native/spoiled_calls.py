"""Calls native functions with arguments that are wrong; run in a process that may crash.

`python -m tests.native.spoiled_calls one` spoils one argument at a time and prints what was not
refused; `... some` changes numbers at random and prints what was harmed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.good_calls import N_TOPICS, good_calls
from tests.native.invented import REPEATABLE
from tests.native.spoils import spoiled, spoiled_objects

REFUSALS = (TypeError, ValueError, MemoryError, RuntimeError)

NUMBERS = (-(2**31), -1, 0, 1, 2, 3, 4, 5, 7, 8, 63, 2**31 - 1)
FLOATS = (np.nan, np.inf, -np.inf, -1.0, 0.0, 5e-324, 1e-300, 1e-10, 0.5, 1.0, 1e6, 1e300)


def spoil_one() -> int:
    """Spoil every argument of every function in every way; return how many calls there were."""
    n_calls = 0
    for function, call, name, what, wrong in wrong_calls():
        n_calls += 1
        try:
            call(**{name: wrong})
        except REFUSALS:
            continue
        sys.stdout.write(f"{function} took a {name} that is wrong: {what}\n")
    return n_calls


def wrong_calls() -> Iterator[tuple[str, Callable[..., Any], str, str, Any]]:
    """Yield wrong arrays and numbers, of which objects are made, and wrong objects."""
    for function, call in good_calls().items():
        for name, value in call.arguments.items():
            for what, wrong in spoiled(function, name, value):
                yield function, call, name, what, wrong
        assembled = call.assembled()
        for name, value in assembled.items():
            for what, wrong in spoiled_objects(function, name, value):
                yield function, partial(call.function, **assembled), name, what, wrong


WITH_ARRAYS = sorted(
    name
    for name, call in good_calls().items()
    if any(isinstance(value, np.ndarray) for value in call.arguments.values())
)


@settings(REPEATABLE, max_examples=250)
@given(st.sampled_from(WITH_ARRAYS), st.data())
def change_some(function: str, data: st.DataObject) -> None:
    """Change some numbers of some arrays: a call may end well or not, but it must end."""
    call = good_calls()[function]
    arrays = {n: v for n, v in call.arguments.items() if isinstance(v, np.ndarray)}
    names = data.draw(st.lists(st.sampled_from(sorted(arrays)), min_size=1, max_size=3))
    for name in names:
        array = arrays[name].copy()
        places = data.draw(st.lists(st.integers(0, array.size - 1), min_size=1, max_size=4))
        choices = FLOATS if array.dtype.kind == "f" else NUMBERS
        if name == "counts" and "words" in call.arguments:
            choices = NUMBERS[:-1]  # two thousand million tokens would be drawn
        for place in places:
            with np.errstate(over="ignore"):
                array.ravel()[place] = np.array(data.draw(st.sampled_from(choices)))
        arrays[name] = array
    try:
        call(**arrays)
    except REFUSALS:
        return
    topics = arrays.get("topics", np.zeros(1))
    n_topics = len(arrays["tau"]) if "tau" in arrays else N_TOPICS  # slots, of models with births
    if topics.min() < 0 or topics.max() >= n_topics:
        sys.stdout.write(f"{function} with {names} changed left what is no topic: {topics}\n")


if __name__ == "__main__":
    if sys.argv[1] == "one":
        sys.stderr.write(f"{spoil_one()} calls\n")
    else:
        change_some()
