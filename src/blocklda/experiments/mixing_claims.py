"""The claims of the paper's sections 4.2 and 4.3, measured."""

from __future__ import annotations

import math

import numpy as np

from blocklda.data.corpus import Corpus
from blocklda.evaluate.compare_result import Comparison
from blocklda.experiments.claims import Claim, PairedDifference, answer
from blocklda.support.arrays import Bools, Floats

__all__ = ["corpus_claims", "final_level", "mixing_claims", "trapped"]

BLOCKED, TWIN_BLOCKED, SINGLE, AUGMENTED = "nested", "backward", "single-site", "augmented"

NOISE_PER_ROOT_TOKEN = 0.5
"""The log posterior of a converged chain on the bars varies with about this standard deviation
times the root of the number of tokens; see demo/bars.py."""

TRAPPED_BELOW = 6 * math.sqrt(2)
"""A run is in a local mode if it ends this many standard deviations below the best run;
local modes of the bars lie some 20,000 below, a hundred times as far."""

PAPER = {
    "kos": {"n_tokens": 467_714, "n_docs": 3_430, "n_words": 6_906},
    "nips": {"n_tokens": 1_932_365, "n_docs": 1_500, "n_words": 12_419},
}


def corpus_claims(name: str, corpus: Corpus) -> list[Claim]:
    """Return how large a corpus is, and of KOS how many words occur once in their document."""
    paper = PAPER[name]
    found = {"n_tokens": corpus.n_tokens, "n_docs": corpus.n_docs, "n_words": corpus.n_words}
    claims = [
        Claim(
            name,
            f"{paper['n_docs']:,} documents, {paper['n_words']:,} words in the vocabulary, "
            f"{paper['n_tokens']:,} words in total",
            f"{found['n_docs']:,}, {found['n_words']:,}, {found['n_tokens']:,}",
            answer(found == paper),
        )
    ]
    if name == "kos":
        once = np.mean(corpus.counts == 1)
        of_tokens = np.sum(corpus.counts == 1) / corpus.n_tokens
        claims.append(
            Claim(
                name,
                "62.9 % of the words occur only once in their document",
                f"{once:.1%} of the pairs of document and word have the count 1, which is "
                f"{of_tokens:.1%} of all words",
                "yes"
                if round(100 * once, 1) == 62.9 or round(100 * of_tokens, 1) == 62.9
                else "no",
            )
        )
    return claims


def mixing_claims(study: str, comparison: Comparison) -> list[Claim]:
    """Return the claims about one corpus."""
    claims = {"simulated": _simulated, "kos": _kos, "nips": _nips}[study](comparison)
    return [*claims, _twins_agree(study, comparison)]


# --- what is read off the curves


def final_level(comparison: Comparison, sampler: str) -> Floats:
    """Return the mean log posterior over the last window of every start."""
    s = comparison.samplers.index(sampler)
    level: Floats = comparison.log_posterior[s, :, -comparison.window :].mean(axis=1)
    return level


def _final_perplexity(comparison: Comparison, sampler: str) -> Floats:
    return comparison.perplexity[comparison.samplers.index(sampler), :, -1]


def trapped(comparison: Comparison, sampler: str) -> Bools:
    """Return which starts end in a local mode."""
    best = max(final_level(comparison, name).max() for name in comparison.samplers)
    noise = NOISE_PER_ROOT_TOKEN * math.sqrt(comparison.n_train_tokens)
    below: Bools = final_level(comparison, sampler) < best - TRAPPED_BELOW * noise
    return below


def _converged_at(comparison: Comparison, sampler: str) -> Floats:
    """Return the first sweep of each start within the noise of where it ends."""
    s = comparison.samplers.index(sampler)
    noise = NOISE_PER_ROOT_TOKEN * math.sqrt(comparison.n_train_tokens)
    near = comparison.log_posterior[s] > final_level(comparison, sampler)[:, None] - 3 * noise
    return np.asarray(np.argmax(near, axis=1), dtype=np.float64)


