"""Graphs that are like a given one and that nobody can look up: other ids, another drawing, slightly other numbers."""

from planetwars_env.graphs.generators import RandomGenerator, mirror
from planetwars_env.graphs.graph import MAX_ID, MAX_TOTAL_SIZE, Edge, Graph, GraphError, Planet

_SIZE_PERCENT = 10
_STEPS_PER_UNIT, _JITTER = 64, 16
"""Coordinates are multiples of 1/64, so that no rounding spoils symmetry, and move by so many of these steps at most."""
_FARTHEST = 2.0**30
"""Coordinates beyond are left as they are."""


def disturbed(graph: Graph, rng: RandomGenerator) -> Graph:
    """A graph with the edges of ``graph`` between planets of other ids, in another order, and with slightly other numbers.

    Sizes change by up to 10 %, habitabilities and weights by up to 1, and none exceeds the largest of the graph. The drawing is
    turned or mirrored and jittered. A graph with the symmetry of `mirror` keeps it: planets and edges that are images of one
    another change alike. The name begins with "disturbed".
    """
    count = len(graph.planets)
    try:
        images = mirror(graph)
        image = [graph.index[images[planet.id]] for planet in graph.planets]
    except GraphError:  # each planet is its own image
        image = list(range(count))
    order = list(range(count))  # new indices; images stay at equal distances from both ends, as in `mirror`
    if image == order:
        order = rng.sample(order, count)
    else:
        for place, p in enumerate(rng.sample(range(count // 2), count // 2)):
            one, other = (place, count - 1 - place) if rng.chance(50) else (count - 1 - place, place)
            order[p], order[image[p]] = one, other
    ids = sorted(rng.sample(range(1, min(MAX_ID, 10 * count + 90)), count))
    land, places = _lands(graph, image, rng), _places(graph, image, rng)
    new_id = {planet.id: ids[order[p]] for p, planet in enumerate(graph.planets)}
    planets = [Planet(new_id[old.id], *land[p], *places[p], old.base) for p, old in enumerate(graph.planets)]
    heaviest = max((edge.weight for edge in graph.edges), default=1)
    weights: dict[tuple[int, ...], int] = {}
    edges = []
    for edge in graph.edges:
        ends = tuple(sorted((graph.index[edge.a], graph.index[edge.b])))
        pair = min(ends, tuple(sorted(image[end] for end in ends)))  # an edge and its image have one weight
        if pair not in weights:
            weights[pair] = _near(edge.weight, 1, heaviest, rng)
        edges.append(Edge(new_id[edge.a], new_id[edge.b], weights[pair]))
    return Graph(f"disturbed {graph.name}".strip(), planets, edges)


def _lands(graph: Graph, image: list[int], rng: RandomGenerator) -> list[tuple[int, int]]:
    """Habitability and size of every planet."""
    best, largest = (max(getattr(planet, name) for planet in graph.planets) for name in ("habitability", "size"))
    lands: list[tuple[int, int]] = []
    for p, planet in enumerate(graph.planets):
        habitability = _near(planet.habitability, min(1, planet.habitability), best, rng)
        percent = 100 - _SIZE_PERCENT + rng.below(2 * _SIZE_PERCENT + 1)
        size = min(largest, max(1, planet.size * percent // 100))
        lands.append(lands[image[p]] if image[p] < p else (habitability, size))
    if sum(size for _, size in lands) > MAX_TOTAL_SIZE:
        return [(habitability, planet.size) for (habitability, _), planet in zip(lands, graph.planets, strict=True)]
    return lands


def _near(value: int, low: int, high: int, rng: RandomGenerator) -> int:
    """The value, or in half of the cases one less or one more, within the bounds."""
    return min(high, max(low, value + (0, 0, -1, 1)[rng.below(4)]))


def _places(graph: Graph, image: list[int], rng: RandomGenerator) -> list[tuple[float, float]]:
    """The drawing, turned or mirrored within its bounds and jittered; images stay reflected through one point."""
    if any(abs(value) > _FARTHEST for planet in graph.planets for value in (planet.x, planet.y)):
        return [(planet.x, planet.y) for planet in graph.planets]
    swap, flips = rng.chance(50), (rng.chance(50), rng.chance(50))
    columns = [
        [round(_STEPS_PER_UNIT * value) for value in ((planet.y, planet.x) if swap else (planet.x, planet.y))]
        for planet in graph.planets
    ]
    ends = [min(column) + max(column) for column in zip(*columns, strict=True)]
    drawn = [[ends[i] - row[i] if flips[i] else row[i] for i in range(2)] for row in columns]
    centre = [first + last for first, last in zip(drawn[0], drawn[-1], strict=True)]
    places: list[list[int]] = []
    for p, row in enumerate(drawn):
        jittered = [value - _JITTER + rng.below(2 * _JITTER + 1) for value in row]
        if image[p] < p:
            jittered = [whole - other for whole, other in zip(centre, places[image[p]], strict=True)]
        elif image[p] == p and image != list(range(len(drawn))):
            jittered = row  # the planet in the middle of a symmetric graph
        places.append(jittered)
    return [(x / _STEPS_PER_UNIT, y / _STEPS_PER_UNIT) for x, y in places]
