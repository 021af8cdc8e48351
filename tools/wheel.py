"""Build the source archive, and from it the wheel: what a user gets, and what `make test` tests.

The archive is unpacked into a folder that stays, where files that did not change keep their time,
so that only what changed is compiled again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
TRY = REPOSITORY / "tools" / "try_installed.py"


def build(into: Path, work: Path) -> Path:
    """Return the path of the wheel, in a folder with the archive it was built from."""
    shutil.rmtree(into, ignore_errors=True)
    _build("--sdist", "--outdir", into, REPOSITORY)
    (archive,) = into.glob("*.tar.gz")
    source, objects = work / "source", work / "objects"
    unpack(archive, source)
    _build("--wheel", "--outdir", into, "-C", f"build-dir={objects}", source)
    (wheel,) = into.glob("*.whl")
    check(wheel, source, REPOSITORY)
    return wheel


def _build(*arguments: str | Path) -> None:
    """Build with the tools that are installed: the dependency group `build`."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--quiet", *map(str, arguments)]
    subprocess.run(command, check=True)


def unpack(archive: Path, folder: Path) -> None:
    """Let a folder hold what an archive holds, without touching files that are the same."""
    with tempfile.TemporaryDirectory() as place:
        with tarfile.open(archive) as file:
            # Python before 3.11.4, as Debian has it, knows no filters; the archive is our own.
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            file.extractall(place, **safe)  # noqa: S202
        (top,) = Path(place).iterdir()
        wanted = {path.relative_to(top) for path in top.rglob("*") if path.is_file()}
        for path in [path for path in folder.rglob("*") if path.is_file()]:
            if path.relative_to(folder) not in wanted:
                path.unlink()
        for name in sorted(wanted):
            content, target = (top / name).read_bytes(), folder / name
            if not target.is_file() or target.read_bytes() != content:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)


def check(wheel: Path, source: Path, *private: Path) -> None:
    """Check that a wheel has all of the package, its licences, and nothing else."""
    with zipfile.ZipFile(wheel) as file:
        held = {name: file.read(name) for name in file.namelist() if not name.endswith("/")}
    package = {path.relative_to(source / "src").as_posix() for path in _files(source / "src")}
    (information,) = {name.split("/")[0] for name in held if ".dist-info/" in name}
    module = {name for name in held if name.startswith("blocklda/_native.") and name[-3:] != "pyi"}
    about = {name for name in held if name.startswith(information)}
    difference = (set(held) - module - about) ^ package
    _require(not difference, f"{wheel.name} and src/ differ in {sorted(difference)}")
    _require(len(module) == 1, f"{wheel.name} has the compiled modules {sorted(module)}")
    _require("blocklda/py.typed" in held, f"{wheel.name} has no py.typed")
    licences = {path.relative_to(source).as_posix() for path in _files(source / "licenses")}
    metadata = message_from_bytes(held[f"{information}/METADATA"])
    for licence in {"LICENSE", *licences}:
        _require(f"{information}/licenses/{licence}" in held, f"{wheel.name} lacks {licence}")
        _require(licence in metadata.get_all("License-File", ()), f"{licence} is not named")
    _require(not wheel.name.startswith("blocklda-0.0"), f"{wheel.name} has no version")
    for name, content in held.items():
        for path in private:
            _require(bytes(path) not in content, f"{wheel.name}: {name} names {path}")


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        raise SystemExit(otherwise)


def try_alone(wheel: Path, folder: Path) -> None:
    """Install a wheel and what it needs into an environment of its own, and try it out."""
    venv.create(folder, clear=True, with_pip=False)
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "-qq", "--no-compile"]
    subprocess.run([*pip, str(wheel)], check=True)
    # `-P`: nothing of this repository is imported instead.
    settings = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    settings.pop("PYTHONDONTWRITEBYTECODE", None)  # several processes import the same
    command = [python, "-P", "-W", "ignore", str(TRY)]
    subprocess.run(command, check=True, cwd=folder, env=settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["build", "try"])
    parser.add_argument("--into", type=Path, default=REPOSITORY / "build" / "dist")
    options = parser.parse_args()
    into = options.into.resolve()
    if options.what == "build":
        print(build(into, into.parent / "wheel"))
    else:
        (wheel,) = into.glob("*.whl")
        try_alone(wheel, into.parent / "alone")


if __name__ == "__main__":
    main()
