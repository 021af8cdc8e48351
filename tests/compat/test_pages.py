"""What the guide pages show of other packages runs, where the pages' own test cannot run it."""

from __future__ import annotations

import subprocess
import sys

from tests.docs.pages import REPOSITORY, Page


def test_the_old_code_of_the_tomotopy_page_runs(tmp_path) -> None:
    """tomotopy warns of its own types when it is imported, and then warnings cannot be errors."""
    page = Page(REPOSITORY / "docs" / "how-to" / "coming-from-tomotopy.md")
    data, (old,) = page.blocks("python")[0], page.blocks("py")
    script = tmp_path / "old_code.py"
    script.write_text(data.code + old.code.lstrip("\n"), encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cat") >= 1
