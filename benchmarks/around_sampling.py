"""What a fit costs beside its sweeps, and what keeping fewer draws changes.

`python -m benchmarks.around_sampling` prints, for KOS and NIPS:

- the share of a fit's CPU time that the log posterior, kept draws and their means take,
- the CPU time from the start of a fit to its first draw, in sweeps, with and without the start,
- the size of a saved model and the CPU time to load it, in sweeps and for every million tokens of
  the draws in it,
- how far word intervals and the log predictive of some draws lie from those of all.

`--quick` does the same with a few bars.
"""

from __future__ import annotations

import copy
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import blocklda
from benchmarks.harness import arguments, corpora, table
from blocklda.estimator.plan import FitPlan
from blocklda.results.posterior import log_predictive
from blocklda.results.result import FitResult, result_of_run
from blocklda.summaries.topics import topic_summaries

N_TOPICS = 40
GIVEN = {"alpha": 0.1, "beta": 0.01, "random_state": 1, "progress": False}


def shares_of_a_fit(corpus: blocklda.Corpus, n_sweeps: int) -> list[str]:
    """Return the CPU time of a fit's parts, in per cent of the whole."""
    lda = blocklda.LDA(N_TOPICS, n_sweeps=n_sweeps, init="random", burn_in=4, **GIVEN)
    plan = FitPlan.create(lda, corpus)
    run = plan.start()
    part, state = run.chains[0], run.chains[0].chain.state
    seconds = dict.fromkeys(("sweeps", "log posterior", "draws", "means"), 0.0)
    for _ in range(n_sweeps):
        start = time.process_time()
        part.chain.sweep()
        swept = time.process_time()
        part.log_levels.append(part.model.log_level(state))
        recorded = time.process_time()
        if plan.schedule.keeps(part.n_sweeps):
            part.keep(part.chain.draw(0))
        seconds["sweeps"] += swept - start
        seconds["log posterior"] += recorded - swept
        seconds["draws"] += time.process_time() - recorded
    start = time.process_time()
    result_of_run(run, plan.schedule, plan.settings)
    seconds["means"] = time.process_time() - start
    total = sum(seconds.values())
    return [f"{100 * value / total:.1f} %" for value in seconds.values()]


def first_draw(corpus: blocklda.Corpus) -> list[str]:
    """Return the time of a variational start, and to the first draw after it, in sweeps."""
    lda = blocklda.LDA(N_TOPICS, n_sweeps=200, init="variational", burn_in=4, **GIVEN)
    plan = FitPlan.create(lda, corpus)
    start = time.process_time()
    run = plan.start()
    started = time.process_time()
    first = plan.schedule.next_kept(0)
    part = run.chains[0]
    part.advance(first, plan.schedule, lambda: False)
    drawn = time.process_time()
    part.chain.sweep(5)
    sweep = (time.process_time() - drawn) / 5
    return [f"{(started - start) / sweep:.1f}", str(first), f"{(drawn - started) / sweep:.1f}"]


def saved_model(corpus: blocklda.Corpus, n_sweeps: int) -> list[str]:
    """Return how large a model of four chains is, and how long it takes to be read."""
    lda = blocklda.LDA(N_TOPICS, n_sweeps=n_sweeps, burn_in=4, thin=1, n_chains=4, **GIVEN)
    lda.fit(corpus)
    start = time.process_time()
    copy.copy(lda.chains_[0]).sweep()
    sweep = time.process_time() - start
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "model"
        start = time.process_time()
        lda.save(folder)
        saved = time.process_time()
        blocklda.LDA.load(folder)
        loaded = time.process_time()
        n_bytes = sum(path.stat().st_size for path in folder.iterdir())
        of_draws = sum(path.stat().st_size for path in folder.glob("draws-*"))
    drawn = len(lda.draws_) * corpus.n_tokens
    return [
        f"{len(lda.draws_)}",
        f"{n_bytes / 1e6:.1f} MB",
        f"{8 * of_draws / drawn:.2f}",
        f"{(saved - start) / sweep:.1f}",
        f"{(loaded - saved) / sweep:.1f}",
        f"{1e9 * (loaded - saved) / drawn:.0f} ns",
    ]


def effect_of_fewer(corpus: blocklda.Corpus, n_draws: int) -> list[list[str]]:
    """Return errors of word intervals and of the log predictive, by the number of draws."""
    train, heldout = blocklda.split_tokens(corpus, slice(0, None, 10), 1)
    lda = blocklda.LDA(
        N_TOPICS, n_sweeps=60 + 4 * n_draws, burn_in=60, thin=4, keep_draws=n_draws, **GIVEN
    ).fit(train)
    result = lda.result_
    reference = _intervals(result, result.draws)
    width = reference[:, 1] - reference[:, 0]
    level = _mean_log(result.draws, heldout)
    rows = []
    step = 2
    while n_draws // step >= 4:
        some = result.draws[step - 1 :: step]
        error = np.abs(_intervals(result, some) - reference) / width[:, None]
        rows.append(
            [
                str(len(some)),
                f"{100 * error.mean():.1f} %",
                f"{100 * np.quantile(error, 0.95):.1f} %",
                f"{_mean_log(some, heldout) - level:+.5f}",
            ]
        )
        step *= 2
    return rows


def _intervals(result: FitResult, draws: tuple[blocklda.Draw, ...]) -> np.ndarray:
    found = topic_summaries(draws, result.trace, result.alignment, result.topic_word)
    return np.array(
        [[w.probability.low, w.probability.high] for topic in found for w in topic.words]
    )


def _mean_log(draws: tuple[blocklda.Draw, ...], heldout: blocklda.Corpus) -> float:
    return float(np.average(log_predictive(draws, heldout), weights=heldout.counts))


def main() -> None:
    """Print a table for each question."""
    options = arguments(__doc__)
    warnings.simplefilter("ignore")
    sizes = (20, 8) if options.quick else (100, 128)
    read = corpora(options.quick)
    print("CPU time of a fit with one chain and the usual thinning\n")
    header = ["corpus", "sweeps", "log posterior", "draws", "means"]
    print(table(header, [[name, *shares_of_a_fit(read[name], sizes[0])] for name in read]))
    print("\nTime to the first draw with burn_in=4, in sweeps\n")
    header = ["corpus", "start", "sweep of the first draw", "after the start"]
    print(table(header, [[name, *first_draw(read[name])] for name in read]))
    print("\nA saved model of four chains\n")
    header = ["corpus", "draws", "size", "bits a token and draw", "saving", "loading", "a token"]
    print(table(header, [[name, *saved_model(read[name], sizes[0])] for name in read]))
    print(f"\nFewer draws against {sizes[1]}: errors of interval ends in widths, nats a token\n")
    header = ["draws", "mean error", "95th percentile", "log predictive"]
    name = next(iter(read))
    print(table(header, effect_of_fewer(read[name], sizes[1])))


if __name__ == "__main__":
    main()
