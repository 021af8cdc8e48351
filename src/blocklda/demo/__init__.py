"""Examples that need no data: the bars, and the documentation of the standard library."""
