"""What learning priors costs, and what it is worth.

The cost is the time of an update as a share of the sweep before it, all on one chain that has the
estimator's sampler and start; sweeps and updates take turns. A run notes the log posterior after
each sweep, which needs the same counts: "beside" is how much longer that takes when the priors are
updated with it, "alone" the time of an update by itself. Sampled priors are updated after every
sweep, optimised ones after those of the burn-in only. The updates are thrown away, so that all meet
the same topics: learned priors change the time of a sweep too.

The worth is the perplexity of held-out words by the mean over draws of one chain, with a burn-in of
100 sweeps and a draw every 4 of 100 more; beside it the priors at the end of the burn-in.

The race (benchmarks/prior_race.py) is between whole fits, in the CPU time of 500 sweeps of
tomotopy, on the same corpora and on a simulated one.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

import blocklda
from benchmarks import prior_race
from benchmarks.contenders import Task
from benchmarks.harness import alternate, arguments, corpora, machine, medians, table
from benchmarks.prior_race import TEST, split
from blocklda.models.lda.log_posterior import log_joint
from blocklda.models.lda.predictive import perplexity
from blocklda.models.lda.prior_learning import PriorLearning

WARM_UP = 20
LEARNED = (
    ("symmetric", "none"),
    ("none", "symmetric"),
    ("symmetric", "symmetric"),
    ("asymmetric", "none"),
    ("asymmetric", "symmetric"),
)
HOWS = ("sampled", "optimised")
HEADER = ["learned", *(f"{how}, {column}" for how in HOWS for column in ("alone", "beside"))]


def measure(corpus: blocklda.Corpus, n_topics: int, rounds: int) -> list[list[str]]:
    """Return a row for each choice of what is learned: shares of a sweep, by how."""
    chain = blocklda.Chain(corpus, n_topics, sampler="auto", init="variational", seed=1)
    chain.sweep(WARM_UP)
    state = chain.state

    def noted(learning: PriorLearning) -> None:
        cells = state.cells()
        log_joint(replace(state, priors=learning.updated(state, state.rng, cells)), cells)

    contenders = {"sweep": chain.sweep, "noted": chain.log_posterior}
    for alpha, beta, how in product_of_choices():
        learning = PriorLearning.create(alpha, beta, how, (1.0, 1.0), (1.0, 1.0))
        contenders[f"{alpha} {beta} {how} alone"] = partial(learning.updated, state, state.rng)
        contenders[f"{alpha} {beta} {how} noted"] = partial(noted, learning)
    seconds = medians(alternate(contenders, rounds))
    sweep = seconds["sweep"]
    rows = [
        [f"noting the log posterior: {seconds['noted'] / sweep:.3f} of {sweep:.3f} s", *[""] * 4]
    ]
    for alpha, beta in LEARNED:
        shares = []
        for how in HOWS:
            name = f"{alpha} {beta} {how}"
            shares.append(seconds[f"{name} alone"] / sweep)
            shares.append((seconds[f"{name} noted"] - seconds["noted"]) / sweep)
        rows.append([f"alpha {alpha}, beta {beta}", *(f"{share:.3f}" for share in shares)])
    return rows


def product_of_choices() -> list[tuple[str, str, str]]:
    return [(alpha, beta, how) for alpha, beta in LEARNED for how in HOWS]


def worth(corpus: blocklda.Corpus, n_test: int, n_topics: int, half: int) -> list[list[str]]:
    """Return a row for each choice: priors after ``half`` of the sweeps, perplexity at the end."""
    train, test = split(corpus, n_test)
    rows = []
    for alpha, beta, how in [("none", "none", "sampled"), *product_of_choices()]:
        learning = PriorLearning.create(alpha, beta, how, (1.0, 1.0), (1.0, 1.0))
        chain = blocklda.Chain(train, n_topics, sampler="auto", init="variational", seed=1)
        state, predictions = chain.state, []
        for sweep in range(1, 2 * half + 1):
            chain.sweep()
            if learning.is_due(sweep, half):
                state.priors = learning.updated(state, state.rng)
            if sweep == half:
                priors = state.priors
            if sweep > half and sweep % 4 == 0:
                predictions.append(chain.draw().predictive(test))
        rows.append(
            [
                f"alpha {alpha}, beta {beta}, {how}" if learning.is_active else "nothing",
                f"{priors.alpha.min():.3f} to {priors.alpha.max():.3f}",
                f"{priors.alpha.sum():.2f}",
                f"{priors.beta[0, 0]:.4f}",
                f"{perplexity(np.mean(predictions, axis=0), test):.0f}",
            ]
        )
    return rows


def races(given: dict[str, blocklda.Corpus], quick: bool) -> None:
    """Print what fits with given and learned priors reach in the same time."""
    simulated = prior_race.unequal_topics(*((60, 50, 5) if quick else ()))
    K, sweeps = (5, 20) if quick else (40, 500)
    for name, corpus in {**given, "simulated": simulated}.items():
        for seed in (0,) if quick else (0, 1):
            task = Task(name, *split(corpus, 10 if quick else TEST[name]), K, seed)
            print(f"\n{name}, K = {K}, seed {seed}, CPU time of {sweeps} sweeps of tomotopy\n")
            print(table(prior_race.HEADER, prior_race.race(task, sweeps)), flush=True)


def main() -> None:
    options = arguments(__doc__)
    rounds = 2 if options.quick else options.repeat
    known = corpora(options.quick)
    races(known, options.quick)
    for name, corpus in known.items():
        for n_topics in (10,) if options.quick else (40, 200):
            print(f"\n{name}, K = {n_topics}; {machine()}\n")
            print(table(HEADER, measure(corpus, n_topics, rounds)), flush=True)
            rows = worth(corpus, TEST.get(name, 10), n_topics, half=4 if options.quick else 100)
            print("\n" + table(["learned", "alpha", "sum", "beta", "perplexity"], rows), flush=True)


if __name__ == "__main__":
    main()
