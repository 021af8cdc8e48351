"""Exact draws of topics and sticks, moved by each part of a sweep, must keep their law."""

from __future__ import annotations

from functools import partial
from math import factorial
from unittest.mock import patch

import numpy as np
import pytest
from scipy import integrate, stats

import blocklda
from blocklda.models.hdp.global_step import GlobalStep, Learning
from blocklda.models.hdp.model import HDPModel
from blocklda.models.hdp.reference.stick import Stick
from blocklda.models.hdp.sampler import native_blocks, native_grid, native_tables
from blocklda.models.hdp.state import FREE, Levels, State, SweepOptions
from blocklda.support.checks import random_generator
from tests.exact.fit import ACCEPT, REJECT
from tests.models.hdp.fit import STAGES, judge_keys, judge_moments, stay_put
from tests.models.hdp.problem import (
    CELLS_OF_THREE,
    CELLS_OF_TWO,
    CELLS_PER_WORD,
    LARGE_TABLES,
    LONE_BLOCK,
    MANY_WORDS,
    PER_WORD,
    REVEALING,
    SHARED,
    SMALL,
    TABLES_PER_WORD,
    TWO_BLOCKS,
    Problem,
    rising,
    stirling,
)
from tests.mutants.hdp import (
    COLOUR_MUTANTS,
    GLOBAL_MUTANTS,
    HDP_CONTROLS,
    HDP_MUTANTS,
    STICK_MUTANTS,
)

PROBLEMS = {
    "revealing": REVEALING,
    "shared words": SHARED,
    "small": SMALL,
    "large tables": LARGE_TABLES,
    "many words": MANY_WORDS,
    "per word": PER_WORD,
    "tables per word": TABLES_PER_WORD,
}


def token_after_token(state: State, largest: int = 16) -> None:
    """Move all blocks token after token, whatever tokens their words have outside of them."""
    with patch("blocklda.models.hdp.sampler.sequential_from", lambda: 0):
        native_blocks(state, 8, 0.0, largest)


MOVES = {
    "blocks": lambda state: native_blocks(state, 8, 0.0),
    "blocks and tokens": lambda state: native_blocks(state, 8, 0.3),
    "parts of 2": lambda state: native_blocks(state, 2, 0.1),
    "tokens": lambda state: native_blocks(state, 1, 0.0),
    "token after token": token_after_token,
    "token after token in parts of 2": partial(token_after_token, largest=2),
    "tables": lambda state: native_tables(state, 0, 1),
    "blocks, tables, blocks": lambda state: (
        native_blocks(state, 8, 0.4),
        native_tables(state, 0, 2),
        native_blocks(state, 8, 0.4),
    ),
}


# --- identities


def test_partitions_without_words_sum_to_one():
    assert Problem(((2, 1), (1, 2)), 0.7, 1.3, 1.0).without_words().evidence == pytest.approx(1)


def new_stick(stick: type[Stick], A: float, gamma: float) -> Stick:
    """Return a stick of which half is left."""
    state = SMALL.state(SMALL.keys[0], np.append(np.full(len(SMALL.keys[0]), 0.1), 0.5), None)
    state.levels, state.rng = Levels(A / 0.5, gamma, 0.3), random_generator(5)
    return stick(state, 8)


def density(b: np.ndarray, A: float, gamma: float, j: int) -> np.ndarray:
    """Return what the share b of a new topic with j tokens weighs, b^(−1) (A b)^(j) (1 − b)^(γ−1).

    The pole of the first factor is that of the second.
    """
    rest = A * np.prod([A * b + i for i in range(1, j)], axis=0)
    return rest * (1 - b) ** (gamma - 1)


