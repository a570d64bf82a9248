"""Clicks of a whole game on 57 planets, by a player with real clicks and keys who sees the page and nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from support.browser import needs_browser
from support.play_client import opening
from support.play_page import on_disk, opened, place_of, shown, wait

pytestmark = needs_browser


class Clicker:
    """Sensible way of play: take what is nobody's, gather at the front by standing orders, strike where it suffices.

    ``count``: clicks, drags and keys so far.
    """

    def __init__(self, page: Any) -> None:
        self.page, self.count = page, 0
        game = page.evaluate("page.game")
        self.ids = [planet[0] for planet in game["graph"]["planets"]]
        self.ways: list[dict[int, int]] = [{} for _ in self.ids]
        for a, b, weight in game["graph"]["edges"]:
            self.ways[a][b] = self.ways[b][a] = weight
        self.gathered: tuple[int, int] = (-1, -100)
        self.look()

    def look(self) -> None:
        self.now = shown(self.page)
        state = self.now["state"]
        self.planets = state["planets"]
        self.me = self.now["viewer"]
        self.own = [i for i, planet in enumerate(self.planets) if planet["owner"] == self.me]
        self.bound = {one["to"] for one in state["shuttles"] if one["player"] == self.me}

    def people(self, planet: int, player: int) -> int:
        people = self.planets[planet]["people"]
        return people[player - 1] if people else 0

    def click(self, planet: int) -> None:
        self.page.mouse.click(*place_of(self.page, self.ids[planet]))
        self.count += 1

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.count += 1

    def drag(self, source: int, target: int) -> None:
        """One drag with shift sends half."""
        page = self.page
        page.mouse.move(*place_of(page, self.ids[source]))
        page.mouse.down()
        page.mouse.move(*place_of(page, self.ids[target]), steps=3)
        page.keyboard.down("Shift")
        page.mouse.up()
        page.keyboard.up("Shift")
        self.count += 1

    def settle(self) -> int:
        """Send half of a planet to a neighbour that is nobody's; return how many planets sent."""
        used: set[int] = set()
        for source in sorted(self.own, key=lambda planet: -self.people(planet, self.me)):
            free = [i for i in self.ways[source] if self.planets[i]["owner"] == 0 and i not in self.bound]
            if free and self.people(source, self.me) > 3 and source not in used:
                target = min(free, key=lambda planet: self.ways[source][planet])
                self.drag(source, target)
                used.add(source)
                self.bound.add(target)
        return len(used)

    def strike(self) -> int:
        """Send all but one where they suffice for an opponent's planet with what it will grow to."""
        struck = 0
        for source in self.own:
            for target, turns in self.ways[source].items():
                there = self.people(target, 3 - self.me)
                grown = there * (1 + self.planets[target]["habitability"] / 100) ** turns if there else 0
                if there and target not in self.bound and self.people(source, self.me) - 1 > 1.1 * grown + 8:
                    self.click(source)
                    self.click(target)
                    self.press("4")
                    self.press("Enter")
                    self.bound.add(target)
                    struck += 1
                    break
        return struck

    def gather(self) -> int:
        """Let every planet send a quarter per turn to the strongest one beside the opponent's."""
        front = [i for i in self.own if any(self.people(j, 3 - self.me) for j in self.ways[i])]
        if not front:
            return 0
        best = max(front, key=lambda planet: self.people(planet, self.me))
        place, turn = self.gathered
        if (place in front and self.now["turn"] - turn < 40) or self.now["turn"] - turn < 16:
            return 0
        self.gathered = best, self.now["turn"]
        self.press("a")
        self.click(best)
        self.press("1")
        self.press("r")
        return 1

    def turn(self) -> None:
        self.look()
        done = self.gather() + self.settle() + self.strike()
        turn = self.now["turn"]
        self.press("e" if done else "g")
        self.page.wait_for_timeout(30)
        wait(self.page, f"page.now.over || (page.now.yours && page.now.turn > {turn} && !page.untilNews.since)")


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_game_on_57_planets_is_won_in_less_than_600_clicks(browser: Any) -> None:
    with on_disk(opening("you", "ai1", "large/0")) as address, opened(browser, address) as page:
        page.set_viewport_size({"width": 1440, "height": 900})
        page.wait_for_timeout(200)
        clicker = Clicker(page)
        assert len(clicker.ids) == 57
        while not shown(page)["over"]:
            clicker.turn()
            assert clicker.count < 600
        assert shown(page)["winner"] == 1
        print(f"{clicker.count} clicks, drags and keys on {shown(page)['turn']} turns")
