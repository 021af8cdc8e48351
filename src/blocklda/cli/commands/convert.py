"""``blocklda convert``: a corpus from one format to another."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import blocklda
from blocklda.cli.commands.fit_shards import texts_of
from blocklda.cli.options.folders import LDA_ONLY, load
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples, one_of
from blocklda.cli.terminal.output import print_json, waiting
from blocklda.cli.terminal.tables import print_line
from blocklda.data.corpus import Corpus
from blocklda.files.atomic_write import named_path, require_place
from blocklda.files.sharded_corpus import ShardedCorpus
from blocklda.formats import WRITABLE, find_writer, mallet_state, sharded, write_corpus
from blocklda.models.lda.chain import Chain
from blocklda.summaries.corpus_facts import corpus_facts, corpus_line
from blocklda.support.checks import whole_number
from blocklda.support.errors import InputError
from blocklda.support.messages import Given, Setting

__all__ = ["EXAMPLES", "convert_command"]

EXAMPLES = examples(
    "blocklda convert reviews.csv docword.reviews.txt --text-column body",
    "blocklda convert docword.kos.txt.gz kos.npz",
    "blocklda convert model/ state.gz --to mallet-state",
    "blocklda convert docword.nytimes.txt.gz nytimes/ --shards 8",
    "blocklda convert articles/ shards/ --text-column body --shards 100 --workers 8",
)

MALLET_STATE = "mallet-state"
"""The one format that holds more than a corpus: the topic of every token."""


@reads_input
def convert_command(
    source: Source,
    output: Annotated[Path, typer.Argument(metavar="OUTPUT", help="The file to write.")],
    *,
    to: Annotated[
        str,
        typer.Option(
            help=f"Format of OUTPUT: auto (by its name), {', '.join([*WRITABLE, MALLET_STATE])}.",
            autocompletion=one_of("auto", WRITABLE, MALLET_STATE),
        ),
    ] = "auto",
    chain: Annotated[
        int | None,
        typer.Option(metavar="N", help=f"Chain of a model, for {MALLET_STATE}.", show_default="0"),
    ] = None,
    shards: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Write a folder of N files, for fits on several machines or out of core.",
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="With --shards: the number of local processes that read texts, a file at a "
            "time, so that none holds all of them.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS", help="With --shards: the same on workers of a Dask scheduler."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Replace OUTPUT.")] = False,
    as_json: JsonFlag = False,
) -> None:
    """Write a corpus in another format.

    INPUT may also be the folder of a model: then its corpus is written, or, with --to mallet-state,
    the topic of every token at the end of a chain.
    """
    if named_path(output).exists() and not force:
        raise InputError(f"{output} exists: give another name, or --force to replace it.")
    if workers is not None or scheduler is not None:
        written = _write_on_workers(source, output, shards, to, chain, workers, scheduler)
        _report(source, output, written, as_json=as_json)
        return
    if shards is not None:
        corpus = _write_shards(source, output, shards, to, chain)
        _report(source, output, corpus, as_json=as_json)
        return
    require_place(named_path(output))
    if to == MALLET_STATE or (to == "auto" and mallet_state.recognises(output)):
        corpus = _write_state(source, output, chain or 0)
    else:
        _require_writer(output, to)
        if chain is not None:
            raise InputError.of("{chain=} is only for {to}: [leave it out].").where(
                chain=chain, to=Setting("to", MALLET_STATE)
            )
        with waiting(f"reading {source.name}"):
            corpus = source.read()
        write_corpus(corpus, output, to)
    _report(source, output, corpus, as_json=as_json)


def _report(source: Source, output: Path, corpus: Corpus | ShardedCorpus, *, as_json: bool) -> None:
    if as_json:
        print_json({"input": source.given, "output": output, **corpus_facts(corpus)})
    else:
        print_line(f"{output}: {corpus_line(corpus)}")


def _write_shards(
    source: Source, output: Path, n_shards: int, to: str, chain: int | None
) -> Corpus:
    folder = _folder_for_shards(output, n_shards, to, chain)
    with waiting(f"reading {source.name}"):
        corpus = source.read()
    sharded.write_shards(corpus, folder, n_shards)
    return corpus


def _folder_for_shards(output: Path, n_shards: int, to: str, chain: int | None) -> Path:
    whole_number("shards", n_shards, 1)
    for name, given in (("to", to), ("chain", chain)):
        if given not in (None, "auto"):
            raise InputError.of("{shards=} already sets the format: [leave {other} out].").where(
                shards=n_shards, other=Setting(name, given, shown=str(given))
            )
    folder = named_path(output)
    if folder.exists() and not (folder.is_dir() and sharded.recognises(folder)):
        raise InputError(
            f"{output} exists and does not hold shards: give the name of a new folder."
        )
    return folder


def _write_on_workers(
    source: Source,
    output: Path,
    n_shards: int | None,
    to: str,
    chain: int | None,
    workers: int | None,
    scheduler: str | None,
) -> ShardedCorpus:
    """Let workers count the texts; each reads its own files."""
    if n_shards is None:
        given = Given("workers", workers) if scheduler is None else Given("scheduler", scheduler)
        raise InputError.of("{given} is for {shards=}: [give that too, or leave it out].").where(
            given=given
        )
    if workers is not None and scheduler is not None:
        raise InputError("--scheduler and --workers exclude each other: give only one of them.")
    if source.model is not None or Path("-") in source.paths:
        raise InputError(
            f"{source.name} is read on this machine: leave out --workers and --scheduler."
        )
    folder = _folder_for_shards(output, n_shards, to, chain)
    from blocklda import parallel  # noqa: PLC0415  # it takes a while to import, as Dask does

    with waiting(f"counting {source.name}"):
        return parallel.write_shards(
            scheduler,
            texts_of(source),
            folder,
            n_shards=n_shards,
            n_workers=workers,
            **source.of_texts(),
        )


def _require_writer(output: Path, to: str) -> None:
    """Refuse a format that cannot be written, before the input is read."""
    try:
        find_writer(output, to)
    except InputError as error:
        # --format is that of the input
        raise InputError(error.message.renamed({"format": "to"})) from error


def _write_state(source: Source, output: Path, number: int) -> Corpus:
    folder = source.model
    if folder is None:
        raise InputError.of(
            "{to=} needs the topics of tokens, but {folder} is not a model: [give the folder of a "
            "model]."
        ).where(to=MALLET_STATE, folder=source.name)
    source.refuse_options_beside_a_model()
    chains: tuple[Chain, ...] = load(folder, models=LDA_ONLY).chains_
    if not 0 <= number < len(chains):
        raise InputError.of(
            "{chain=} is not in {folder}: [give <a number from 0 to {last}>]."
        ).where(chain=number, folder=folder, last=len(chains) - 1)
    blocklda.write_mallet_state(chains[number], output)
    return chains[number].corpus