def _difference(comparison: Comparison, what: str, one: str, other: str) -> PairedDifference:
    values = {"level": final_level, "perplexity": _final_perplexity}[what]
    return PairedDifference.of(values(comparison, one), values(comparison, other))


def _twins_agree(study: str, comparison: Comparison) -> Claim:
    """Both blocked samplers draw from the same conditional: the curves must agree."""
    level = _difference(comparison, "level", BLOCKED, TWIN_BLOCKED)
    perplexity = _difference(comparison, "perplexity", BLOCKED, TWIN_BLOCKED)
    agree = not any((level.is_below, level.is_above, perplexity.is_below, perplexity.is_above))
    return Claim(
        study,
        "nested and backward simulation draw from the same conditional distribution",
        f"final log q differs by {level}, final perplexity by {perplexity} "
        f"({comparison.n_starts} starts)",
        answer(agree),
    )


# --- corpus by corpus


def _simulated(comparison: Comparison) -> list[Claim]:
    study, n = "simulated", comparison.n_starts
    soon = {name: (_converged_at(comparison, name) <= 100) for name in (BLOCKED, SINGLE, AUGMENTED)}
    caught = {name: int(trapped(comparison, name).sum()) for name in (BLOCKED, SINGLE, AUGMENTED)}
    opened = [name for name in comparison.samplers if name.startswith(f"{BLOCKED} after ")]
    shown = caught | {name: int(trapped(comparison, name).sum()) for name in opened}
    below = [_difference(comparison, "perplexity", name, AUGMENTED) for name in (BLOCKED, SINGLE)]
    better = _difference(comparison, "perplexity", BLOCKED, SINGLE)
    return [
        Claim(
            study,
            "most runs converge within about 100 sweeps",
            ", ".join(f"{name} {int(within.sum())} of {n}" for name, within in soon.items()),
            answer(all(within.mean() > 0.5 for within in soon.values())),
        ),
        Claim(
            study,
            "5 of 30 collapsed runs end in local modes, 10 of 30 augmented ones",
            ", ".join(f"{name} {number} of {n}" for name, number in shown.items()),
            answer(max(caught[BLOCKED], caught[SINGLE]) < caught[AUGMENTED]),
        ),
        Claim(
            study,
            "both collapsed samplers reach lower perplexity than the augmented one",
            f"{BLOCKED} − {AUGMENTED} {below[0]}, {SINGLE} − {AUGMENTED} {below[1]}",
            answer(all(difference.is_below for difference in below)),
        ),
        Claim(
            study,
            "the blocked sampler does slightly better than the single-site one",
            f"perplexity, {BLOCKED} − {SINGLE}: {better}",
            answer(better.is_below),
        ),
    ]


def _kos(comparison: Comparison) -> list[Claim]:
    level = _difference(comparison, "level", BLOCKED, SINGLE)
    perplexity = _difference(comparison, "perplexity", BLOCKED, SINGLE)
    return [
        Claim(
            "kos",
            "the blocked sampler is no better than the single-site one in log q",
            f"final log q, {BLOCKED} − {SINGLE}: {level}",
            answer(not level.is_above),
        ),
        Claim(
            "kos",
            "and a little better in perplexity",
            f"final perplexity, {BLOCKED} − {SINGLE}: {perplexity}",
            answer(perplexity.is_below),
        ),
    ]


def _nips(comparison: Comparison) -> list[Claim]:
    sweeps = comparison.sweeps_to_common_level().astype(np.float64)
    of = comparison.samplers.index
    sooner = PairedDifference.of(sweeps[of(SINGLE)], sweeps[of(BLOCKED)])
    perplexity = _difference(comparison, "perplexity", BLOCKED, SINGLE)
    return [
        Claim(
            "nips",
            "the blocked sampler reaches high posterior several hundred sweeps sooner",
            f"sweeps to the log q that all reached, {SINGLE} − {BLOCKED}: {sooner}",
            answer(sooner.is_above and sooner.mean >= 200),
        ),
        Claim(
            "nips",
            "and lower perplexity on average",
            f"final perplexity, {BLOCKED} − {SINGLE}: {perplexity}",
            answer(perplexity.is_below),
        ),
    ]
