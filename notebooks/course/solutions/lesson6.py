"""Solutions of lesson 6, a tournament. Each section replaces the cell of the notebook with the same first line."""

from math import ceil, sqrt


# exercise 6.1
def spread(rate, games):
    """The standard deviation of the win rate that a player of this true rate reaches in so many games."""
    return sqrt(rate * (1 - rate) / games)


# exercise 6.2
def wilson(wins, games):
    """The 95 % interval of a win rate by Wilson's formula."""
    z, rate = 1.96, wins / games
    middle = (rate + z**2 / (2 * games)) / (1 + z**2 / games)
    half = z * sqrt(rate * (1 - rate) / games + z**2 / (4 * games**2)) / (1 + z**2 / games)
    return middle - half, middle + half


# exercise 6.3
def games_needed(half_width):
    """The games that make half of the interval at most this wide, if the true rate is 50 %."""
    return ceil(round((1.96 / (2 * half_width)) ** 2, 9))


# exercise 6.4
def z_score(wins, games, other_wins, other_games):
    """The difference of two win rates, in standard deviations of that difference if both players were equal."""
    pooled = (wins + other_wins) / (games + other_games)
    deviation = sqrt(pooled * (1 - pooled) * (1 / games + 1 / other_games))
    return (wins / games - other_wins / other_games) / deviation


# exercise 6.5
def expected(rating, other):
    """The expected score of a player with this rating against the other, on Elo's scale."""
    return 1 / (1 + 10 ** ((other - rating) / 400))


# exercise 6.6
def undecided(standings):
    """The neighbours in the ranking whose games against each other do not tell who is better, as pairs of names."""
    pairs = zip(standings.labels, standings.labels[1:], strict=False)
    return [(one, other) for one, other in pairs if _contains_half(standings.both(one, other))]


def _contains_half(tally):
    low, high = tally.interval
    return low <= 0.5 <= high
