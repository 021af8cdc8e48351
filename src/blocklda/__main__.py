"""The command line as a module: ``python -m blocklda``."""

from __future__ import annotations

from blocklda.cli import main

if __name__ == "__main__":
    main()
