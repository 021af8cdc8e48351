"""Build the native module in another way than wheels do, and a package that has it.

The package is a folder of links to the sources: put it first in PYTHONPATH.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nanobind

__all__ = ["ROOT", "build_package"]

ROOT = Path(__file__).resolve().parents[1]


def build_package(option: str, folder: Path) -> Path:
    """Return a folder with a package ``blocklda`` whose module was built with a CMake option."""
    tools = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
    build = folder / "build"
    configure = [
        *("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", f"-D{option}=ON"),
        *("-DCMAKE_BUILD_TYPE=Debug", f"-DPython_EXECUTABLE={sys.executable}"),
        f"-Dnanobind_DIR={nanobind.cmake_dir()}",
    ]
    for command in (configure, ["ninja", "-C", str(build), "_native"]):
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    package = folder / "package" / "blocklda"
    package.mkdir(parents=True, exist_ok=True)
    for old in package.iterdir():
        old.unlink()
    (module,) = build.glob("_native*.so")
    sources = [path for path in (ROOT / "src/blocklda").iterdir() if path.suffix != ".so"]
    for path in (module.resolve(), *sources):
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path)
    return package.parent
