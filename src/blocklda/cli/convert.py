"""``blocklda convert``: a corpus from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import blocklda
from blocklda.chain import Chain
from blocklda.cli.completion import one_of
from blocklda.cli.corpus_facts import corpus_facts, corpus_line
from blocklda.cli.examples import examples
from blocklda.cli.input_options import Source, reads_input
from blocklda.cli.json_output import JsonFlag, print_json
from blocklda.cli.model_folder import is_model, load
from blocklda.cli.output_file import require_folder_of
from blocklda.cli.tables import print_line
from blocklda.cli.waiting import waiting
from blocklda.corpus import Corpus
from blocklda.errors import InputError
from blocklda.files.atomic_write import named_path
from blocklda.formats import FORMATS, Writer, find_writer, mallet_state

__all__ = ["EXAMPLES", "convert_command"]

EXAMPLES = examples(
    "blocklda convert reviews.csv docword.reviews.txt --text-column body",
    "blocklda convert docword.kos.txt.gz kos.npz",
    "blocklda convert model/ state.gz --to mallet-state",
)

MALLET_STATE = "mallet-state"
"""The one format that holds more than a corpus: the topic of every token."""

_WRITABLE = sorted(name for name, module in FORMATS.items() if isinstance(module, Writer))


@reads_input
def convert_command(
    source: Source,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The file to write.")],
    *,
    to: Annotated[
        str,
        typer.Option(
            help=f"Format of OUTPUT: auto (by its name), {', '.join([*_WRITABLE, MALLET_STATE])}.",
            autocompletion=one_of("auto", _WRITABLE, MALLET_STATE),
        ),
    ] = "auto",
    chain: Annotated[
        int, typer.Option(metavar="N", help=f"Which chain of a model, for {MALLET_STATE}.")
    ] = 0,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUTPUT.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write a corpus in another format.

    INPUT may also be the folder of a model: then its corpus is written, or, with --to mallet-state,
    the topic that every token has at the end of a chain.
    """
    if named_path(output).exists() and not force:
        raise InputError(f"{output} is there already: give another name, or --force to replace it.")
    require_folder_of(output)
    if to == MALLET_STATE or (to == "auto" and mallet_state.recognises(output)):
        corpus = _write_state(source.path, output, chain)
    else:
        writer = _writer(output, to)
        with waiting(f"reading {source.path}"):
            corpus = source.read()
        writer.write(corpus, output)
    if as_json:
        print_json({"input": source.path, "output": output, **corpus_facts(corpus)})
    else:
        print_line(f"{output}: {corpus_line(corpus)}")


def _writer(output: Path, to: str) -> Writer:
    try:
        return find_writer(output, to)
    except InputError as error:
        error.args = (str(error).replace("format=", "to="),)  # --format is that of the input
        raise


def _write_state(folder: Path, output: Path, number: int) -> Corpus:
    if not is_model(folder):
        raise InputError(
            f"to={MALLET_STATE!r} needs the topics of tokens, and {folder} is no model: give the "
            "folder of one."
        )
    chains: tuple[Chain, ...] = load(folder).chains_
    if not 0 <= number < len(chains):
        raise InputError(
            f"chain={number} is not in {folder}: give a number from 0 to {len(chains) - 1}."
        )
    blocklda.write_mallet_state(chains[number], output)
    return chains[number].corpus
