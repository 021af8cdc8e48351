"""Ours and the peers on KOS and NIPS, side by side in one run: ratios, curves and a plot.

One thread each, the same split (half of the tokens of the last 430 and 250 documents held out),
α = 0.1, β = 0.01, no hyperparameter is learned. Contenders take turns; ratios are taken within a
round, and their medians are compared with the targets. docs/explanation/benchmarks.md
describes the parts.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import tomotopy

import blocklda
from benchmarks.contenders import PEERS, Point, Task
from benchmarks.external import PROGRAMS
from benchmarks.harness import corpora, machine
from benchmarks.mixing import autocorrelation, sweeps_needed
from benchmarks.plots import perplexity_plot
from benchmarks.quality import quality_figures, race
from benchmarks.results import Figure, curves_table, figures_table, write_curves
from benchmarks.speed import against_dense, against_single_site, against_tomotopy

PARTS = "abcdefg"
HELDOUT_DOCS = {"KOS": 430, "NIPS": 250}
TOPICS = {
    "a": [40, 200, 1000],
    "b": [8, 16, 32, 64, 128, 256, 512, 1024],
    "c": [1024],
    "d": [40],
    "f": [40, 200],
}
ROUNDS_OF_RACES = 3


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--quick", action="store_true", help="toy sizes, to see that it runs")
    add("--parts", default=",".join(PARTS), help="which of a,b,c,d,e,f,g (default: all)")
    add("--corpora", default="KOS,NIPS", help="which of KOS,NIPS (default: both)")
    add("--topics", help="numbers of topics for all parts but e, such as 40,200")
    add("--peers", default=",".join(PEERS), help=f"curves of which (default: {','.join(PEERS)})")
    add("--repeat", type=int, default=15, help="timed rounds of parts a, b, c (default: 15)")
    add("--seeds", type=int, default=5, help="seeds of parts d and e (default: 5)")
    add("--sweeps", type=int, default=3000, help="sweeps of each chain of part e (default: 3000)")
    add("--races", type=int, default=ROUNDS_OF_RACES, help="rounds of parts f and g (default: 3)")
    add("--out", type=Path, default=Path("build/bench-peers"), help="folder for what is written")
    for variable in PROGRAMS:
        path = os.environ.get(variable)
        add(f"--{variable.lower()}", type=Path, default=path, help=f"path (default: ${variable})")
    options = parser.parse_args()
    options.parts = options.parts.replace(",", "")
    unknown = set(options.parts) - set(PARTS) or set(options.peers.split(",")) - set(PEERS)
    if unknown:
        parser.error(f"there is no {', '.join(sorted(unknown))}")
    return options


class Bench:
    """The parts that were asked for, and what they found."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.quick = options.quick
        self.figures: list[Figure] = []
        self.points: list[Point] = []
        wanted = options.corpora.split(",")
        self.corpora = {
            name: corpus
            for name, corpus in corpora(self.quick).items()
            if self.quick or name in wanted
        }

    def run(self) -> None:
        rounds = 2 if self.quick else self.options.repeat
        seeds = 2 if self.quick else self.options.seeds
        timed = {"a": against_tomotopy, "b": against_single_site, "c": against_dense}
        for part in self.options.parts:
            if part in timed:
                for task in self.tasks(part):
                    self.found(timed[part](task, rounds))
            elif part == "d":
                for task in self.tasks(part):
                    self.found(sweeps_needed(task, seeds, 20 if self.quick else 200))
            elif part == "e":
                sizes = (50, 10, 50) if self.quick else (self.options.sweeps, 200, 2000)
                self.found(autocorrelation(seeds, *sizes))
        if set("fg") & set(self.options.parts):
            for task in self.tasks("f"):
                self.race(task)

    def race(self, task: Task) -> None:
        """Parts f and g: the other peers run in the first round only."""
        peers = [PEERS[name] for name in self.options.peers.split(",")]
        sweeps = 10 if self.quick else 100
        rounds = []
        for i in range(1 if self.quick else self.options.races):
            this = replace(task, seed=task.seed + i)
            ratios, curves, seconds = race(this, [] if i else peers, sweeps)
            rounds.append(ratios)
            self.points += curves
            if i == 0:
                self.points += self.outsiders(task, seconds)
        self.found(quality_figures(task, rounds, sweeps, self.options.parts))

    def outsiders(self, task: Task, seconds: float) -> Iterator[Point]:
        """Yield the curves of programs to which a path was given."""
        for variable, program in PROGRAMS.items():
            path = getattr(self.options, variable.lower())
            if path is not None:
                with tempfile.TemporaryDirectory() as folder:
                    yield from program(path.absolute(), task, Path(folder)).curve(seconds)

    def tasks(self, part: str) -> Iterator[Task]:
        sizes = [8] if self.quick else TOPICS[part]
        if self.options.topics:
            sizes = [int(text) for text in self.options.topics.split(",")]
        for name, corpus in self.corpora.items():
            last = HELDOUT_DOCS.get(name, corpus.n_docs // 4)
            train, test = blocklda.split_tokens(
                corpus, range(corpus.n_docs - last, corpus.n_docs), seed=0
            )
            for n_topics in sizes:
                yield Task(name, train, test, n_topics, seed=0)

    def found(self, figures: Iterator[Figure]) -> None:
        for figure in figures:
            kept = replace(figure, target=None) if self.quick else figure
            self.figures.append(kept)
            print(f"{kept.corpus}: {kept.measure}: {' '.join(kept.cells())}", flush=True)

    def report(self) -> None:
        folder: Path = self.options.out
        folder.mkdir(parents=True, exist_ok=True)
        about = f"{machine()}, tomotopy with {tomotopy.isa}"
        parts = [f"Ratios, medians over rounds; {about}. Bold: target missed."]
        parts.append(figures_table(self.figures))
        if self.points:
            parts.append("Where the curves end:")
            parts.append(curves_table(self.points))
            write_curves(self.points, folder / "curves.csv")
            perplexity_plot(self.points, folder)
        text = "\n\n".join(parts) + "\n"
        (folder / "table.md").write_text(text, encoding="utf-8")
        print(f"\n{text}\nwritten to {folder}")


def main() -> None:
    bench = Bench(arguments())
    bench.run()
    bench.report()


if __name__ == "__main__":
    main()
