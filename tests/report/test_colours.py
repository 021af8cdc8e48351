"""The colours of the style sheet can be read, and told apart by the colour-blind."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import combinations

import numpy as np
import pytest

STYLE = (files("blocklda.report") / "page" / "style.css").read_text(encoding="utf-8")
COLOURS = {
    name: dict(zip(("light", "dark"), pair, strict=True))
    for name, *pair in re.findall(r"--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)", STYLE)
}
THEMES = ("light", "dark")
MARKS = [f"mark-{i}" for i in range(1, 7)]

SEEN = {
    "all cones": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
"""What becomes of linear RGB: Machado, Oliveira and Fernandes (2009), severity 1."""


def linear(name: str, theme: str) -> np.ndarray:
    text = COLOURS[name][theme]
    value = np.array([int(text[i : i + 2], 16) / 255 for i in (1, 3, 5)])
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str, theme: str) -> float:
    """Return the ratio that WCAG 2 defines."""
    levels = [linear(name, theme) @ [0.2126, 0.7152, 0.0722] + 0.05 for name in (one, other)]
    return max(levels) / min(levels)


def lab(colour: np.ndarray) -> np.ndarray:
    xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.cbrt(np.clip(xyz @ colour / [0.9505, 1, 1.089], 1e-6, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_whatever_it_stands(theme):
    for name in ("text", "quiet", "accent"):
        for ground in ("page", "panel", "faint"):
            assert contrast(name, ground, theme) >= 4.5, (name, ground)
    for mark in MARKS:
        assert contrast("text", mark, theme) >= 4.5, mark


@pytest.mark.parametrize("theme", THEMES)
def test_edges_bars_and_lines_can_be_seen(theme):
    for name in ("line", "bar", "disc", *(f"series-{i}" for i in range(1, 7))):
        assert contrast(name, "panel", theme) >= 3, name


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("eyes", SEEN)
def test_marks_are_told_apart(theme, eyes):
    seen = {
        name: lab(np.clip(SEEN[eyes] @ linear(name, theme), 0, 1)) for name in [*MARKS, "panel"]
    }
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) > 18, (one, other)
