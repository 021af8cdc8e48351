"""What is said after a fit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from blocklda.cli.options.folders import is_model
from blocklda.cli.options.input_options import Source
from blocklda.cli.terminal.fit_facts import FitFacts
from blocklda.cli.terminal.option_names import in_options
from blocklda.cli.terminal.output import result_console
from blocklda.cli.terminal.tables import short_topics, words_without_names
from blocklda.summaries.corpus_facts import corpus_facts, corpus_line
from blocklda.support.durations import duration

__all__ = ["FitReport"]

TOPICS_SHOWN = 20


class FitReport:
    """A fit, where it came from and where it went."""

    def __init__(
        self,
        facts: FitFacts,
        source: Source,
        output: Path | None,
        checkpoint: Path | None,
        went_on_from: int | None,
    ) -> None:
        self._facts = facts
        self._source = source
        self._output = output
        self._checkpoint = checkpoint
        self._went_on_from = went_on_from

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the fit: nothing else ends one early here."""
        return self._facts.n_sweeps < self._facts.n_sweeps_wanted

    def to_dict(self) -> dict[str, Any]:
        """Return the report for programs."""
        facts, found = self._facts, self._facts.diagnostics
        return {
            "input": self._source.path,
            **corpus_facts(facts.corpus),
            "n_topics": facts.n_topics,
            "sampler": facts.sampler,
            "seed": facts.seed,
            "chains": facts.n_chains,
            "sweeps": facts.n_sweeps,
            "burn_in": facts.burn_in,
            "draws": facts.n_draws,
            "seconds": facts.seconds,
            "log_posterior": facts.log_posterior,
            "alpha": facts.alpha,
            "beta": facts.beta,
            "interrupted": self.is_interrupted,
            "converged": None if found is None else found.converged,
            "verdict": self._verdict(),
            "model": self._output,
            "checkpoint": self._checkpoint,
            "went_on_from_sweep": self._went_on_from,
            "topics": facts.rows,
        }

    def show(self) -> None:
        """Print the report for people."""
        console, facts = result_console(), self._facts
        console.print(Text(corpus_line(facts.corpus), "bold"))
        console.print()
        console.print(short_topics(facts.rows, TOPICS_SHOWN))
        hidden = len(facts.rows) - TOPICS_SHOWN
        if hidden > 0:
            console.print(Text(f"and {hidden:,} smaller topics", "dim"))
        nameless = words_without_names(facts.corpus, "give names with")
        if nameless is not None:
            console.print(nameless)
        console.print()
        console.print(Text(self._run_line()))
        if self._went_on_from is not None:
            console.print(
                Text(f"It went on with the run in {self._checkpoint}, {self._went_on_line()}.")
            )
        console.print(Text(self._verdict() or "A chain has no draw yet."))
        console.print()
        console.print(self._where(), soft_wrap=True)  # commands are to be copied

    def say_interrupted(self) -> None:
        """Say on standard error what an interrupted fit is worth, and how it goes on."""
        facts = self._facts
        if self._checkpoint is not None:
            advice = "the same command goes on from there"
        else:
            advice = "with --checkpoint DIR the same command would go on from there"
        typer.echo(
            f"blocklda: interrupted after {facts.n_sweeps:,} of {facts.n_sweeps_wanted:,} sweeps; "
            f"its draws so far ({facts.n_draws:,}) count, and {advice}.",
            err=True,
        )

    def _verdict(self) -> str | None:
        """Return what the diagnostics amount to, None if a chain has no draw to be judged by."""
        if self._facts.diagnostics is None:
            return None
        verdict = in_options(self._facts.diagnostics.verdict)
        return verdict.replace("see unstable_topics", "see blocklda topics")

    def _run_line(self) -> str:
        facts = self._facts
        chains = f" of {facts.n_chains} chains" if facts.n_chains > 1 else ""
        speed = facts.corpus.n_tokens * facts.n_swept / max(facts.seconds, 1e-9) / 1e6
        return (
            f"{facts.n_sweeps:,} sweeps{chains} by the {facts.sampler} sampler in "
            f"{duration(facts.seconds)} ({speed:.1f} M tokens/s), {facts.n_draws:,} draws kept."
        )

    def _went_on_line(self) -> str:
        if self._went_on_from == self._facts.n_sweeps:
            return "whose sweeps were all done"
        return f"from sweep {self._went_on_from:,}"

    def _where(self) -> Text:
        if not self._facts.is_here:
            return self._where_shards_are()
        if self._output is None:
            return Text("The model was not saved: add -o MODEL_DIR to keep it.", "bold")
        folder = shlex.quote(str(self._output))
        reading = self._source.for_like_documents()
        documents = f"NEW_DOCUMENTS{reading}"
        has_texts = self._facts.corpus.text_settings is not None and not is_model(self._source.path)
        texts = f" --input {shlex.quote(str(self._source.path))}{reading}" if has_texts else ""
        return Text.assemble(
            (f"The model is in {self._output}. Next:\n", "bold"),
            f"  blocklda topics {folder}\n",
            f"  blocklda report {folder}{texts} -o report.html\n",
            f"  blocklda transform {folder} {documents} -o topics.csv\n",
            f"  blocklda evaluate {folder} {documents}",
        )

    def _where_shards_are(self) -> Text:
        reason = "This machine cannot hold the documents, so there is no model to save"
        if self._checkpoint is None:
            return Text(f"{reason}: with --checkpoint DIR the run would be kept.", "bold")
        folder = str(self._checkpoint)
        return Text.assemble(
            (f"{reason}; the run is in {folder}. Next:\n", "bold"),
            f"  blocklda topics {shlex.quote(folder)}\n",
            f"  blocklda.parallel.load({folder!r}).doc_topic(0) in Python: the topics of documents",
        )
