"""Reports of hostile corpora in a real browser."""
