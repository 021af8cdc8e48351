"""The native border under the sanitizers: calls whose arguments were changed at random."""
