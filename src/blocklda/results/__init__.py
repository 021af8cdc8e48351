"""The result of a fit: means over draws, matched topics, the trace."""
