"""``blocklda fit --model hdp``: a number of topics that is not given."""

from __future__ import annotations

from typing import Any

from blocklda.models.hdp.model import check_level
from blocklda.support import defaults
from blocklda.support.errors import InputError
from blocklda.support.messages import Setting

__all__ = ["hdp_settings"]

ONLY_LDA = {
    "alpha": defaults.ALPHA,
    "moves": defaults.MOVES_OF_FIT,
    "learn_alpha": defaults.LEARN_ALPHA,
    "learn_beta": defaults.LEARN_BETA,
    "learn_how": defaults.LEARN_HOW,
}
"""Settings that an HDP does not have, and what they are if nothing is said of them."""

AUTO = "auto"


def hdp_settings(
    settings: dict[str, Any], n_sweeps: str | None, *, on_shards: bool
) -> dict[str, Any]:
    """Return the parameters of HDP; ``n_sweeps`` is what was given on the command line."""
    if settings["n_topics"] is not None:
        raise InputError.of(
            "{setting} is not for an HDP, which infers the number of topics: [leave it out]."
        ).where(setting=Setting("n_topics", settings["n_topics"]))
    for name, default in ONLY_LDA.items():
        if settings[name] != default:
            raise InputError.of("{setting} is for LDA, not for an HDP: [leave it out].").where(
                setting=Setting(name, settings[name])
            )
    if on_shards:
        raise InputError(
            "an HDP is fitted in memory on one machine: no exact scheme for shards is known; "
            "leave out --scheduler, --workers and --out-of-core."
        )
    dropped = {*ONLY_LDA, "n_topics"}
    own = {name: value for name, value in settings.items() if name not in dropped}
    own["beta"] = defaults.HDP_BETA if own["beta"] == AUTO else check_level("beta", own["beta"])
    if n_sweeps is None and own["n_sweeps"] == defaults.N_SWEEPS:
        own["n_sweeps"] = defaults.HDP_SWEEPS
    return own
