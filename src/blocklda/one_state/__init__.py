"""What one assignment of topics to tokens says: θ and φ, the log posterior, predictions."""
