"""Plain-Python twins of the native kernels, to be read beside the paper.

A twin and its kernel draw the same uniforms in the same order and add in the same order, so both
end in the same state to the bit. Arithmetic that decides a draw is + − × ÷ (and sqrt) only, and
sums are written as running sums, because `numpy.sum` adds in an order of its own.
"""
