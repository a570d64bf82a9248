"""Solutions of lesson 3, graphs and shortest paths. Each section replaces the cell with the same first line."""

from heapq import heappop, heappush
from math import ceil

import planetwars_env as pw


# exercise 3.1
def dijkstra(edges, source):
    """The distance of every planet from ``source``, by its id."""
    found, queue = {}, [(0, source)]
    while queue:
        distance, here = heappop(queue)
        if here in found:
            continue
        found[here] = distance
        for there, weight in edges[here].items():
            if there not in found:
                heappush(queue, (distance + weight, there))
    return found


# exercise 3.2
def first_step(edges, source, destination):
    """The neighbour of ``source`` that comes first on a shortest path to ``destination``."""
    rest = dijkstra(edges, destination)
    return min(edges[source], key=lambda there: edges[source][there] + rest[there])


# exercise 3.3
def needed(view, planet, turns):
    """The people to send who take this planet when they land after so many turns; 0 where enough are on their way."""
    ours = sum(shuttle.people for shuttle in pw.arriving(view, planet.id, view.player))
    theirs = sum(shuttle.people for shuttle in pw.arriving(view, planet.id, view.opponent))
    if planet.owner == view.opponent:
        defenders = planet.population
        for _ in range(turns):
            if defenders < planet.size:
                defenders = min(planet.size, ceil(defenders * (1 + planet.habitability / 100)))
        return max(0, int(1.1 * (defenders + theirs)) + 1 - ours)
    return max(0, theirs + 1 - ours)


# exercise 3.4
def spare(view, planet):
    """The people that an own planet can give away: half at the border; inland, those above half of the size."""
    people = view.my_people(planet)
    inland = all(other.owner == view.player for other in pw.neighbours(view, planet.id))
    return max(0, people - planet.size // 2) if inland else people // 2


# exercise 3.5
def supply(view, planet, people):
    """The move of ``people`` one step towards the opponent; where none is in sight, towards the nearest target."""
    targets = pw.targets(view)
    hostile = [target for target in targets if target.owner == view.opponent]
    front = pw.distances(view, [target.id for target in hostile or targets])
    edges = pw.weights(view)[planet.id]
    return pw.Move(planet.id, min(edges, key=lambda other: edges[other] + front.get(other, 999)), people)


# exercise 3.6
class Supplier(pw.Strategy):
    """Takes what it surely can, the nearest first; people who are not needed go to the front."""

    name = "supplier"

    def take_turn(self, view):
        """Return the moves of this turn."""
        moves, edges, wanted = [], pw.weights(view), {planet.id for planet in pw.targets(view)}
        for planet in view.owned_by(view.player):
            left, near = spare(view, planet), edges[planet.id]
            inland = not wanted & set(near)
            for other in sorted(wanted & set(near), key=near.get):
                people = needed(view, view.planet(other), near[other])
                if 0 < people <= left:
                    moves.append(pw.Move(planet.id, other, people))
                    wanted.discard(other)
                    left -= people
            if left and (inland or planet.population >= planet.size) and pw.targets(view):
                moves.append(supply(view, planet, left))
        return moves
