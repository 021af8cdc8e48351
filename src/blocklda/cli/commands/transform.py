"""``blocklda transform``: the topics of new documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from blocklda.cli.options.fit_options import Jobs
from blocklda.cli.options.folders import ModelArgument, load
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import print_json, result_bytes, waiting
from blocklda.cli.terminal.tables import print_line
from blocklda.exports.document_topics import check_table_name, write_csv, write_table
from blocklda.models.lda.new_documents.infer import N_SWEEPS
from blocklda.models.lda.new_documents.topic_draws import N_TOPIC_DRAWS
from blocklda.support import defaults
from blocklda.support.errors import InputError
from blocklda.support.messages import Given

__all__ = ["EXAMPLES", "transform_command"]

EXAMPLES = examples(
    "blocklda transform model/ new.csv --text-column body -o topics.csv",
    "blocklda transform model/ new.csv --text-column body --id-column id > topics.csv",
    "blocklda transform model/ docword.new.txt -o topics.npy",
)


@reads_input
def transform_command(
    model: ModelArgument,
    source: Source,
    *,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the table here: .csv, .tsv, .jsonl, .npy, .parquet or .xlsx.",
            show_default="CSV on standard output",
        ),
    ] = None,
    n_draws: Annotated[
        int | None,
        typer.Option(
            "--draws",
            metavar="N",
            help="Number of draws of the model to average over.",
            show_default=str(N_TOPIC_DRAWS),
        ),
    ] = None,
    n_sweeps: Annotated[
        int | None,
        typer.Option(
            "--sweeps",
            metavar="N",
            help="Sweeps over a document, in total for all draws.",
            show_default=str(N_SWEEPS),
        ),
    ] = None,
    n_jobs: Jobs = defaults.N_JOBS,
    as_json: JsonFlag = False,
) -> None:
    """Infer the topics of new documents with a fitted model.

    Writes one row per document, in the order of the input; the shares of a row sum to 1. Texts are
    counted as in the fit. Each row depends only on its own document.
    """
    if output is not None:
        check_table_name(output)
    with waiting(f"reading {model} and {source.name}"):
        estimator = load(model, n_jobs)
        how = _how(estimator, {"n_sweeps": n_sweeps, "n_draws": n_draws})
        corpus = source.read(like=estimator.chains_[0].corpus)
    with waiting(f"inferring the topics of {corpus.n_docs:,} documents"):
        doc_topic = estimator.transform(corpus, **how)
    documents = corpus.doc_names or range(corpus.n_docs)
    if output is not None:
        write_table(output, documents, doc_topic)
    if as_json:
        result = {"model": model, "input": source.given, "documents": list(documents)}
        print_json({**result, "output": output} if output else {**result, "doc_topic": doc_topic})
    elif output is not None:
        n_docs, n_topics = doc_topic.shape
        print_line(f"{output}: {n_docs:,} documents, {n_topics:,} topics")
    else:
        with result_bytes() as file:
            write_csv(file, documents, doc_topic)


def _how(estimator: Any, settings: dict[str, int | None]) -> dict[str, int]:
    """Return the settings that were given, or say that a model has no use for one."""
    given = {name: value for name, value in settings.items() if value is not None}
    for name, value in given.items():
        if name not in estimator.transform_options:
            raise InputError.of(
                "{setting} is not available for a model of kind {kind!r}: [leave it out]."
            ).where(setting=Given(name, value), kind=estimator.model_kind)
    return given
