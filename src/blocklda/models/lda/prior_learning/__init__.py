"""Learning α and β from the topics of a chain, by optimising them or by sampling them."""

from __future__ import annotations

from blocklda.models.lda.prior_learning.auto import PriorChoice, given_priors
from blocklda.models.lda.prior_learning.settings import NOTHING_LEARNED, PriorLearning

__all__ = ["NOTHING_LEARNED", "PriorChoice", "PriorLearning", "given_priors"]
