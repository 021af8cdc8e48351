"""What "auto" stands for in each combination of priors and of what is learned."""

from __future__ import annotations

import numpy as np
import pytest

from blocklda import InputError
from blocklda.models.lda.prior_learning import PriorChoice, given_priors

MATRIX = [[0.1, 0.2], [0.3, 0.4]]
VECTOR = [0.1, 0.2]


@pytest.mark.parametrize(
    ("alpha", "learn", "start", "learned"),
    [
        ("auto", "auto", 0.1, "asymmetric"),
        ("auto", "none", 0.1, "none"),
        ("auto", "symmetric", 0.1, "symmetric"),
        ("auto", "asymmetric", 0.1, "asymmetric"),
        (0.5, "auto", 0.5, "none"),
        (0.5, "none", 0.5, "none"),
        (0.5, "symmetric", 0.5, "symmetric"),
        (0.5, "asymmetric", 0.5, "asymmetric"),
        (VECTOR, "auto", VECTOR, "none"),
        (VECTOR, "asymmetric", VECTOR, "asymmetric"),
    ],
)
@pytest.mark.parametrize("has_seed_words", [False, True])
def test_alpha(alpha, learn, start, learned, has_seed_words):
    choice = PriorChoice.resolve(alpha, 0.01, learn, "none", has_seed_words=has_seed_words)
    assert (choice.alpha, choice.learn_alpha) == (start, learned)
    assert (choice.beta, choice.learn_beta) == (0.01, "none")


@pytest.mark.parametrize(
    ("beta", "learn", "has_seed_words", "start", "learned"),
    [
        ("auto", "auto", False, 0.01, "symmetric"),
        ("auto", "auto", True, 0.01, "none"),
        ("auto", "none", False, 0.01, "none"),
        ("auto", "symmetric", False, 0.01, "symmetric"),
        ("auto", "symmetric", True, 0.01, "symmetric"),  # refused once there is a matrix
        ("auto", True, False, 0.01, True),
        ("auto", np.False_, False, 0.01, False),
        (0.2, "auto", False, 0.2, "none"),
        (0.2, "auto", True, 0.2, "none"),
        (0.2, "symmetric", False, 0.2, "symmetric"),
        (MATRIX, "auto", False, MATRIX, "none"),
    ],
)
def test_beta(beta, learn, has_seed_words, start, learned):
    choice = PriorChoice.resolve(0.1, beta, "none", learn, has_seed_words=has_seed_words)
    assert (choice.beta, choice.learn_beta) == (start, learned)
    assert (choice.alpha, choice.learn_alpha) == (0.1, "none")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ("much", "auto", "auto", "auto"),
            r"alpha='much' is not allowed: .* topic, .* or \"auto\"",
        ),
        (("auto", "Auto", "auto", "auto"), r"beta='Auto' is not allowed: .* matrix .* or \"auto\""),
        (
            ("auto", "auto", "yes", "auto"),
            "learn_alpha='yes' .* choose 'auto', 'none', 'symmetric'",
        ),
        (("auto", "auto", 3, "auto"), "learn_alpha=3 is not allowed"),
        (("auto", "auto", "auto", None), "learn_beta=None .* 'auto', 'none' or 'symmetric'"),
        (("auto", "auto", "auto", "asymmetric"), "learn_beta='asymmetric' is not allowed"),
    ],
)
def test_mistakes_are_told(given, said):
    with pytest.raises(InputError, match=said):
        PriorChoice.resolve(*given)


@pytest.mark.parametrize(
    ("how", "burn_in", "learned"),
    [
        ("optimised", 0, ("none", "symmetric")),
        ("optimised", 1, ("none", "symmetric")),
        ("optimised", 2, ("asymmetric", "symmetric")),
        ("sampled", 0, ("asymmetric", "symmetric")),
    ],
)
def test_a_burn_in_that_is_too_short_fixes_what_nobody_asked_to_learn(how, burn_in, learned):
    choice = PriorChoice.resolve("auto", 0.5, "auto", "symmetric").within(burn_in, how)
    assert (choice.learn_alpha, choice.learn_beta) == learned
    assert (choice.alpha, choice.beta) == (0.1, 0.5)


def test_fits_that_learn_nothing_have_numbers():
    assert given_priors("auto", "auto") == (0.1, 0.01)
    assert given_priors(VECTOR, MATRIX) == (VECTOR, MATRIX)
    with pytest.raises(InputError, match="alpha='learned' is not allowed"):
        given_priors("learned", 0.1)
