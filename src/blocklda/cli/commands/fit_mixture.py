"""``blocklda fit --model mixture``: one component per document."""

from __future__ import annotations

from typing import Any

from blocklda.models.lda.priors import check_n_topics
from blocklda.models.mixture.priors import MixturePriors
from blocklda.support import defaults
from blocklda.support.errors import InputError
from blocklda.support.messages import Setting

__all__ = ["mixture_settings"]

ONLY_LDA = {
    "sampler": "auto",
    "moves": defaults.MOVES_OF_FIT,
    "learn_alpha": defaults.LEARN_ALPHA,
    "learn_beta": defaults.LEARN_BETA,
    "learn_how": defaults.LEARN_HOW,
}
"""Settings that a mixture does not have, and what they are if nothing is said of them."""

AUTO = "auto"


def mixture_settings(settings: dict[str, Any], *, on_shards: bool) -> dict[str, Any]:
    """Return the parameters of DPMixture: ``--topics`` is K, and without it K is open."""
    for name, default in ONLY_LDA.items():
        if settings[name] != default:
            raise InputError.of("{setting} is for LDA, not for a mixture: [leave it out].").where(
                setting=Setting(name, settings[name])
            )
    if on_shards:
        raise InputError(
            "a mixture is fitted in memory on one machine: no exact scheme for shards is known; "
            "leave out --scheduler, --workers and --out-of-core."
        )
    own = {name: value for name, value in settings.items() if name not in ONLY_LDA}
    if own["n_topics"] is not None:
        check_n_topics(own["n_topics"])
    own["n_components"] = own.pop("n_topics")
    if own["alpha"] == AUTO:
        own["alpha"] = "sampled"
    if own["beta"] == AUTO:
        own["beta"] = defaults.COMPONENT_BETA
    MixturePriors.create(
        1,
        defaults.CONCENTRATION if own["alpha"] == "sampled" else own["alpha"],
        own["beta"],
        own["n_components"],
        is_learned=False,
        alpha_prior=defaults.PRIOR_OF_PRIORS,
    )
    return own
