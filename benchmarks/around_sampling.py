"""What a fit costs beside its sweeps, and what keeping fewer draws changes.

`python -m benchmarks.around_sampling` prints, for KOS and NIPS:

- the share of a fit's CPU time that the log posterior, kept draws and their means take, with given
  and with learned priors, and for a simulated corpus of 4.6 million tokens with 200 topics; what
  sweeps take longer because they note cells for the log posterior counts as its time,
- the CPU time from the start of a fit to its first draw, in sweeps, with and without the start,
  for the simulated corpus, too,
- the size of a saved model and the CPU time to load it, in sweeps and for every million tokens of
  the draws in it,
- how far word intervals and the log predictive of some draws lie from those of all.

`--quick` does the same with a few bars.
"""

from __future__ import annotations

import copy
import statistics
import tempfile
import time
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from scipy import sparse

import blocklda
from benchmarks.fit_memory import NEWS
from benchmarks.harness import alternate, arguments, corpora, table
from blocklda import _native
from blocklda.estimator.plan import FitPlan
from blocklda.models.lda.state import State
from blocklda.results.posterior import log_predictive
from blocklda.results.result import FitResult, result_of_run
from blocklda.summaries.topics import topic_summaries

N_TOPICS = 40
LARGE = "4.6 M tokens, K = 200"
SHARED = {"random_state": 1, "progress": False}
GIVEN = {"alpha": 0.1, "beta": 0.01, **SHARED}


def shares_of_a_fit(
    corpus: blocklda.Corpus, n_sweeps: int, n_topics: int, priors: Mapping[str, object]
) -> list[str]:
    """Return the CPU time of a fit's parts, in per cent of the whole."""
    lda = blocklda.LDA(n_topics, n_sweeps=n_sweeps, init="random", burn_in=4, **SHARED, **priors)
    plan = FitPlan.create(lda, corpus)
    run = plan.start()
    part, state = run.chains[0], run.chains[0].chain.state
    seconds = dict.fromkeys(("sweeps", "priors", "log posterior", "draws", "means"), 0.0)
    for _ in range(n_sweeps):
        start = time.process_time()
        part.chain.sweep()
        swept = time.process_time()
        part.model.between_sweeps(state, plan.schedule.burn_in)
        learned = time.process_time()
        part.log_levels.append(part.model.log_level(state))
        recorded = time.process_time()
        if plan.schedule.keeps(part.n_sweeps):
            part.keep(part.chain.draw(0))
        seconds["sweeps"] += swept - start
        seconds["priors"] += learned - swept
        seconds["log posterior"] += recorded - learned
        seconds["draws"] += time.process_time() - recorded
    start = time.process_time()
    result_of_run(run, plan.schedule, plan.settings)
    seconds["means"] = time.process_time() - start
    noting = min(seconds["sweeps"], n_sweeps * seconds_of_noting(state, n_sweeps // 4))
    seconds["sweeps"] -= noting
    seconds["log posterior"] += noting
    total = sum(seconds.values())
    return [f"{100 * value / total:.1f} %" for value in seconds.values()]


def seconds_of_noting(state: State, rounds: int) -> float:
    """Return how much longer a sweep takes that notes cells, in the median of some rounds."""

    workspace = _native.DenseWorkspace()

    def sweep(notes_cells: bool) -> None:
        with state.rng.bit_generator.lock:
            generator = state.rng.bit_generator.capsule
            arguments = state.corpus.native, state.priors.native, state.topics, generator
            _native.single_site(*arguments, 1, workspace, notes_cells=notes_cells)
        if notes_cells:
            _native.noted_cells(workspace)

    # Forwards and backwards, so that neither always follows the other.
    sweeps = {
        "noted": lambda: sweep(True),
        "plain": lambda: sweep(False),
        "plain again": lambda: sweep(False),
        "noted again": lambda: sweep(True),
    }
    seconds = alternate(sweeps, max(1, rounds), time.process_time)
    noted = [*seconds["noted"], *seconds["noted again"]]
    plain = [*seconds["plain"], *seconds["plain again"]]
    return max(0.0, statistics.median(n - p for n, p in zip(noted, plain, strict=True)))


def news() -> blocklda.Corpus:
    """Return a corpus of the size of a newsgroup collection, with words as frequent as in texts."""
    n_docs, n_words, n_tokens = NEWS
    rng = np.random.default_rng(1)
    frequencies = 1 / np.arange(1, n_words + 1)
    words = rng.choice(n_words, n_tokens, p=frequencies / frequencies.sum())
    docs = rng.integers(n_docs, size=n_tokens)
    counts = sparse.coo_matrix((np.ones(n_tokens, int), (docs, words)), shape=(n_docs, n_words))
    return blocklda.Corpus.from_matrix(counts)


def first_draw(corpus: blocklda.Corpus, n_topics: int) -> list[str]:
    """Return the time of a variational start, and to the first draw after it, in sweeps."""
    lda = blocklda.LDA(n_topics, n_sweeps=200, init="variational", burn_in=4, **GIVEN)
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


def shares(read: Mapping[str, blocklda.Corpus], n_sweeps: int, is_quick: bool) -> list[list[str]]:
    """Return a row for each corpus, with given and with learned priors, and one for the large."""
    given: dict[str, object] = {"alpha": 0.1, "beta": 0.01}
    rows = [
        [name, said, *shares_of_a_fit(read[name], n_sweeps, N_TOPICS, priors)]
        for name in read
        for said, priors in (("given", given), ("learned", {}))
    ]
    if not is_quick:
        rows.append([LARGE, "given", *shares_of_a_fit(news(), 16, 200, given)])
    return rows


def main() -> None:
    """Print a table for each question."""
    options = arguments(__doc__)
    warnings.simplefilter("ignore")
    sizes = (20, 8) if options.quick else (100, 128)
    read = corpora(options.quick)
    print("CPU time of a fit with one chain and the usual thinning\n")
    header = ["corpus", "priors", "sweeps", "learning", "log posterior", "draws", "means"]
    print(table(header, shares(read, sizes[0], options.quick)))
    print("\nTime to the first draw with burn_in=4, in sweeps\n")
    header = ["corpus", "start", "sweep of the first draw", "after the start"]
    firsts = [[name, *first_draw(read[name], N_TOPICS)] for name in read]
    if not options.quick:
        firsts.append([LARGE, *first_draw(news(), 200)])
    print(table(header, firsts))
    print("\nA saved model of four chains\n")
    header = ["corpus", "draws", "size", "bits a token and draw", "saving", "loading", "a token"]
    print(table(header, [[name, *saved_model(read[name], sizes[0])] for name in read]))
    print(f"\nFewer draws against {sizes[1]}: errors of interval ends in widths, nats a token\n")
    header = ["draws", "mean error", "95th percentile", "log predictive"]
    name = next(iter(read))
    print(table(header, effect_of_fewer(read[name], sizes[1])))


if __name__ == "__main__":
    main()