def p_of_stick(stick: type[Stick], A: float, gamma: float) -> float:
    """Compare N_j with quadrature, W with Stirling numbers, and shares with their law."""
    made = new_stick(stick, A, gamma)
    p_values = []
    for j in (1, 2, 4, 8):
        made.state.rest = 0.5
        made.weigh()
        of_words = rising(0.3, j) / rising(0.6, j) / factorial(j)
        total, _ = integrate.quad(density, 0, 1, args=(A, gamma, j))
        if made.weight(j) != pytest.approx(of_words * gamma * total, rel=1e-6):
            return 0.0
        for m in range(1, j + 1):
            direct = stirling(j, m) * A**m * factorial(m - 1) / rising(gamma + 1, m - 1)
            assert made.tables[j][m] == pytest.approx(direct / factorial(j), rel=1e-12)
        shares = []
        for _ in range(1_500):
            state = made.state
            state.numbers[:], state.tau[:], state.rest = FREE, 0.0, 0.5
            made.weigh()
            shares.append(state.tau[made.born(j)] / 0.5)
        points = np.linspace(0, 1, 2_001)
        distribution = integrate.cumulative_trapezoid(
            density(points, A, gamma, j), points, initial=0
        )
        law = partial(np.interp, xp=points, fp=distribution / distribution[-1])
        p_values.append(stats.kstest(shares, law).pvalue)
    return float(min(p_values) * len(p_values))


@pytest.mark.parametrize(("A", "gamma"), [(0.001, 1.4), (1.7, 2.5), (5.0, 1.0)])
def test_the_weight_of_a_new_topic_and_its_share(A, gamma):
    assert p_of_stick(Stick, A, gamma) > ACCEPT


@pytest.mark.parametrize("mutant", STICK_MUTANTS)
def test_wrong_sticks_are_rejected(mutant):
    assert p_of_stick(STICK_MUTANTS[mutant], 5.0, 2.5) < REJECT


def test_new_topics_together_are_an_urn():
    """Several new topics, without words: U_c = A^(c) / c!, as any number of them must have."""
    A, gamma, n = 1.3, 0.7, 5
    g = np.zeros((n + 1, n + 1))
    for j in range(1, n + 1):
        for m in range(1, j + 1):
            g[j, m] = stirling(j, m) * factorial(m - 1) * A**m / factorial(j)
    E = np.zeros((n + 1, n + 1))
    E[0, 0] = 1
    for c in range(1, n + 1):
        for M in range(1, c + 1):
            terms = (
                j * g[j, m] * E[c - j, M - m]
                for j in range(1, c + 1)
                for m in range(1, min(j, M) + 1)
            )
            E[c, M] = gamma * sum(terms) / c
        U = sum(E[c, M] / rising(gamma, M) for M in range(c + 1))
        assert pytest.approx(rising(A, c) / factorial(c), rel=1e-12) == U


# --- parts of a sweep


@pytest.mark.parametrize(
    ("name", "move"),
    [
        *((name, move) for name in ("revealing", "per word") for move in MOVES),
        *(
            (name, move)
            for name in ("shared words", "small")
            for move in ("blocks", "tables", "token after token")
        ),
        ("many words", "token after token"),
        ("large tables", "tables"),
        ("tables per word", "tables"),
    ],
)
def test_exact_draws_keep_their_law(name, move):
    verdict = stay_put(PROBLEMS[name], MOVES[move], 1_500, seed=11)
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("problem", [TWO_BLOCKS, PER_WORD, MANY_WORDS])
@pytest.mark.parametrize("control", HDP_CONTROLS)
def test_the_twins_keep_the_law(control, problem):
    verdict = stay_put(problem, HDP_CONTROLS[control], 500, seed=12)
    assert verdict.p_value > ACCEPT, verdict.report


REVEALED_BY = {
    "rest not shortened": TWO_BLOCKS,
    "emptied topics are leaves": LONE_BLOCK,
    "list before removal": LONE_BLOCK,
    "blocks outside the set move": LONE_BLOCK,
    "emptied sticks are lost": TWO_BLOCKS,
    "static counts of a table": LARGE_TABLES,
    "counts of the document for a table": LONE_BLOCK,
    "one table for a topic": TWO_BLOCKS,
    "no background of a table": CELLS_OF_THREE,
    "equal words in new topics": PER_WORD,
    "equal words at tables": TABLES_PER_WORD,
    "token after token, always accepted": MANY_WORDS,
    "token after token, sums exchanged": MANY_WORDS,
    "token after token, births not in the sums": MANY_WORDS,
}


