"""What is said after a fit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from rich.text import Text

from blocklda.cli.consoles import result_console
from blocklda.cli.input_options import Source
from blocklda.cli.model_folder import is_model
from blocklda.cli.option_names import in_options
from blocklda.cli.tables import short_topics, words_without_names
from blocklda.cli.topic_rows import topic_rows
from blocklda.durations import duration
from blocklda.summaries.corpus_facts import corpus_facts, corpus_line
from blocklda.summaries.fitted import fitted

if TYPE_CHECKING:
    from blocklda.estimator import LDA

__all__ = ["FitReport"]

TOPICS_SHOWN = 20
WORDS_SHOWN = 8
RELEVANCE_WEIGHT = 0.6
INTERVAL = 0.9


class FitReport:
    """A fitted model, where it came from and where it went."""

    def __init__(
        self,
        lda: LDA,
        source: Source,
        output: Path | None,
        checkpoint: Path | None,
        went_on_from: int | None,
    ) -> None:
        self._lda = lda
        self._source = source
        self._output = output
        self._checkpoint = checkpoint
        self._went_on_from = went_on_from
        self._fit = fitted(lda)
        self._corpus = self._fit.corpus
        self._diagnostics = lda.diagnostics() if self._fit.trace.n_draws else None
        self._rows = topic_rows(lda, WORDS_SHOWN, RELEVANCE_WEIGHT, INTERVAL, "size")

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the fit: nothing else ends one early here."""
        return bool(self._lda.n_sweeps_ < self._lda.n_sweeps)

    def to_dict(self) -> dict[str, Any]:
        """Return the report for programs."""
        lda, found = self._lda, self._diagnostics
        return {
            "input": self._source.path,
            **corpus_facts(self._corpus),
            "n_topics": len(lda.components_),
            "sampler": lda.chains_[0].sampler,
            "seed": lda.random_state,
            "chains": len(lda.chains_),
            "sweeps": lda.n_sweeps_,
            "burn_in": self._fit.burn_in,
            "draws": self._fit.n_draws,
            "seconds": self._fit.seconds,
            "log_posterior": self._fit.last_log_posterior(),
            "alpha": lda.alpha_,
            "beta": lda.beta_ if isinstance(lda.beta_, float) else None,
            "interrupted": self.is_interrupted,
            "converged": None if found is None else found.converged,
            "verdict": self._verdict(),
            "model": self._output,
            "checkpoint": self._checkpoint,
            "went_on_from_sweep": self._went_on_from,
            "topics": self._rows,
        }

    def show(self) -> None:
        """Print the report for people."""
        console = result_console()
        console.print(Text(corpus_line(self._corpus), "bold"))
        console.print()
        console.print(short_topics(self._rows, TOPICS_SHOWN))
        hidden = len(self._rows) - TOPICS_SHOWN
        if hidden > 0:
            console.print(Text(f"and {hidden:,} smaller topics", "dim"))
        nameless = words_without_names(self._corpus, "give names with")
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
        lda = self._lda
        if self._checkpoint is not None:
            advice = "the same command goes on from there"
        else:
            advice = "with --checkpoint DIR the same command would go on from there"
        typer.echo(
            f"blocklda: interrupted after {lda.n_sweeps_:,} of {lda.n_sweeps:,} sweeps; its draws "
            f"so far ({self._fit.n_draws:,}) count, and {advice}.",
            err=True,
        )

    def _verdict(self) -> str | None:
        """Return what the diagnostics amount to, None if a chain has no draw to be judged by."""
        if self._diagnostics is None:
            return None
        verdict = in_options(self._diagnostics.verdict)
        return verdict.replace("see unstable_topics", "see blocklda topics")

    def _run_line(self) -> str:
        lda, fit = self._lda, self._fit
        chains = f" of {fit.n_chains} chains" if fit.n_chains > 1 else ""
        n_tokens = self._corpus.n_tokens * sum(chain.n_sweeps for chain in lda.chains_)
        speed = n_tokens / max(fit.seconds, 1e-9) / 1e6
        return (
            f"{lda.n_sweeps_:,} sweeps{chains} by the {lda.chains_[0].sampler} sampler in "
            f"{duration(fit.seconds)} ({speed:.1f} M tokens/s), {fit.n_draws:,} draws kept."
        )

    def _went_on_line(self) -> str:
        if self._went_on_from == self._lda.n_sweeps_:
            return "whose sweeps were all done"
        return f"from sweep {self._went_on_from:,}"

    def _where(self) -> Text:
        if self._output is None:
            return Text("The model was not saved: add -o MODEL_DIR to keep it.", "bold")
        folder = shlex.quote(str(self._output))
        reading = self._source.for_like_documents()
        documents = f"NEW_DOCUMENTS{reading}"
        has_texts = self._corpus.text_settings is not None and not is_model(self._source.path)
        texts = f" --input {shlex.quote(str(self._source.path))}{reading}" if has_texts else ""
        return Text.assemble(
            (f"The model is in {self._output}. Next:\n", "bold"),
            f"  blocklda topics {folder}\n",
            f"  blocklda report {folder}{texts} -o report.html\n",
            f"  blocklda transform {folder} {documents} -o topics.csv\n",
            f"  blocklda evaluate {folder} {documents}",
        )
