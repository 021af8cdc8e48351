"""The options that say how to read an input, the same for every command that reads one."""

from __future__ import annotations

import inspect
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from blocklda.cli.options.folders import is_model
from blocklda.cli.options.limited_reading import Trusted, read_limited
from blocklda.cli.options.shared import one_of
from blocklda.data.corpus import Corpus
from blocklda.data.text_settings import DOCUMENT_FREQUENCIES, TextSettings
from blocklda.data.word_columns import over_vocabulary
from blocklda.files.model_file import ModelFolder, from_model
from blocklda.formats import FORMATS, TEXT_FORMATS, read_corpus, read_vocabulary
from blocklda.formats.several import name_of
from blocklda.formats.streams.text_stream import ENCODING
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError, not_allowed
from blocklda.support.messages import Given

__all__ = [
    "Delimiter",
    "DocumentEncoding",
    "HasHeader",
    "IdColumn",
    "Quote",
    "Source",
    "TextColumn",
    "TextFormatName",
    "TokensColumn",
    "reads_input",
]

_PANEL = "How to read the input"


def _one_of_formats(names: Iterable[str]) -> Any:
    known = sorted(names)
    return typer.Option(
        help=f"Format of the input: auto (by its name), {', '.join(known)}.",
        autocompletion=one_of("auto", known),
        rich_help_panel=_PANEL,
    )


FormatName = Annotated[str, _one_of_formats(FORMATS)]
TextFormatName = Annotated[str, _one_of_formats(TEXT_FORMATS)]
TextColumn = Annotated[
    str | None,
    typer.Option(help="Column of a table that holds the texts.", rich_help_panel=_PANEL),
]
IdColumn = Annotated[
    str | None,
    typer.Option(help="Column that holds the names of the documents.", rich_help_panel=_PANEL),
]
TokensColumn = Annotated[
    str | None,
    typer.Option(
        "--tokens",
        metavar="COLUMN",
        help="Column that holds lists of words, instead of texts.",
        rich_help_panel=_PANEL,
    ),
]
DocumentEncoding = Annotated[
    str | None,
    typer.Option(help="Encoding of a text file.", show_default=ENCODING, rich_help_panel=_PANEL),
]


Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="C",
        help="Delimiter of a table: a character, or tab.",
        rich_help_panel=_PANEL,
    ),
]
Quote = Annotated[
    str | None,
    typer.Option(
        metavar="C",
        help="Quote character of a table, or none.",
        rich_help_panel=_PANEL,
    ),
]
HasHeader = Annotated[
    bool | None,
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of a table names its columns; if not, they are 1, 2, 3, …",
        rich_help_panel=_PANEL,
    ),
]


