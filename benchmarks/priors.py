"""What learning priors costs: the time of an update as a share of the sweep before it.

All on one chain that has the estimator's sampler and start; sweeps and updates take turns. A run
notes the log posterior after each sweep, which needs the same counts: "beside" is how much longer
that takes when the priors are updated with it, "alone" the time of an update by itself. Sampled
priors are updated after every sweep, optimised ones after those of the burn-in only. The updates
are thrown away, so that all meet the same topics: learned priors change the time of a sweep too.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import blocklda
from benchmarks.harness import alternate, arguments, corpora, machine, medians, table
from blocklda.evaluate.log_posterior import log_joint
from blocklda.prior_learning import PriorLearning

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
    state = chain._state

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


def main() -> None:
    options = arguments(__doc__)
    rounds = 2 if options.quick else options.repeat
    for name, corpus in corpora(options.quick).items():
        for n_topics in (10,) if options.quick else (40, 200):
            print(f"\n{name}, K = {n_topics}; {machine()}\n")
            print(table(HEADER, measure(corpus, n_topics, rounds)), flush=True)


if __name__ == "__main__":
    main()
