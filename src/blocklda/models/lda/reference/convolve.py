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
    product = np.empty(left.shape)
    product[0] = left[0] * right[0]
    for c in range(1, len(left)):
        outer = left[0] * right[c]
        if c > 1:
            inner = right[1] * left[c - 1]
            for n in range(2, c):
                inner = inner + right[n] * left[c - n]
            outer = inner + outer
        product[c] = outer + left[c] * right[0]
    return product
