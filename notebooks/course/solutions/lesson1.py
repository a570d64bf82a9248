"""Solutions of lesson 1, the rules by hand. Each section replaces the cell of the notebook with the same first line."""

from math import ceil, trunc

import planetwars_env as pw


# exercise 1.1
def grown(people, size, habitability):
    """People on a planet one turn later, nothing landing: rule R4."""
    if people > size:
        return people
    return min(size, ceil(people * (1 + habitability / 100)))


# exercise 1.2
def turns_to_reach(goal, people, size, habitability):
    """Turns until at least ``goal`` people live there; None if that never happens."""
    turns = 0
    while people < goal:
        more = grown(people, size, habitability)
        if more == people:
            return None
        people, turns = more, turns + 1
    return turns


# exercise 1.3
def battle(defenders, attackers):
    """The owner after the landing ("defender", "attacker" or "nobody") and the people who are left."""
    strength = trunc(1.1 * defenders)
    if attackers > strength:
        return "attacker", attackers - strength
    if attackers == strength:
        return "nobody", 0
    return "defender", min(defenders, strength - attackers)


# exercise 1.4
def landing(owner, people, landed):
    """The owner (0, 1, 2) and the people after ``landed``, a pair, has landed: of player 1 and of player 2."""
    if owner == 0:
        first, second = landed
        return (1, first - second) if first > second else (2, second - first) if second > first else (0, 0)
    opponent = 3 - owner
    winner, left = battle(people + landed[owner - 1], landed[opponent - 1])
    return {"defender": owner, "attacker": opponent, "nobody": 0}[winner], left


# exercise 1.5
def needed(defenders, size, habitability, weight):
    """The fewest people who take this planet of the opponent, sent now over an edge of this weight."""
    for _ in range(weight):
        defenders = grown(defenders, size, habitability)
    return trunc(1.1 * defenders) + 1


# exercise 1.6
def opening(turn):
    """The moves of player 1 on this turn, on the graph rings."""
    plan = {3: [pw.Move(1, 3, 2)], 5: [pw.Move(1, 2, 2)], 13: [pw.Move(3, 4, 2)]}
    return plan.get(turn, [])
