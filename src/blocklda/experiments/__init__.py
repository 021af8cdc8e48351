"""The paper's studies: what they are, how they are run, and which of its claims they bear out."""
