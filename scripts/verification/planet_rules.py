"""One turn on one planet (R4 to R7): a slow second reading of docs/rules.md, written from that page alone.

Plain Python without anything of ``planetwars_env``. The audit of the soak compiles it, and the oracle of the tests
(tests/support/oracle.py) calls it as it is. Where the engine reckons in doubles but the rules allow whole numbers (R5,
R7), this does.
"""

import math


def pass_time(first, second, first_landing, second_landing, size, habitability, coexistence):
    """Return the people of players 1 and 2 on a planet after growth, landing and shrinking; all numbers are integers."""
    people = first + second
    if 0 < people <= size:  # R4, both games: a player who is alone gets all the newborn
        newborn = min(size, math.ceil(people * (1.0 + habitability / 100.0))) - people
        one, two = math.floor(newborn * (first / people)), math.floor(newborn * (second / people))
        rest = newborn - one - two
        larger = first + one >= second + two
        first, second = first + one + (rest if larger else 0), second + two + (0 if larger else rest)
    owner = 1 if first > second else 2 if second > first else 0
    if not coexistence:  # R5: at most one side is left on the planet
        if owner == 0:
            first, second = max(0, first_landing - second_landing), max(0, second_landing - first_landing)
        else:
            defenders, attackers = first + first_landing, second_landing
            if owner == 2:
                defenders, attackers = second + second_landing, first_landing
            strength = defenders * 11 // 10
            defenders, attackers = max(0, min(defenders, strength - attackers)), max(0, attackers - strength)
            first, second = (defenders, attackers) if owner == 1 else (attackers, defenders)
        owner = 1 if first > second else 2 if second > first else 0
    elif owner == 1:  # R6, its cases in turn: with an owner, on a full planet, with equal landings, with unequal ones
        first += first_landing
        second += min(second_landing, max(0, size - first))
    elif owner == 2:
        second += second_landing
        first += min(first_landing, max(0, size - second))
    elif first + second < size:
        if first_landing == second_landing:
            full = first + second + first_landing + second_landing >= size
            first = size // 2 if full else first + first_landing
            second = size // 2 if full else second + second_landing
        elif first_landing > second_landing:
            first, second = first + first_landing, second + min(second_landing, max(0, size - first_landing))
        else:
            first, second = first + min(first_landing, max(0, size - second_landing)), second + second_landing
    excess = first + second - size
    if excess > 0:  # R7: the owner before the landing loses them; where there was none, whoever owns the planet now
        loss = (excess + 9) // 10
        loser = owner if owner else 1 if first > second else 2
        first, second = (
            first - (min(loss, first) if loser == 1 else 0),
            second - (min(loss, second) if loser == 2 else 0),
        )
    return first, second
