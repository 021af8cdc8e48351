"""The parts of a MALLET state: lines on top, tokens, and writing."""
