"""Bring the chart library of the report up to date, from npm: `make vega`.

The minified files are kept as npm has them, with their versions and digests (`versions.json`) and
the licences of everything that is in them (`licenses/vega.txt`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[1]
KEPT = REPOSITORY / "src" / "blocklda" / "report" / "vega"
LICENCES = REPOSITORY / "licenses" / "vega.txt"
SCRIPTS = {
    "vega": "build/vega.min.js",
    "vega-lite": "build/vega-lite.min.js",
    "vega-embed": "build/vega-embed.min.js",
}
"""Packages and their files, in the order in which a page needs them."""

ONLY_IN_PROGRAMS = {"commander", "iconv-lite", "rw", "yargs"}
"""Dependencies of commands that come with the packages: not part of the files."""


def update(versions: dict[str, str]) -> None:
    """Replace the files by those of the given versions, or of tags such as "latest"."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = [f"{name}@{version}" for name, version in versions.items()]
        Path(folder, "package.json").write_text("{}", encoding="utf-8")
        subprocess.run(
            ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", *wanted],
            cwd=folder,
            check=True,
        )
        packages = Path(folder) / "node_modules"
        kept = {}
        for name, script in SCRIPTS.items():
            content = (packages / name / script).read_bytes()
            file = Path(script).name
            (KEPT / file).write_bytes(content)
            version = _description(packages / name)["version"]
            digest = hashlib.sha256(content).hexdigest()
            kept[name] = {"version": version, "file": file, "sha256": digest}
            print(f"{name} {version}: {len(content):,} bytes")
        text = json.dumps(kept, indent=2) + "\n"
        (KEPT / "versions.json").write_text(text, encoding="utf-8")
        LICENCES.write_text(_licences(packages), encoding="utf-8")


def _licences(packages: Path) -> str:
    """Return the licences of the scripts and of all they were built from, each text once."""
    found, waiting = {}, list(SCRIPTS)
    while waiting:
        name = waiting.pop()
        if name in found or name in ONLY_IN_PROGRAMS or name.startswith("@types/"):
            continue
        description = _description(packages / name)
        found[name] = description["license"]
        waiting.extend(description.get("dependencies", ()))
    names_by_text: dict[str, list[str]] = {}
    for name in sorted(found):
        (file,) = (f for f in (packages / name).iterdir() if f.name.lower().startswith("licen"))
        lines = file.read_text(encoding="utf-8").strip().splitlines()
        text = "\n".join(line.rstrip() for line in lines)
        names_by_text.setdefault(text, []).append(f"{name} ({found[name]})")
    parts = [f"{', '.join(names)}\n\n{text}\n" for text, names in names_by_text.items()]
    about = "src/blocklda/report/vega/ has Vega, Vega-Lite and Vega-Embed, which consist of:\n"
    return f"\n{'-' * 72}\n\n".join([about, *parts])


def _description(package: Path) -> dict[str, Any]:
    description: dict[str, Any] = json.loads((package / "package.json").read_text("utf-8"))
    return description


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in SCRIPTS:
        parser.add_argument(f"--{name}", default="latest", metavar="VERSION")
    options = vars(parser.parse_args())
    if shutil.which("npm") is None:
        parser.error("npm is not installed: it comes with Node.js")
    update({name: options[name.replace("-", "_")] for name in SCRIPTS})


if __name__ == "__main__":
    main()
