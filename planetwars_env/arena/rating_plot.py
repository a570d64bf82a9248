"""Dot plot of ratings with their intervals, as HTML that keeps its text at every width."""

from html import escape
from math import ceil, floor

from planetwars_env.arena.report_page import link, links_of
from planetwars_env.arena.standings import RankedContestant, Standings

_STEPS = (10, 20, 50, 100, 200, 500, 1_000)
_MOST_LINES = 6


def rating_plot(standings: Standings) -> str:
    """Return a line per contestant, the best first: its name, a dot on its 95 % interval, and its rating."""
    places = standings.ranking
    if not places:
        return ""
    low, high = min(place.low for place in places), max(place.high for place in places)
    step = next((step for step in _STEPS if (high - low) / step <= _MOST_LINES - 2), _STEPS[-1])
    low, high = step * floor(low / step), step * ceil(high / step)
    width = max(high - low, step)

    def at(points: float) -> str:
        return f"{100 * (points - low) / width:.2f}%"

    ticks = range(low, low + width + 1, step)
    lines = "".join(f'<i style="left:{at(tick)}"></i>' for tick in ticks)
    numbers = "".join(f'<span style="left:{at(tick)}">{tick}</span>' for tick in ticks)
    links = links_of(standings)

    def row(rank: int, place: RankedContestant) -> str:
        said = escape(f"{place.rating:+.0f} ({place.low:+.0f} to {place.high:+.0f})")
        interval = f'<s style="left:{at(place.low)};width:{100 * (place.high - place.low) / width:.2f}%"></s>'
        track = f'<div class="track" title="{said}">{lines}{interval}<u style="left:{at(place.rating)}"></u></div>'
        return f"<li>{link(f'{rank}. {place.label}', links[place.label])}{track}<b>{place.rating:+.0f}</b></li>"

    rows = "".join(row(rank, place) for rank, place in enumerate(places, 1))
    axis = f'<li aria-hidden="true"><span></span><div class="track">{numbers}</div><b></b></li>'
    return f'<h2>Ratings with 95 % intervals</h2><ul class="dots">{rows}{axis}</ul>'