@pytest.mark.parametrize(("mutant", "problem"), REVEALED_BY.items())
def test_wrong_moves_are_rejected(mutant, problem):
    verdict = stay_put(problem, HDP_MUTANTS[mutant], STAGES[-1], seed=13, stages=STAGES)
    assert verdict.p_value < REJECT, verdict.report


# --- word blocks on a grid


GRIDS = {
    "two groups": (CELLS_OF_TWO, 2),
    "three groups": (CELLS_OF_THREE, 3),
    "shared words": (SHARED, 2),
    "small": (SMALL, 2),
    "one group": (REVEALING, 1),
    "per word": (CELLS_PER_WORD, 2),
}

GRID_MOVES = {
    "blocks": (8, 0.0),
    "blocks and tokens": (8, 0.3),
    "tokens": (1, 0.0),
}


@pytest.mark.parametrize(
    ("name", "move"),
    [
        *(("two groups", move) for move in GRID_MOVES),
        *((name, "blocks and tokens") for name in GRIDS if name != "two groups"),
    ],
)
def test_a_grid_with_births_keeps_the_law(name, move):
    (problem, size), (largest, one_by_one) = GRIDS[name], GRID_MOVES[move]
    verdict = stay_put(
        problem, lambda state: native_grid(state, largest, one_by_one, 1, size), 1_200, seed=14
    )
    assert verdict.p_value > ACCEPT, verdict.report


@pytest.mark.parametrize("mutant", COLOUR_MUTANTS)
def test_wrong_colours_are_rejected(mutant):
    problem = CELLS_PER_WORD if mutant == "first word for all of a group" else CELLS_OF_TWO
    verdict = stay_put(problem, COLOUR_MUTANTS[mutant], STAGES[-1], seed=15, stages=STAGES)
    assert verdict.p_value < REJECT, verdict.report


# --- the global step


FAR = Problem(REVEALING.matrix, 5.0, 8.0, 0.7)
"""Here γ starts far from where it will be drawn, so that an old one shows."""


def p_of_sticks(step: GlobalStep) -> float:
    """Draw sticks given exact topics and sticks: moments of τ, and the number of tables."""
    seen = []
    for state in REVEALING.exact_states(1_200, 21):
        m = step.tables(state)
        step.draw_sticks(state, m, state.levels.gamma)
        squares = float((state.tau**2).sum())
        seen.append((state.rest, squares, len(state.occupied) * state.rest, m.sum()))
    return judge_moments(np.array(seen), np.append(REVEALING.moments(), REVEALING.mean_tables()))


def p_of_order(step: GlobalStep) -> float:
    """Look whether γ and τ belong together: γτ_u − γ²/(γ + M) has the mean 0 given m."""
    seen = []
    for state in FAR.exact_states(500, 22):
        m = step.tables(state)
        step.draw(state, m)
        gamma = state.levels.gamma
        seen.append([gamma * state.rest - gamma**2 / (gamma + m.sum())])
    return judge_moments(np.array(seen), np.zeros(1))


def p_of_global_step(step: type[GlobalStep]) -> float:
    fixed, learned = step(Learning(alpha0=False, gamma=False)), step(Learning())
    return 2 * min(p_of_sticks(fixed), p_of_order(learned))


def test_the_global_step_keeps_the_law_of_sticks():
    assert p_of_global_step(GlobalStep) > ACCEPT


@pytest.mark.parametrize("mutant", GLOBAL_MUTANTS)
def test_wrong_global_steps_are_rejected(mutant):
    assert p_of_global_step(GLOBAL_MUTANTS[mutant]) < REJECT


# --- whole chains


def chain_keys(problem: Problem, n_draws: int, thin: int, **settings):
    chain = blocklda.HDPChain(
        problem.corpus,
        alpha0=problem.alpha0,
        gamma=problem.gamma,
        beta=problem.beta,
        initial_topics=3,
        **settings,
    )
    chain.sweep(40)
    for _ in range(n_draws):
        chain.sweep(thin)
        yield chain


def test_a_chain_visits_partitions_by_their_probabilities():
    chains = chain_keys(REVEALING, 1_500, 3, learn=False, seed=31)
    keys = [REVEALING.key(chain.assignments()) for chain in chains]
    assert judge_keys(REVEALING, keys) > ACCEPT


