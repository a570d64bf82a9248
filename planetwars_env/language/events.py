"""Events between two views of a game: planets that changed hands, and attacks, as far as the views tell them."""

from collections import Counter
from collections.abc import Iterator, Sequence

from planetwars_env.engine.rules import Rules
from planetwars_env.view import Move, View


def changes_of_owner(before: View, now: View, viewer: int | None) -> Iterator[tuple[int, int | None, int | None]]:
    """Yield (planet, old owner, new owner) of each planet that changed hands; an owner is None where it is out of sight.

    A planet that comes into sight or leaves it has not changed its owner, unless it is or was the viewer's own.
    """
    for was, planet in zip(before.planets, now.planets, strict=True):
        old, new = was.owner, planet.owner
        if old != new and (old is not None or new == viewer) and (new is not None or old == viewer):
            yield planet.id, old, new


def describe_events(before: View, now: View, rules: Rules, sent: Sequence[Move] = ()) -> list[str]:
    """Return a sentence for each planet that changed hands or was attacked between two views of one player.

    ``sent``: the player's moves at the time of ``before``, which may have landed by ``now``.
    """
    me, opponent = now.player, now.opponent
    weights = {(edge.a, edge.b): edge.weight * rules.turns_per_weight for edge in now.edges}
    landed: Counter[tuple[int, int]] = Counter()
    flying = [(shuttle.destination, shuttle.player, shuttle.people, shuttle.turns) for shuttle in before.shuttles]
    flying += [(to, me, people, weights[min(source, to), max(source, to)]) for source, to, people in sent]
    for destination, player, people, turns in flying:
        if turns <= now.turn - before.turn:
            landed[destination, player] += people
    changed = {planet: (old, new) for planet, old, new in changes_of_owner(before, now, me)}
    sentences = []
    for planet in now.planets:
        mine, theirs = landed[planet.id, me], landed[planet.id, opponent]
        against = f" ({theirs} of the opponent's landed there)" if theirs else ""
        old, new = changed.get(planet.id, (planet.owner, planet.owner))
        if old != new:
            failed = f" ({mine} of yours landed there)" if mine and new != me else ""
            if new == me:
                sentences.append(f"you have taken planet {planet.id}{' from the opponent' if old == opponent else ''}")
            elif old == me and new != 0:
                sentences.append(f"you have lost planet {planet.id}{against}")
            elif new == 0:
                sentences.append(f"planet {planet.id} is neutral now{against}{failed}")
            else:
                sentences.append(f"the opponent has taken planet {planet.id}{failed}")
        elif old == me and theirs and not rules.coexistence:
            sentences.append(f"you have held planet {planet.id} against {theirs}")
        elif old != me and mine and not rules.coexistence:
            sentences.append(f"{mine} of yours landed on planet {planet.id} and did not take it")
    return sentences
