"""The code in README.md runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```", README.read_text(encoding="utf-8"), re.M | re.S)


def test_there_is_code_to_run() -> None:
    assert BLOCKS


@pytest.mark.realdata
@pytest.mark.parametrize("code", BLOCKS)
def test_readme_code_runs(code: str, data_dir: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env={"BLOCKLDA_DATA": str(data_dir.resolve()), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "held-out perplexity" in done.stdout
