"""``blocklda transform``: the topics of new documents."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from blocklda.cli.options.fit_options import Jobs
from blocklda.cli.options.folders import ESTIMATORS, ModelArgument, load
from blocklda.cli.options.input_options import Source, reads_input
from blocklda.cli.options.shared import JsonFlag, examples
from blocklda.cli.terminal.output import print_json, waiting
from blocklda.cli.terminal.tables import print_line
from blocklda.exports.document_topics import check_table_name, write_csv, write_table
from blocklda.models.lda.new_documents.infer import N_SWEEPS
from blocklda.models.lda.new_documents.topic_draws import N_TOPIC_DRAWS
from blocklda.support import defaults

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
        int,
        typer.Option(
            "--draws", metavar="N", help="Draws of the model whose topics are averaged over."
        ),
    ] = N_TOPIC_DRAWS,
    n_sweeps: Annotated[
        int,
        typer.Option(
            "--sweeps", metavar="N", help="Sweeps over a document, for all draws together."
        ),
    ] = N_SWEEPS,
    n_jobs: Jobs = defaults.N_JOBS,
    as_json: JsonFlag = False,
) -> None:
    """Infer the topics of documents with the topics' words as they are in a model.

    One row per document, in the order of the input; the shares of a row sum to 1. Texts are counted
    as those of the fit were. Each row depends on its own document alone.
    """
    if output is not None:
        check_table_name(output)
    with waiting(f"reading {model} and {source.name}"):
        estimator = load(model, n_jobs, tuple(ESTIMATORS))
        corpus = source.read(like=estimator.chains_[0].corpus)
    with waiting(f"inferring the topics of {corpus.n_docs:,} documents"):
        doc_topic = estimator.transform(corpus, **_how(estimator.model_kind, n_sweeps, n_draws))
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
        sys.stdout.flush()
        write_csv(sys.stdout.buffer, documents, doc_topic)
        sys.stdout.flush()


def _how(kind: str, n_sweeps: int, n_draws: int) -> dict[str, int]:
    """Return the settings of a model's transform.

    The topics of an HDP are those of one draw. The documents of a mixture have one topic each,
    whose probabilities need no sampling.
    """
    settings = {"lda": {"n_sweeps": n_sweeps, "n_draws": n_draws}, "hdp": {"n_sweeps": n_sweeps}}
    return settings.get(kind, {})
