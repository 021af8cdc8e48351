"""Test with the newest versions of dependencies that there are: `make newest`.

What fails here and not in CI, whose versions `constraints.txt` pins, is what a user meets who
installs blocklda today.
"""

from __future__ import annotations

from tools.lowest import REPOSITORY, SETTINGS, TESTS, run_tests_in

__all__ = ["main"]


def main() -> None:
    """Install without constraints, show the versions, and test."""
    # Their deprecations are for us to know, not for users to be stopped by.
    run_tests_in(REPOSITORY / "build" / "newest", None, [*SETTINGS, *TESTS])


if __name__ == "__main__":
    main()
