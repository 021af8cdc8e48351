"""The sampler in readable Python: the twin of the kernel in native/mixture."""