@dataclass(frozen=True, kw_only=True)
class Source:
    """An input as given on the command line; None for options that were not given."""

    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="INPUT",
            help="A file of texts or counts, several files of one format, a folder of .txt files, "
            "a 10x Genomics folder, a model, or - for standard input.",
        ),
    ]
    format: FormatName = "auto"
    text_column: TextColumn = None
    id_column: IdColumn = None
    tokens_column: TokensColumn = None
    encoding: DocumentEncoding = None
    delimiter: Delimiter = None
    quote: Quote = None
    has_header: HasHeader = None
    transpose: Annotated[
        bool,
        typer.Option(
            "--transpose",
            help="Read a matrix whose rows are words and whose columns are documents.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    layer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Layer of an .h5ad file that holds the counts, or raw/X.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    vocabulary: Annotated[
        Path | None,
        typer.Option(help="File with the vocabulary, one word per line.", rich_help_panel=_PANEL),
    ] = None
    stop_words: Annotated[
        str | None,
        typer.Option(
            help="Words to leave out: english, none, another language such as german, or a file "
            "with one word per line.",
            show_default=str(TextSettings.stop_words),
            rich_help_panel=_PANEL,
        ),
    ] = None
    min_df: Annotated[
        str | None,
        typer.Option(
            help="Leave out words in fewer documents: a number, or a share such as 0.01.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    max_df: Annotated[
        str | None,
        typer.Option(
            help="Leave out words in more documents: a number, or a share such as 0.5.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    ngrams: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Also count sequences of up to N words.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    max_words: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Keep only the N most frequent words.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    token_pattern: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX",
            help="Regular expression of a word, or unicode for scripts with vowel signs.",
            rich_help_panel=_PANEL,
        ),
    ] = None
    phrases: Annotated[
        bool,
        typer.Option(
            "--phrases",
            help="Find pairs of words that belong together, and count each pair as one word.",
            rich_help_panel=_PANEL,
        ),
    ] = False
    trusted: Trusted = False

    @property
    def name(self) -> str:
        """The name of the input in messages."""
        return name_of(self.paths)

    @property
    def given(self) -> Path | list[Path]:
        """The file, or a list of several."""
        return self.paths[0] if len(self.paths) == 1 else self.paths

    @property
    def model(self) -> Path | None:
        """The folder of a model, if the input is one."""
        models = [path for path in self.paths if is_model(path)]
        if models and len(self.paths) > 1:
            raise InputError(f"{models[0]} is a model: give it without other inputs.")
        return models[0] if models else None

    @property
    def is_named(self) -> bool:
        """True for files that can be read again: not a model, nor standard input."""
        return self.model is None and Path("-") not in self.paths

    def read(self, like: Corpus | None = None) -> Corpus:
        """Read the input, over the words of another corpus if one is given.

        Of a model's folder the corpus is read.
        """
        settings = self._settings()
        if self.model is not None:
            self.refuse_options_beside_a_model()
            corpus = from_model(self.model, ModelFolder.corpus)
            return corpus if like is None else over_vocabulary(corpus, like)
        if settings and like is not None and like.text_settings is not None:
            self._refuse("texts are counted with the settings of the model", *settings)
        with ExitStack() as stack:
            paths = [stack.enter_context(_as_file(path)) for path in self.paths]
            return self._read(paths, like, settings)

    def _read(self, paths: list[Path], like: Corpus | None, settings: dict[str, Any]) -> Corpus:
        return read_limited(
            read_corpus,
            paths,
            self.format,
            self.vocabulary,
            trusted=self.trusted,
            text_column=self.text_column,
            id_column=self.id_column,
            tokens_column=self.tokens_column,
            encoding=self.encoding,
            delimiter=self.delimiter,
            quote=self.quote,
            has_header=self.has_header,
            transpose=self.transpose,
            layer=self.layer,
            like=like,
            **settings,
        )

    def for_like_documents(self) -> str:
        """Return the options that read more documents of the same kind, each after a space.

        A model keeps how texts are counted, and the order of its words.
        """
        given = {
            "--format": None if self.format == "auto" else self.format,
            "--text-column": self.text_column,
            "--id-column": self.id_column,
            "--tokens": self.tokens_column,
            "--encoding": self.encoding,
            "--delimiter": self.delimiter,
            "--quote": self.quote,
            "--layer": self.layer,
        }
        flags = " --no-header" if self.has_header is False else ""
        flags += " --transpose" if self.transpose else ""
        return flags + "".join(f" {name} {shlex.quote(one)}" for name, one in given.items() if one)

    def of_texts(self) -> dict[str, Any]:
        """Return the options for reading texts, as a fit on shards takes them."""
        given = {
            "vocabulary": self.vocabulary,
            "text_column": self.text_column,
            "id_column": self.id_column,
            "format": None if self.format == "auto" else self.format,
            "encoding": self.encoding,
            "delimiter": self.delimiter,
            "quote": self.quote,
            "has_header": self.has_header,
            **self._settings(),
        }
        self._refuse("texts are not matrices", "transpose", "layer")
        self._refuse("each shard is counted separately", "phrases", "tokens_column")
        return {name: value for name, value in given.items() if value is not None}

    def refuse_options_beside_counts(self, reason: str) -> None:
        """Refuse reading options for an input that is read as it is."""
        self._refuse(reason)

    def refuse_options_beside_a_model(self) -> None:
        """Refuse reading options for a model, whose corpus is read as it is."""
        self._refuse(f"{self.name} is a model, whose corpus is read as it is")

    def _refuse(self, reason: str, *names: str) -> None:
        """Refuse the first of these options that was given; by default, of all options."""
        given = {field.name: getattr(self, field.name) for field in fields(self)[1:]}
        for name in names or given:
            if given[name] not in (None, "auto", False):
                raise InputError.of("{reason}: [leave {given} out].").where(
                    reason=reason, given=Given(name, str(given[name]))
                )

    def _settings(self) -> dict[str, Any]:
        """Return the text settings that were given."""
        settings = {
            "stop_words": _stop_words(self.stop_words),
            "min_df": _document_frequency("min_df", self.min_df),
            "max_df": _document_frequency("max_df", self.max_df),
            "ngrams": None if self.ngrams is None else (1, whole_number("ngrams", self.ngrams, 1)),
            "max_words": self.max_words,
            "token_pattern": self.token_pattern,
            "phrases": self.phrases or None,
        }
        return {name: value for name, value in settings.items() if value is not None}


@contextmanager
def _as_file(path: Path) -> Iterator[Path]:
    """Give the file; standard input is kept in one as long as it is read."""
    if str(path) != "-":
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="blocklda-") as folder:
        kept = Path(folder) / "standard-input.txt"
        with kept.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield kept


def reads_input(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command an INPUT argument and the options to read it by.

    The command's parameter ``source`` becomes a :class:`Source`; the argument stands where
    ``source`` stands among its parameters, the options come last.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())
    names = [field.name for field in fields(Source)]
    argument, *options = inspect.signature(Source, eval_str=True).parameters.values()
    merged = [argument if parameter.name == "source" else parameter for parameter in own] + options

    @wraps(command)
    def with_source(**given: Any) -> None:
        source = Source(**{name: given.pop(name) for name in names})
        command(source=source, **given)

    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in merged]
    with_source.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_source.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_source


def _stop_words(given: str | None) -> str | tuple[str, ...] | None:
    """Return words of a file; anything else is a name, which the library knows or refuses."""
    if given is None or given in ("english", "none") or not Path(given).is_file():
        return given
    return read_vocabulary(Path(given))


def _document_frequency(name: str, given: str | None) -> float | None:
    """Return a whole number as one, and anything with a point as a share."""
    if given is None:
        return None
    try:
        return int(given) if given.isdecimal() else float(given)
    except ValueError:
        raise not_allowed(name, given, DOCUMENT_FREQUENCIES) from None
