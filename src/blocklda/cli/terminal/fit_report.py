"""What is said after a fit."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from rich.text import Text

from blocklda.cli.options.input_options import Source
from blocklda.cli.terminal.echo import echo
from blocklda.cli.terminal.option_names import in_options
from blocklda.cli.terminal.output import result_console
from blocklda.cli.terminal.tables import short_topics, words_without_names
from blocklda.diagnostics.report import diagnose
from blocklda.diagnostics.topic_counts import TopicCountSummary, topic_count_summary
from blocklda.results.result import FitResult
from blocklda.run.engine import Ending
from blocklda.summaries.corpus_facts import corpus_facts, corpus_line
from blocklda.summaries.topic_rows import topic_rows
from blocklda.support.defaults import INTERVAL, RELEVANCE_WEIGHT
from blocklda.support.durations import duration

__all__ = ["WORDS_SHOWN", "FitReport"]

INPUTS_SHOWN = 5
TOPICS_SHOWN = 20
WORDS_SHOWN = 8
"""Words of a topic that a terminal has room for."""


ENDINGS = {
    Ending.SETTLED: "; it ended because more sweeps no longer changed the result",
    Ending.CAP: "; it ended at the limit of sweeps",
    Ending.TIME: "; it ended at the time limit, so another run may end elsewhere",
}
"""What is said of a run that ended otherwise than after a given number of sweeps."""


class FitReport:
    """A fit, where it came from and where it went."""

    def __init__(
        self,
        result: FitResult,
        source: Source,
        output: Path | None,
        checkpoint: Path | None,
        went_on_from: int | None,
    ) -> None:
        self._result = result
        self._diagnostics = diagnose(result) if result.trace.n_draws else None
        self._rows = topic_rows(result, WORDS_SHOWN, RELEVANCE_WEIGHT, INTERVAL, "size")
        self._source = source
        self._output = output
        self._checkpoint = checkpoint
        self._went_on_from = went_on_from

    @property
    def is_interrupted(self) -> bool:
        """Return True if Ctrl-C ended the fit: nothing else ends one early here."""
        return self._result.ending is Ending.INTERRUPT

    def to_dict(self) -> dict[str, Any]:
        """Return the report for programs."""
        result, found, beta = self._result, self._diagnostics, self._result.priors["beta"]
        counts = self._topic_counts()
        return {
            "input": self._source.given,
            **corpus_facts(result.corpus),
            "n_topics": result.n_topics,
            "sampler": result.sampler,
            "seed": result.seed,
            "chains": result.n_chains,
            "sweeps": min(result.n_sweeps),
            "burn_in": result.burn_in,
            "draws": result.n_draws,
            "seconds": result.seconds,
            "log_posterior": result.last_log_posterior(),
            "alpha": result.priors.get("alpha"),
            **{name: result.priors[name] for name in ("alpha0", "gamma") if name in result.priors},
            **({} if counts is None else {"topic_counts": counts.to_dict()}),
            "beta": beta if isinstance(beta, float) else None,
            "interrupted": self.is_interrupted,
            "ending": str(result.ending),
            "level": None if found is None else str(found.level),
            "findings": self._findings(),
            "converged": None if found is None else found.converged,
            "verdict": self._verdict(),
            "model": self._output,
            "checkpoint": self._checkpoint,
            "went_on_from_sweep": self._went_on_from,
            "topics": self._rows,
        }

    def show(self) -> None:
        """Print the report for people."""
        console, result = result_console(), self._result
        console.print(Text(corpus_line(result.corpus), "bold"))
        console.print()
        console.print(short_topics(self._rows, TOPICS_SHOWN))
        hidden = len(self._rows) - TOPICS_SHOWN
        if hidden > 0:
            console.print(Text(f"and {hidden:,} smaller topics", "dim"))
        nameless = words_without_names(result.corpus, "give one with")
        if nameless is not None:
            console.print(nameless)
        console.print()
        console.print(Text(self._run_line()))
        counts = self._topic_counts()
        if counts is not None:
            console.print(Text(str(counts)))
        if self._went_on_from is not None:
            console.print(
                Text(f"It resumed the run in {self._checkpoint}, {self._went_on_line()}.")
            )
        console.print(Text(self._verdict() or "A chain has no draw yet."))
        console.print()
        console.print(self._where(), soft_wrap=True)  # commands are to be copied

    def say_interrupted(self) -> None:
        """Print on standard error what an interrupted fit is worth, and how to resume it."""
        result = self._result
        if self._checkpoint is not None:
            advice = "the same command continues from there"
        else:
            advice = "with --checkpoint DIR the same command would continue from there"
        echo(
            f"blocklda: interrupted after {min(result.n_sweeps):,} of {result.schedule.n_sweeps:,} "
            f"sweeps; its draws so far ({result.n_draws:,}) are kept, and {advice}.",
            err=True,
        )

    def _topic_counts(self) -> TopicCountSummary | None:
        """Return how many topics there are where that varies, None where it is given."""
        return topic_count_summary(self._result)

    def _verdict(self) -> str | None:
        """Return what the diagnostics amount to, None if a chain has no draw to be judged by."""
        if self._diagnostics is None:
            return None
        return in_options(self._diagnostics.verdict)

    def _findings(self) -> list[dict[str, str]]:
        """Return the finding for each purpose, in the options of the command line."""
        found = () if self._diagnostics is None else self._diagnostics.findings
        return [
            {
                "purpose": one.purpose,
                "level": str(one.level),
                "sentence": in_options(one.sentence),
            }
            for one in found
        ]

    def _run_line(self) -> str:
        result = self._result
        chains = f" of {result.n_chains} chains" if result.n_chains > 1 else ""
        draws = "draw" if result.n_draws == 1 else "draws"
        speed = result.corpus.n_tokens * sum(result.n_sweeps) / max(result.seconds, 1e-9) / 1e6
        return (
            f"{min(result.n_sweeps):,} sweeps{chains} by the {result.sampler} sampler in "
            f"{duration(result.seconds)} ({speed:.1f} M tokens/s), {result.n_draws:,} {draws} kept"
            f"{ENDINGS.get(result.ending, '')}."
        )

    def _went_on_line(self) -> str:
        if self._went_on_from == min(self._result.n_sweeps):
            return "whose sweeps were all done"
        return f"from sweep {self._went_on_from:,}"

    def _where(self) -> Text:
        if self._result.run is None:
            return self._where_shards_are()
        if self._output is None:
            return Text("The model was not saved: add -o MODEL_DIR to keep it.", "bold")
        folder = shlex.quote(str(self._output))
        reading = self._source.for_like_documents()
        documents = f"NEW_DOCUMENTS{reading}"
        settings = self._result.corpus.text_settings
        texts = ""
        # Nobody wants to copy a command that names a thousand files.
        is_short = len(self._source.paths) <= INPUTS_SHOWN
        if settings is not None and self._source.is_named and is_short:
            inputs = (f" --input {shlex.quote(str(path))}" for path in self._source.paths)
            texts = "".join(inputs) + reading
        next_steps = (f"The model is in {self._output}. Next:\n", "bold")
        return Text.assemble(
            next_steps,
            f"  blocklda topics {folder}\n",
            f"  blocklda report {folder}{texts} -o report.html\n",
            f"  blocklda transform {folder} {documents} -o topics.csv\n",
            f"  blocklda evaluate {folder} {documents}",
        )

    def _where_shards_are(self) -> Text:
        reason = "This machine cannot hold the documents, so there is no model to save"
        if self._checkpoint is None:
            return Text(f"{reason}: use --checkpoint DIR to keep the run.", "bold")
        folder = str(self._checkpoint)
        return Text.assemble(
            (f"{reason}; the run is in {folder}. Next:\n", "bold"),
            f"  blocklda topics {shlex.quote(folder)}\n",
            f"  blocklda.parallel.load({folder!r}).doc_topic(0) in Python: the topics of documents",
        )
