"""The product of polynomials, column by column."""

from __future__ import annotations

import numpy as np

from blocklda.models.lda.samplers.convolution import fft_convolve
from blocklda.support.arrays import Floats

__all__ = ["convolve"]


def convolve(left: Floats, right: Floats, by_fft: bool) -> Floats:
    """Return h(c) = Σ_n right(n) left(c − n) for c = 0..C; arrays are (C + 1, columns).

    The inner terms right(n) left(c − n) come first, in order of n, then left(0) right(c), then
    left(c) right(0).
    """
    if by_fft:
        product = np.empty(left.T.shape)
        fft_convolve(np.ascontiguousarray(left.T), np.ascontiguousarray(right.T), product)
        return product.T
    outer: Floats = left[0] * right
    if len(left) > 2:
        # All c at once: each sum still gets its terms in order of n.
        inner = right[1] * left[1:-1]
        for n in range(2, len(left) - 1):
            inner[n - 1 :] += right[n] * left[1:-n]
        outer[2:] = inner + outer[2:]
    outer[1:] += left[1:] * right[0]
    return outer