def test_a_chain_with_a_prior_per_word_visits_partitions_by_their_probabilities():
    chains = chain_keys(TABLES_PER_WORD, 1_200, 3, learn=False, seed=33)
    keys = [TABLES_PER_WORD.key(chain.assignments()) for chain in chains]
    assert judge_keys(TABLES_PER_WORD, keys) > ACCEPT


def test_learned_concentrations_agree_with_quadrature():
    """The exact posterior of α₀ and γ, by a sum over partitions on a grid of both."""
    tiny = Problem(((3, 1), (2, 0)), 1.0, 1.0, 0.3)
    points, weights = np.polynomial.laguerre.laggauss(8)  # the weight e^(−x) is the prior
    posterior = np.array(
        [
            [
                wa * wg * Problem(tiny.matrix, float(a), float(g), tiny.beta).evidence
                for g, wg in zip(points, weights, strict=True)
            ]
            for a, wa in zip(points, weights, strict=True)
        ]
    )
    posterior /= posterior.sum()
    exact = np.array([points @ posterior.sum(axis=1), points @ posterior.sum(axis=0)])
    seen = np.array([[c.alpha0, c.gamma] for c in chain_keys(tiny, 2_500, 1, seed=32)])
    batches = seen.reshape(50, -1, 2).mean(axis=1)
    z = (batches.mean(axis=0) - exact) / (batches.std(axis=0) / np.sqrt(len(batches)))
    assert (stats.t.sf(np.abs(z), len(batches) - 1) > ACCEPT).all(), (z, exact)


# --- the joint law, with the words drawn too


def redrawn_words(state: State, rng: np.random.Generator) -> State:
    """Return the state with words drawn given topics and β, φ integrated out."""
    n_words, docs = state.corpus.n_words, state.token_docs()
    words = np.empty(len(docs), dtype=int)
    for k in np.unique(state.topics):
        held = np.full(n_words, state.levels.beta)
        for t in np.flatnonzero(state.topics == k):
            words[t] = rng.choice(n_words, p=held / held.sum())
            held[words[t]] += 1
    order = np.lexsort((words, docs))
    matrix = np.zeros((state.corpus.n_docs, n_words), dtype=int)
    np.add.at(matrix, (docs, words), 1)
    state.corpus, state.topics = blocklda.Corpus.from_matrix(matrix), state.topics[order]
    state.workspace = None
    state.forget_derived()
    return state


def test_joint_law_with_everything_learned():
    """Geweke: words and topics in turn keep α₀, γ and β at their priors, and K at its own law."""
    rng, learning = np.random.default_rng(41), Learning(beta=True, beta_prior=(4.0, 4.0))
    model = HDPModel(
        blocklda.Corpus.from_matrix(np.array([[4, 0, 0], [1, 1, 1]])),
        Levels(1.0, 1.0, 1.0),
        learning,
    )
    state = model.start("random", random_generator(42), "native")
    sampler = model.find_sampler("sparse")
    options = SweepOptions(table_every=2)
    seen = []
    for i in range(2_800):
        sampler.sweep("native")(state, options, 1)
        state.n_sweeps += 1
        state = redrawn_words(state, rng)
        levels = state.levels
        if i >= 400:
            seen.append((levels.alpha0, levels.gamma, levels.beta, len(state.occupied)))
    values = np.array(seen)
    batches = values.reshape(40, -1, 4).mean(axis=1)
    exact = np.array([1.0, 1.0, 1.0, mean_topics(rng)])
    z = (batches.mean(axis=0) - exact) / (batches.std(axis=0) / np.sqrt(len(batches)))
    assert (stats.t.sf(np.abs(z), len(batches) - 1) > ACCEPT).all(), (z, exact)


def mean_topics(rng: np.random.Generator, n: int = 6_000) -> float:
    """Return the mean number of topics of documents of 4 and 3 tokens under the priors."""
    total = 0
    for alpha0, gamma in rng.exponential(size=(n, 2)):
        tables: list[int] = []
        n_topics = 0
        for length in (4, 3):
            for i in range(length):
                if rng.random() * (alpha0 + i) < alpha0:
                    n_topics += rng.random() * (gamma + len(tables)) < gamma
                    tables.append(1)
        total += n_topics
    return total / n
