"""The partially collapsed sampler: φ drawn once a sweep, then documents, each by itself.

    z  →  n_vk  →  φ_k ~ Dirichlet(n_·k + β)  →  every document given φ  →  z

`pieces` cuts the words and the documents, and each piece has its own random stream
(`sweep_streams`), so that a sweep has the same result with one thread, several,
or several machines. `phi` draws φ from the counts of words, `documents` sweeps documents given φ.
"""
