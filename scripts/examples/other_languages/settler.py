"""The settler in Python, which the programs beside it play move for move in other languages (docs/languages.md).

Every planet sends half of its people: to the weakest neighbour that is not its own, if half is more than live there; and
where all neighbours are its own, to each of them in turn.
"""

import planetwars_env as pw


class Settler(pw.Strategy):
    """Sends half of the people of every planet to its weakest neighbour, or on to the next own one."""

    name = "settler"

    def take_turn(self, view):
        """Return one move for every own planet that can spare people."""
        moves = []
        for planet in view.owned_by(view.player):
            half = view.my_people(planet) // 2
            around = pw.neighbours(view, planet.id)
            others = [one for one in around if one.owner != view.player]
            if others:
                target = min(others, key=lambda one: (one.population or 0, one.id))
                if half > (target.population or 0):
                    moves.append(pw.Move(planet.id, target.id, half))
            elif half > 0:
                own = sorted(around, key=lambda one: one.id)
                moves.append(pw.Move(planet.id, own[view.turn % len(own)].id, half))
        return moves
