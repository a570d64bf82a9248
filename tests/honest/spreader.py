"""An honest strategy: half of everybody flies to the neighbours, in shares that its seed decides."""

import random

from planetwars_env.view import Move


class Spreader:
    name = "spreader"

    def reset(self, graph, player, rules, seed):
        self.graph = graph
        self.random = random.Random(seed)

    def take_turn(self, view):
        moves = []
        for planet in view.owned_by(view.player):
            left = view.my_people(planet) // 2
            for neighbour in self.graph.neighbours(planet.id):
                people = self.random.randint(0, left)
                left -= people
                if people:
                    moves.append(Move(planet.id, neighbour, people))
        return moves
