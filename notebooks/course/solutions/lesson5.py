"""Solutions of lesson 5, learning. Each section replaces the cell of the notebook with the same first line."""

import numpy as np

import planetwars_env as pw


# exercise 5.1
def features(game):
    """Player 1's part of all people, of the owned planets and of the next births, minus player 2's: three numbers."""
    totals = np.zeros((3, 2))
    for planet, people in zip(game.graph.planets, game.people(), strict=True):
        for player in (0, 1):
            if people[player]:
                births = min(planet.size - people[player], people[player] * planet.habitability / 100)
                totals[:, player] += people[player], 1, max(0, births)
    return (totals[:, 0] - totals[:, 1]) / np.maximum(totals.sum(axis=1), 1)


# exercise 5.2
def split(numbers):
    """A mask of the positions to learn from: three of four games, and every game wholly in or out."""
    return numbers % 4 != 0


# exercise 5.3
def probability(weights, inputs):
    """The estimated probability that player 1 wins, for each row of ``inputs``."""
    return 1 / (1 + np.exp(-inputs @ weights))


# exercise 5.4
def fit(inputs, won, steps=500, rate=1.0):
    """The weights after ``steps`` steps of gradient descent on the mean log loss, from zero."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(steps):
        weights -= rate * inputs.T @ (probability(weights, inputs) - won) / len(won)
    return weights


# exercise 5.5
def accuracy(weights, inputs, won):
    """The part of the positions in which the likelier winner has won."""
    return float(np.mean((probability(weights, inputs) > 0.5) == won))


# exercise 5.6
def verdict(wins, games):
    """A player's result as "better", "worse" or "undecided" than its opponent: whether the interval leaves out 50 %."""
    low, high = pw.Tally(games, wins).interval
    return "better" if low > 0.5 else "worse" if high < 0.5 else "undecided"
