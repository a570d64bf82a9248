"""Solutions of lesson 2, a first strategy. Each section replaces the cell of the notebook with the same first line."""

import planetwars_env as pw


# exercise 2.1
def strongest(view):
    """The own planet with the most people; None where the player owns nothing."""
    return max(view.owned_by(view.player), key=view.my_people, default=None)


# exercise 2.2
def is_legal(view, move):
    """Whether the game would carry out this move as the first of the turn: rule R8."""
    if move.destination not in pw.weights(view)[move.source]:
        return False
    source = view.planet(move.source)
    return source.owner == view.player and 1 <= move.people <= view.my_people(source)


# exercise 2.3
def settle(view):
    """Half of the people of every planet, sent to its nearest neutral neighbour that nobody is on the way to yet."""
    moves, taken = [], set()
    edges = pw.weights(view)
    for planet in view.owned_by(view.player):
        free = [
            other
            for other in pw.neighbours(view, planet.id)
            if other.owner == 0 and other.id not in taken and not pw.arriving(view, other.id, view.player)
        ]
        half = view.my_people(planet) // 2
        if half and free:
            nearest = min(free, key=lambda other: edges[planet.id][other.id])
            moves.append(pw.Move(planet.id, nearest.id, half))
            taken.add(nearest.id)
    return moves


# exercise 2.4
def attack(view, busy):
    """Half of the people of every planet that is not ``busy``, sent to the weakest neighbour of the opponent's."""
    moves = []
    for planet in view.owned_by(view.player):
        weak = [other for other in pw.neighbours(view, planet.id) if other.owner == view.opponent]
        half = view.my_people(planet) // 2
        if weak and planet.id not in busy:
            target = min(weak, key=lambda other: other.population)
            if half > 1.1 * min(target.size, 1.5 * target.population):
                moves.append(pw.Move(planet.id, target.id, half))
    return moves


# exercise 2.5
def overflow(view, busy):
    """Half of the people of every full planet that is not ``busy``: to the emptiest neighbour, others' planets first."""
    moves = []
    for planet in view.owned_by(view.player):
        if planet.id not in busy and planet.population >= planet.size:
            near = pw.neighbours(view, planet.id)
            target = min(near, key=lambda other: (other.owner == view.player, other.population))
            moves.append(pw.Move(planet.id, target.id, view.my_people(planet) // 2))
    return moves


# exercise 2.6
class Settler(pw.Strategy):
    """Settles, attacks what is weak, and sends people on from full planets."""

    name = "settler"

    def take_turn(self, view):
        """Return the moves of this turn."""
        moves = settle(view)
        moves += attack(view, {move.source for move in moves})
        moves += overflow(view, {move.source for move in moves})
        return moves
