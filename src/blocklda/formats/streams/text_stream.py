"""The text of a file, decoded piece by piece, line by line or as a whole; plain or gzip.

Unlike the chunks of `line_chunks`, lines may have any length and bytes any encoding.
"""

from __future__ import annotations

import codecs
import os
import zlib
from collections.abc import Generator
from contextlib import closing
from pathlib import Path
from typing import Any

from blocklda.files.regular_file import open_regular
from blocklda.formats.streams.line_chunks import GZIP_MAGIC, open_file, unpacked, unreadable
from blocklda.support.errors import FileFormatError, InputError
from blocklda.support.memory import require_memory
from blocklda.support.messages import Setting

__all__ = [
    "ENCODING",
    "checked_encoding",
    "require_room",
    "text_lines",
    "whole_text",
    "without_surrogates",
]

LONGEST_TEXT = 2**29
"""Characters of one text: what is longer is no document, and gzip makes it of a small file."""

ENCODING = "utf-8"
"""That of files of which nothing else is said."""

# A few of these are in memory at a time; larger ones are no faster.
PIECE_BYTES = 2**18

_BYTE_ORDER_MARK = "\ufeff"
_WITH_ZERO_BYTES = ("utf-16", "utf-32")
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def checked_encoding(encoding: Any) -> str:
    """Return the name of an encoding that texts can have; UTF-8 for None."""
    if encoding is None:
        return ENCODING
    try:
        # Codecs that make no text of bytes are known by this call only.
        b"a".decode(encoding)
        codecs.getincrementaldecoder(encoding)
    except UnicodeError:
        pass  # one byte is no text in UTF-16, say
    except (LookupError, TypeError, ValueError) as error:
        raise InputError.of(
            "there is no text encoding {name!r:.80}; [name one that Python knows, such as "
            '{encoding="utf-8"}, "latin-1", "cp1252" or "utf-16"].'
        ).where(name=encoding, parameter="encoding", value=encoding) from error
    return str(encoding)


def text_lines(path: Path, encoding: str) -> Generator[str]:
    """Yield the lines of a file without their line feeds, which alone end a line."""
    pending: list[str] = []
    n_pending = 0
    with closing(_pieces(path, encoding)) as pieces:
        for piece in pieces:
            head, line_end, rest = piece.partition("\n")
            pending.append(head)
            n_pending += len(head)
            if not line_end:
                require_room(path, n_pending)
                continue
            yield "".join(pending)
            lines = rest.split("\n")
            pending = [lines.pop()]
            n_pending = len(pending[0])
            yield from lines
    if n_pending:
        yield "".join(pending)


def whole_text(path: str, encoding: str) -> str:
    """Return all text of a file."""
    text = _plain_text(path, encoding)
    if text is not None:
        return text
    if os.path.exists(path) and not os.path.isfile(path):
        raise InputError(
            f"{path} is not a regular file, so it may not end: remove it from the folder."
        )
    return _piecewise_text(Path(path), encoding)


def without_surrogates(text: str) -> str:
    """Return a text that UTF-8 can hold: halves of characters, which JSON can have, made "?"."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _plain_text(path: str, encoding: str) -> str | None:
    """Return the text of a small plain file with nothing wrong in it; None for any other.

    Most files of a folder are such, and going through pieces takes longer than reading them.
    """
    try:
        with open_regular(path) as file:
            data = file.read(PIECE_BYTES)
        text = data.decode(encoding)
    except (OSError, ValueError):
        return None
    is_plain = not path.endswith(".gz") and not data.startswith(GZIP_MAGIC)
    if len(data) == PIECE_BYTES or not is_plain or "\0" in text:
        return None
    return text.removeprefix(_BYTE_ORDER_MARK)


def _piecewise_text(path: Path, encoding: str) -> str:
    parts: list[str] = []
    size = 0
    with closing(_pieces(path, encoding)) as pieces:
        for piece in pieces:
            parts.append(piece)
            size += len(piece)
            require_room(path, size)
    return "".join(parts)


def _pieces(path: Path, encoding: str) -> Generator[str]:
    """Yield the text of a file; an error names the line that cannot be read."""
    decoder = codecs.getincrementaldecoder(encoding)()
    n_lines, at_start = 0, True
    with open_file(path) as file:
        stream = unpacked(path, file)
        while True:
            try:
                data = stream.read1(PIECE_BYTES)
            except (EOFError, OSError, zlib.error) as error:
                raise unreadable(path, n_lines + 1, error) from error
            before = decoder.getstate()
            try:
                text = decoder.decode(data, final=not data)
            except UnicodeError as error:
                decoder.setstate(before)
                line = n_lines + 1 + _lines_before(decoder, before[0], data, error)
                raise _undecodable(path, line, encoding, error) from error
            if at_start and text:
                text, at_start = text.removeprefix(_BYTE_ORDER_MARK), False
            if "\0" in text:
                raise _binary(path, n_lines + 1 + text.count("\n", 0, text.index("\0")))
            n_lines += text.count("\n")
            if text:
                yield text
            if not data:
                return


def _lines_before(
    decoder: codecs.IncrementalDecoder, held: bytes, data: bytes, error: UnicodeError
) -> int:
    """Count the line ends before what a decoder stopped at, of what it held and was given."""
    if not isinstance(error, UnicodeDecodeError):
        return 0
    return decoder.decode(data[: max(0, error.start - len(held))]).count("\n")


def _undecodable(path: Path, line: int, encoding: str, error: UnicodeError) -> FileFormatError:
    if not isinstance(error, UnicodeDecodeError):
        found = f"this is not {encoding.upper()} text ({error})"
    elif line == 1 and error.start == 0 and error.object.startswith(_UTF16_MARKS):
        return FileFormatError.of(
            '{path}, line 1: the file seems to be UTF-16; [read it with {encoding="utf-16"}].'
        ).where(path=path)
    elif b"\0" in error.object and not codecs.lookup(encoding).name.startswith(_WITH_ZERO_BYTES):
        return _binary(path, line)
    else:
        byte = error.object[error.start]
        found = f"the byte 0x{byte:02x} is not {encoding.upper()} text"
    other = "latin-1" if codecs.lookup(encoding).name == "utf-8" else "utf-8"
    example = Setting("encoding", other, shown=f'"{other}"')
    return FileFormatError.of(
        "{path}, line {line}: {found}; [name its encoding, such as {example}, or check that "
        "it is a text file]."
    ).where(path=path, line=line, found=found, example=example)


def _binary(path: Path, line: int) -> FileFormatError:
    return FileFormatError.of(
        "{path}, line {line}: there are zero bytes here, so this is binary data, or text in "
        'another encoding, such as {encoding="utf-16"}; [check that it is a text file].'
    ).where(path=path, line=line)


def require_room(path: Path, n_characters: int, bytes_each: int = 2) -> None:
    """Refuse a text without end before it fills the memory; it is there twice when it is joined."""
    if n_characters > LONGEST_TEXT:
        raise FileFormatError(
            f"{path}: a text has more than {LONGEST_TEXT:,} characters, which is more than a "
            "document can have; check that it is the right file, or split the text into documents."
        )
    require_memory(
        bytes_each * n_characters,
        f"a text of {n_characters} characters and more in {path}",
        "check that it is the right file, or split the text into documents",
    )
