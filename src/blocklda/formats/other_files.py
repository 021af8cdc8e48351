"""Files that people have and that hold no corpus: a sentence for each on what to do."""

from __future__ import annotations

from pathlib import Path

from blocklda.formats.streams.line_chunks import first_line, is_named
from blocklda.support.errors import FileFormatError

__all__ = ["refuse_other_files"]

ADVICE = {
    (".docx", ".doc", ".odt", ".rtf"): (
        "documents of a word processor are not supported; save each as plain text (.txt), and "
        "give the folder"
    ),
    (".pdf",): (
        "PDF files are not supported; extract their text first, for example with pdftotext, and "
        "give the folder of .txt files"
    ),
    (".xls", ".ods"): "this kind of spreadsheet is not supported; save it as .xlsx or .csv",
    (".pkl", ".pickle", ".rds", ".rdata"): (
        "files that hold objects of a program are not supported; write counts as .npz or .mtx, or "
        "texts as .csv"
    ),
    (".html", ".htm", ".xml"): (
        "marked-up text is not supported; save plain text (.txt) or a table"
    ),
}


def refuse_other_files(path: Path) -> None:
    """Refuse a file of a known kind that is not supported, and say what to do."""
    for endings, advice in ADVICE.items():
        if is_named(path.name, *endings):
            raise FileFormatError(f"{path}: {advice}.")
    if is_named(path.name, ".json"):
        start = first_line(path).lstrip()[:1]
        kind = "an array" if start == b"[" else "one value"
        raise FileFormatError(
            f"{path}: a .json file holds {kind}, but records must be one per line; write JSON "
            "lines (.jsonl), for example with jq -c '.[]' FILE, or pandas's "
            "to_json(orient='records', lines=True)."
        )
