"""Equations between dollar signs as MathML, which browsers show without a script."""

from __future__ import annotations

import re

from latex2mathml.converter import convert

_CODE = re.compile(r"^(`{3,})[^\n]*\n.*?^\1[ ]*$|`[^`\n]+`", re.M | re.S)
_DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.S)
_INLINE = re.compile(r"(?<![\w$\\])\$(?!\s)([^$\n]+?)(?<!\s)\$(?![\w$])")


def with_mathml(markdown: str) -> str:
    """Return a page whose `$$…$$` and `$…$` are MathML; code is left alone."""
    parts, end = [], 0
    for code in _CODE.finditer(markdown):
        parts += [_converted(markdown[end : code.start()]), code[0]]
        end = code.end()
    return "".join([*parts, _converted(markdown[end:])])


def _converted(text: str) -> str:
    text = _DISPLAY.sub(lambda found: _mathml(found[1], "block"), text)
    return _INLINE.sub(lambda found: _mathml(found[1], "inline"), text)


def _mathml(latex: str, display: str) -> str:
    """Return an equation; one in a sentence stands in a span, or it would begin a new paragraph."""
    math = convert(" ".join(latex.split()), display=display).replace("\n", "")
    return math if display == "block" else f"<span>{math}</span>"
