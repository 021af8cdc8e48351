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
SETTINGS = [
    *("-q", "-W", "default", "-m", "not long", "-p", "no:cacheprovider"),
    *("-n", "2", "--dist", "loadgroup"),
]


def lowest_versions() -> list[str]:
    """Return every requirement of users, with the lowest version instead of the bound."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(p for extra in extras.values() for p in extra)]
    found = (re.fullmatch(r"([\w.-]+)>=([\d.]+)", requirement) for requirement in wanted)
    return sorted({f"{match[1]}=={match[2]}" for match in found if match})


def run_tests_in(folder: Path, versions: list[str] | None, arguments: list[str]) -> None:
    """Install the wheel and what tests need into a folder, with these versions, and end as pytest.

    Without versions the newest that there are.
    """
    venv.create(folder, clear=True, with_pip=False)
    python = folder / "bin" / "python"
    (wheel,) = (REPOSITORY / "build" / "dist").glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python)]
    bounds = folder / "versions.txt"
    bounds.write_text("\n".join(versions or []), encoding="utf-8")
    subprocess.run(
        [
            *(*pip, "install", "-qq", "--upgrade", "--constraint", str(bounds)),
            *(f"{wheel}[all]", "--group", "test", "--group", "peers"),
        ],
        check=True,
        cwd=REPOSITORY,
        # Not what CI installs, which make has pinned.
        env={k: v for k, v in os.environ.items() if not k.startswith("PIP_CONSTRAINT")},
    )
    subprocess.run([*pip, "list", "--format=freeze"], check=True)
    done = subprocess.run([python, "-m", "pytest", *arguments], cwd=REPOSITORY, check=False)
    raise SystemExit(done.returncode)


def main() -> None:
    versions = lowest_versions()
    run_tests_in(FOLDER, versions, [*SETTINGS, *(sys.argv[1:] or TESTS)])


if __name__ == "__main__":
    main()
