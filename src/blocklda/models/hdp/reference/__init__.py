"""The sweeps in Python, which agree with the kernels to the bit."""
