"""Test with the lowest versions of dependencies that pyproject.toml allows: `make lowest`.

They are installed into an environment of their own, beside the wheel in build/dist; what they need
themselves is as old as their own bounds let it be only where pyproject.toml names it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
FOLDER = REPOSITORY / "build" / "lowest"
TESTS = [
    "tests/cli/test_report.py",
    "tests/cli/test_option_names.py",
    "tests/compat",
    "tests/data",
    "tests/diagnostics",
    "tests/exports",
    "tests/formats",
    "tests/summaries",
]
"""What stands between the package and its dependencies; samplers depend on NumPy alone."""

# Old versions warn of what newer ones changed, and old ones of each other.
SETTINGS = ["-q", "-W", "default", "-m", "not long", "-p", "no:cacheprovider"]


def lowest_versions() -> list[str]:
    """Return every requirement of users, with the lowest version instead of the bound."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(p for extra in extras.values() for p in extra)]
    found = (re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement) for requirement in wanted)
    return sorted({f"{match[1]}=={match[2]}" for match in found if match})


def main() -> None:
    versions = lowest_versions()
    print(*versions)
    venv.create(FOLDER, clear=True, with_pip=False)
    python = FOLDER / "bin" / "python"
    (wheel,) = (REPOSITORY / "build" / "dist").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq"]
    bounds = FOLDER / "lowest.txt"
    bounds.write_text("\n".join(versions), encoding="utf-8")
    subprocess.run(
        [*pip, "--constraint", str(bounds), f"{wheel}[all]", "--group", "test-runner"],
        check=True,
        cwd=REPOSITORY,
        # Not what CI installs, which make has pinned.
        env={k: v for k, v in os.environ.items() if k != "PIP_CONSTRAINT"},
    )
    tests = sys.argv[1:] or TESTS
    done = subprocess.run([python, "-m", "pytest", *SETTINGS, *tests], cwd=REPOSITORY, check=False)
    raise SystemExit(done.returncode)


if __name__ == "__main__":
    main()
