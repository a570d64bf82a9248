"""Battles of one turn in words, as far as a viewer can tell them from its views before and after."""

from planetwars_env.engine.rules import DEFENCE, Rules, owner_of
from planetwars_env.play.forecast import make_forecast
from planetwars_env.view import View


def battles(before: View, now: View, rules: Rules, names: tuple[str, str]) -> dict[int, str]:
    """Return a sentence on each battle, by planet; none for one that shuttles out of sight took part in."""
    landing = {planet.id: [0, 0] for planet in before.planets}
    for shuttle in before.shuttles:
        if shuttle.turns == 1:
            landing[shuttle.destination][shuttle.player - 1] += shuttle.people
    fought = [planet for planet in before.planets if planet.owner and landing[planet.id][2 - planet.owner]]
    if rules.coexistence or not fought:
        return {}
    forecast = make_forecast(before, rules)
    if forecast is None:
        return {}
    index = {planet.id: i for i, planet in enumerate(before.planets)}
    grown, expected = forecast.next_people(landing=False), forecast.next_people()
    told: dict[int, str] = {}
    for planet in fought:
        i, owner = index[planet.id], planet.owner or 0
        after, seen = expected[i], now.planet(planet.id)
        # Out of sight afterwards: it was the viewer's own, and is lost.
        if seen.people != after and (seen.visible or owner_of(*after) == owner):
            continue
        defenders, attackers = grown[i][owner - 1] + landing[planet.id][owner - 1], landing[planet.id][2 - owner]
        left = {owner: "held with", 0: "nobody is left", 3 - owner: "taken with"}[owner_of(*after)]
        told[planet.id] = (
            f"{names[2 - owner]} attacks #{planet.id} with {attackers} against {defenders}, which count as "
            f"{int(DEFENCE * defenders)}: {left}{f' {sum(after)}' if sum(after) else ''}"
        )
    return told
