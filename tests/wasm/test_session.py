"""The session of the page: whole games by chance, beside the engine, and what it promises one by one."""

import json
import random
from itertools import pairwise
from typing import Any

import pytest

import planetwars_env as pw
from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.games import open_player
from planetwars_env.engine.rules import PRESETS, owner_of, player_on
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Edge, Graph, Planet
from planetwars_env.language.replies import faults_in
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.setup import make_game_setup
from planetwars_env.render.drawing import departures, known_orders
from planetwars_env.render.text import view_of
from planetwars_env.view import Move, View
from support.hidden_worlds import TURNS, World, moves_of
from support.page_games import Ask, agents, setup_of
from support.page_states import planet_data, state_data
from support.presets import BY_PRESET

Setup = dict[str, Any]
Steps = list[list[Any]]
WAY = Graph(
    "way",
    [Planet(i, 0, 100, i, 0, {1: 1, 7: 2}.get(i, 0)) for i in range(1, 8)],
    [Edge(i, i + 1, 1) for i in range(1, 7)],
)
"""Nobody grows on it."""
LINE = pw.load_graph("line")


def game_of(
    first: str = "you", second: str = "noop", graph: Graph = LINE, rules: str = "PLANETWARS", **more: Any
) -> Setup:
    return {**setup_of(graph, PRESETS[rules], (first, second), 1, None), **more}


def run(ask: Ask, setup: Setup, *steps: list[Any]) -> list[dict[str, Any]]:
    """The message after each step, with the step's answer under "answer"."""
    (found,) = ask([{"do": "session", "setup": setup, "steps": list(steps), "agents": agents()}])
    assert isinstance(found, list), found
    return [{**one["message"], "answer": one["answer"]} for one in found]


END = [["endTurn"], ["step"]]
"""A turn of a person that is player 1, and one of a bot."""


# --- orders ------------------------------------------------------------------------------------------------------


def test_a_standing_order_sends_its_percentage_on_every_turn_and_one_person_stays(ask: Ask) -> None:
    steps = [
        ["order", [[1, 2, 100]], True],
        *END,
        ["undo", -1],
        *END,
        ["order", [[1, 2, 50]], True],
        ["stopSending", 0],
    ]
    first, _, second, _, _, third, half, stopped = run(ask, game_of(), *steps)
    assert first["orders"] == [[1, 2, 1]] and first["standing"] == [[1, 2, 100, 1]]
    people = second["state"]["planets"][0]["people"][0]
    assert people == 1 and len(second["orders"]) == 1 and len(third["standing"]) == 1
    there = half["state"]["planets"][0]["people"][0] + half["orders"][0][2]
    assert half["orders"] == [[1, 2, there // 2]] and [order[2] for order in half["standing"]] == [50]
    assert stopped["orders"] == [] == stopped["standing"]


@pytest.mark.parametrize(
    ("move", "why"),
    [([1, 2, 0], "1 to 100 %"), ([1, 2, 101], "1 to 100 %"), ([1, 3, 50], "no edge"), ([2, 3, 50], "nobody of yours")],
)
def test_standing_orders_that_cannot_be_carried_out_are_refused(ask: Ask, move: list[int], why: str) -> None:
    (refused,) = run(ask, game_of(), ["order", [move], True])
    assert why in refused["answer"]["error"] and refused["standing"] == refused["orders"] == []


def test_a_planet_has_one_standing_order_which_ends_with_it(ask: Ask) -> None:
    graph = pw.load_graph("rings")
    home = graph.bases[0]
    first, second = graph.neighbours(home)[:2]
    *_, kept = run(
        ask,
        game_of(graph=graph),
        *END * 10,
        ["order", [[home, first, 25]], True],
        ["order", [[home, second, 50]], True],
    )
    assert [order[:3] for order in kept["standing"]] == [[home, second, 50]] and len(kept["orders"]) == 1
    left = kept["state"]["planets"][graph.index[home]]["people"][0]
    steps = [*END * 10, ["order", [[home, second, 50]], True], ["order", [[home, first, left]]], *END]
    *_, ended = run(ask, game_of(graph=graph), *steps)
    assert ended["standing"] == ended["orders"] == []


def test_taking_back_keeps_the_standing_orders_that_were_given_before(ask: Ask) -> None:
    steps = [["order", [[1, 2, 50]], True], *END * 2, ["take back"], ["take back"], ["take back"]]
    *_, third, first, none = run(ask, game_of(), *steps)
    assert third["turn"] == 3 and third["standing"] and third["orders"] == [[1, 2, 1]]
    assert first["turn"] == 1 and first["standing"] == first["orders"] == []
    assert "no turn to take back" in none["answer"]["error"]
    (two,) = run(ask, game_of("you", "you"), ["take back"])
    assert "one person against a strategy" in two["answer"]["error"]


@pytest.mark.parametrize("last", [5, 20])
def test_standing_orders_give_their_moves_again_where_the_turn_that_ended_the_game_is_taken_back(
    ask: Ask, last: int
) -> None:
    steps = [["order", [[1, 2, 50]], True], *END * 2, *END[:1], ["take back"]]
    *_, before, ended, again = run(ask, game_of(max_turns=last), *steps)
    assert ended["over"] == (last == 5) and again["orders"] == before["orders"] and len(again["orders"]) == 1


def test_everything_behind_the_front_goes_there_on_every_turn_until_it_is_switched_off(ask: Ask) -> None:
    steps = [["order", [[1, 2, 1]]], *END, ["sendToFront", True], *END, ["sendToFront", False], ["fly"]]
    *_, before, on, _, again, off, refused = run(ask, game_of(), *steps)
    there = before["state"]["planets"][0]["people"][0]
    assert on["orders"] == [[1, 2, there - 1]] and len(again["orders"]) == 1
    assert off["orders"] == [] and not off["front"] and refused["answer"] == {"error": "the page cannot do fly"}


def test_what_moves_lead_to_is_told_of_their_destinations_in_sight(ask: Ask) -> None:
    (foreseen,) = run(ask, game_of(), ["foresee", [[1, 2, 1]]])
    assert foreseen["answer"] == [[2, [0, 0], [1, 0]]]


# --- what is seen and remembered ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "seen"), [(3, True), (4, False)])
def test_each_of_two_people_reads_what_the_other_ones_turn_brought(ask: Ask, length: int, seen: bool) -> None:
    """A planet that is taken beside player 1 is news to both, and one out of its sight to player 2 alone."""
    planets = [Planet(i, 20, 100, i, 0, {1: 1, length: 2}.get(i, 0)) for i in range(1, length + 1)]
    graph = Graph("path", planets, [Edge(i, i + 1, 1) for i in range(1, length)])
    turn = [["ready"], ["endTurn"]]
    sent = [["ready"], ["order", [[length, length - 1, 1]]], ["endTurn"]]
    *_, one, _, two = run(ask, game_of("you", "you", graph), *turn, *sent, *turn, ["ready"])
    news = [[3, [f"player 2 has taken #{length - 1}"]]]
    assert two["events"] == news
    *_, one = run(ask, game_of("you", "you", graph), *turn, *sent, ["ready"])
    assert one["events"] == (news if seen else [])


def test_planets_that_are_no_longer_seen_are_told_as_they_were_shown_last(ask: Ask) -> None:
    """A base that everybody leaves is remembered as it was left; taking the turn back forgets it."""
    steps: Steps = [["order", [[1, 2, 1]]], *END, ["order", [[2, 3, 1]]], *END, *END]
    found = run(ask, game_of(graph=WAY), *steps)
    assert found[0]["memory"] == []
    known = {one["planet"]: one for one in found[-1]["memory"]}
    assert known.keys() == {0} and known[0]["people"] == [0, 0] and known[0]["size"] == 100
    assert known[0]["turn"] == 3 and found[-1]["turn"] == 7
    back = run(ask, game_of(graph=WAY), *steps, *[["take back"]] * 3)[-1]
    assert back["turn"] == 1 and back["memory"] == []


def test_what_a_session_had_outlives_a_reload_and_what_is_not_of_its_game_is_left_out(ask: Ask) -> None:
    steps = [["order", [[1, 2, 50]], True], ["order", [[1, 2, 1]]]]
    before, *_ = run(ask, game_of(), *END, *steps, ["own"])[-1:]
    own = before["answer"]
    moves = [[], []]
    (again,) = run(ask, game_of(moves=moves, own=own), ["stopSending", 7])
    assert again["orders"] == before["orders"] and again["standing"] == before["standing"] != []
    (later,) = run(ask, game_of(moves=[*moves, [], []], own=own), ["stopSending", 7])
    assert later["standing"] == before["standing"] and len(later["orders"]) == 1
    for wrong in ({}, {**own, "orders": [[1, 4, 1]]}, {**own, "standing": {"1": [[9, 9, 9, 9]], "2": 7}}, 7):
        (found,) = run(ask, game_of(moves=moves, own=wrong), ["stopSending", 7])
        assert found["orders"] == [] and found["yours"]


@pytest.mark.parametrize("preset", BY_PRESET)
@pytest.mark.parametrize("viewer", [1, 2])
def test_nothing_that_a_person_is_shown_depends_on_what_the_fog_hides(ask: Ask, preset: str, viewer: int) -> None:
    """Worlds that differ beneath the fog from the first turn to the last, bases and sizes too."""
    worlds = [World(viewer, number) for number in range(3)]
    asked = []
    for world in worlds:
        game, steps = Game(world.graph, BY_PRESET[preset]), []
        while game.turn < TURNS:
            moves = moves_of(world, game)
            steps.append(["ready"])
            if game.player == viewer:
                steps += [["aim", [1, 2, 1]], ["hint", "ai3"], ["order", [[6, 5, 3]]], ["past", 1, 0]]
            steps += [["order", moves], ["endTurn"]]
            game.play(moves)
        setup = game_of("you", "you", world.graph, BY_PRESET[preset].name, max_turns=500)
        asked.append({"do": "session", "setup": setup, "steps": steps})
    one, *others = ([step for step in found if step["message"]["viewer"] == viewer] for found in ask(asked))
    assert len(one) > 100 and all(other == one for other in others)


# --- forecasts ---------------------------------------------------------------------------------------------------


def positions(preset: str, seed: int) -> list[tuple[Setup, Game]]:
    """Turns of games between bots that attack each other, to go on from as a person, and the games."""
    found = []
    for number in range(3):
        replay = pw.play_match("ai1", "ai3", f"test/{number}", PRESETS[preset], seed=seed + number, max_turns=90)
        data = replay.to_dict()
        for game in replay.games():
            if game.turn % 7 == 0 and not game.over:
                moves = data["moves"][: game.turn - 1]
                limits = {"max_turns": 90, "moves": moves}
                found.append((game_of("you", "you", replay.graph, preset, **limits), game.copy()))
    return found


@pytest.mark.parametrize("preset", PRESETS)
def test_moves_lead_and_planets_fall_as_the_forecast_says_if_nobody_else_moves(ask: Ask, preset: str) -> None:
    asked, games = [], []
    for setup, game in positions(preset, 0):
        view = game.view(game.player)
        ways = [way for edge in view.edges for way in ((edge.a, edge.b), (edge.b, edge.a))]
        sources = {planet.id: view.my_people(planet) for planet in view.owned_by(view.player)}
        moves = [Move(a, b, sources[a]) for a, b in ways if sources.get(a)][:8]
        asked.append({"do": "session", "setup": setup, "steps": [["ready"], *(["aim", move] for move in moves)]})
        games.append((game, view, moves))
    told = fallen = 0
    for (game, view, moves), found in zip(games, ask(asked), strict=True):
        for move, step in zip(moves, found[1:], strict=True):
            told += came_true(game, view, move, step["answer"])
        fallen += fell(game, view, dict(map(tuple, found[0]["message"]["falls"])))
    assert told > 20 and fallen


def came_true(game: Game, view: View, move: Move, outcome: dict[str, Any] | None) -> int:
    """The count of numbers of people that came out as a forecast says."""
    if outcome is None:
        assert not view.planet(move.destination).visible
        return 0
    told = 0
    for people, expected in ((move.people, outcome["after"]), (0, outcome["without"]), (outcome["least"], None)):
        after = game.copy()
        if people < 0 or people > move.people:
            continue
        after.submit([move._replace(people=people)] if people else [])
        for _ in range(outcome["turns"]):
            if not after.over:
                after.advance()
        if not after.over:
            found = after.people()[game.graph.index[move.destination]]
            assert list(found) == expected if expected is not None else owner_of(*found) == view.player
            told += 1
    return told


def fell(game: Game, view: View, falls: dict[int, int]) -> int:
    """The count of planets that fell when they were to."""
    own = {planet.id for planet in view.owned_by(view.player)}
    after, found = game.copy(), {}
    for turn in range(1, max(falls.values(), default=0) + 1):
        if after.over:
            return 0
        after.advance()
        for p, (planet, people) in enumerate(zip(game.graph.planets, after.people(), strict=True)):
            if planet.id in own and owner_of(*people) != view.player:
                found.setdefault(p, turn)
    assert after.over or found == falls
    return len(falls)


def test_battles_are_told_with_the_numbers_of_both_sides(ask: Ask) -> None:
    """Player 2 sends everybody it has to the base of player 1 beside it."""
    graph = Graph(
        "two",
        [Planet(1, 20, 100, 0, 0, 1), Planet(2, 100, 200, 1, 0, 2), Planet(3, 20, 100, 0, 1)],
        [Edge(1, 2, 1), Edge(1, 3, 1)],
    )
    game = Game(graph)
    moves: list[list[Move]] = [[Move(1, 3, 1)], *[[]] * 6]
    for turn in moves:
        game.play(turn)
    people = game.people()[1][1]
    moves.append([Move(2, 1, people)])
    before = game.people()[0][0]
    game.play(moves[-1])
    *_, found = run(ask, game_of("you", "you", graph, moves=moves), ["ready"], ["give up"])
    grown = before + -(-before * 20 // 100)
    left = sum(game.people()[0])
    assert (
        f"player 2 attacks #1 with {people} against {grown}, which count as {int(1.1 * grown)}: taken with {left}"
        in str(found["events"])
    )


@pytest.mark.parametrize(
    ("count", "size", "last", "told"),
    [(1000, 10, 999, False), (10, 5_000_000, 9, True), (10, 50, 2**31 - 1, False)],
)
def test_a_game_on_the_largest_graphs_is_shown_too(ask: Ask, count: int, size: int, last: int, told: bool) -> None:
    """No forecast where two more planets have no room or no ids; the rest of the message is there."""
    ids = [*range(count - 1), last]
    planets = [Planet(id, 5, size, id % 40, id // 40, {0: 1, last: 2}.get(id, 0)) for id in ids]
    graph = Graph("largest", planets, [Edge(a, b, 1) for a, b in pairwise(ids)])
    steps = [["ready"], ["endTurn"], ["ready"], ["aim", [last, ids[-2], 1]]]
    found = run(ask, game_of("you", "you", graph), *steps)[-1]
    assert found["falls"] == [] and (found["answer"] is not None) == told


# --- whole games -------------------------------------------------------------------------------------------------


class Script:
    """Steps of a session, and what is expected of each: by the plainer session that the terminal plays with."""

    def __init__(self, players: tuple[str, str], graph: str, rules: str) -> None:
        loaded = pw.load_graph(graph)
        self.setup = game_of(*players, loaded, rules)
        self.live = LiveGame(make_game_setup(players, loaded, rules, seed=1))
        self.live.begin()
        self.players, self.persons, self.game = players, self.live.setup.persons, self.live.game
        self.seen: dict[int, dict[int, Any]] = {1: {}, 2: {}}
        self.steps: Steps = []
        self.expected: list[tuple[Any, dict[str, Any]]] = []
        self.handed_over = 0

    @property
    def viewer(self) -> int | None:
        if self.live.over or not any(self.persons):
            return None
        return self.game.player if all(self.persons) else 1 + self.persons.index(True)

    @property
    def handover(self) -> bool:
        return all(self.persons) and not self.live.over and self.handed_over != self.game.player

    def view(self, viewer: int | None) -> View:
        return self.live.view(viewer) if viewer else view_of(self.game, None)

    def step(self, action: str, *given: Any) -> None:
        answer = None
        try:
            answer = getattr(self, f"_{action.replace(' ', '_')}")(*given)
        except ValueError as fault:
            answer = {"error": str(fault)}
        self.steps.append([action, *given])
        self.expected.append(json.loads(json.dumps((answer, self.message()))))

    def message(self) -> dict[str, Any]:
        viewer, game, live = self.viewer, self.game, self.live
        yours = live.person_to_move and not self.handover
        own = live.orders if viewer == game.player else []
        leaving = departures(game, known_orders(own, view_of(game, viewer), viewer, game.player))
        state = None if self.handover else state_data(self.view(viewer), game.rules.turns_per_weight, leaving)
        memory = []
        if viewer and not self.handover:
            hidden = [i for i, planet in enumerate(self.view(viewer).planets) if not planet.visible]
            memory = [{"planet": i, **self.seen[viewer][i]} for i in hidden if i in self.seen[viewer]]
        return {
            "turn": game.turn, "player": game.player, "viewer": viewer or 0, "over": live.over, "yours": yours,
            "winner": live.winner, "orders": live.orders if yours else [], "memory": memory, "state": state,
            "may_look_back": live.over or not any(self.persons),
        }  # fmt: skip

    def _remember(self) -> None:
        for viewer in (1, 2):
            if viewer == self.game.player or not all(self.persons):
                view = self.view(viewer)
                known = {
                    i: {"turn": view.turn, **planet_data(one)} for i, one in enumerate(view.planets) if one.visible
                }
                self.seen[viewer].update(known)

    def _order(self, moves: list[list[int]]) -> None:
        before = list(self.live.orders)
        for move in moves:
            if fault := next(faults_in([Move(*move)], self.view(self.game.player), self.game.rules)):
                self.live.orders = before
                raise ValueError(fault)
            self.live.orders.append(Move(*move))

    def _undo(self, place: int) -> None:
        self.live.orders = self.live.orders[1:] if place == 0 else self.live.orders[:-1]

    def _endTurn(self) -> None:  # noqa: N802 (the name in JavaScript)
        self._remember()
        self.live.end_turn()
        self.handed_over = 0

    def _step(self) -> None:
        self._remember()
        self.live.carry_out(self.live.strategy_moves())

    def _ready(self) -> None:
        self.handed_over = self.game.player

    def _give_up(self) -> None:
        if self.live.over:
            raise ValueError("the game is over")
        self.live.give_up(0 if all(self.persons) else 1 + self.persons.index(True))


def orders(rng: random.Random, view: View, chance: float) -> list[list[int]]:
    """Legal moves from the viewer's planets."""
    moves = []
    for planet in view.owned_by(view.player):
        near = [edge.b if edge.a == planet.id else edge.a for edge in view.edges if planet.id in (edge.a, edge.b)]
        people = view.my_people(planet)
        if near and people > 0 and rng.random() < chance:
            moves.append([planet.id, rng.choice(near), rng.randint(1, people)])
    return moves


def play(script: Script, rng: random.Random, turns: int) -> None:
    """A person's game: everything that a page asks for, by chance, the wrong way too."""
    for _ in range(turns):
        if script.live.over:
            break
        if not script.persons[script.game.player - 1]:
            script.step("step")
            continue
        if script.handover:
            script.step("ready")
        view = script.view(script.game.player)
        script.step("order", orders(rng, view, 0.5))
        if rng.random() < 0.2:
            script.step("undo", rng.choice([-1, 0]))
        if rng.random() < 0.3:
            ids = [planet.id for planet in view.planets]
            script.step("order", [[rng.choice(ids), rng.choice([*ids, 77]), rng.randint(-1, 50)] for _ in range(2)])
        script.step("endTurn")
    if any(script.persons) and not script.live.over:
        script.step("give up")
        script.step("give up")


SCRIPTS = [
    (("you", "ai3"), "test/3", "PLANETWARS"),
    (("ai2", "you"), "test/9", "PLANETWARS_HALF_STEP"),
    (("you", "ai1"), "test/20", "SPACE_EXPLORERS"),
    (("you", "you"), "rings", "PLANETWARS"),
    (("ai3", "ai2"), "test/5", "PLANETWARS"),
]


@pytest.mark.parametrize("turns", [40, pytest.param(120, marks=pytest.mark.slow)])
def test_a_session_shows_what_the_engine_says(ask: Ask, turns: int) -> None:
    rng, scripts = random.Random(35), [Script(*one) for one in SCRIPTS]
    for script in scripts:
        play(script, rng, turns)
    asked = [{"do": "session", "setup": script.setup, "steps": script.steps} for script in scripts]
    for script, answers in zip(scripts, ask(asked), strict=True):
        assert "error" not in answers, answers
        for step, (expected, message), found in zip(script.steps, script.expected, answers, strict=True):
            where = f"{script.players}, turn {message['turn']}: {step}"
            if "error" in (expected or {}):
                assert expected["error"] in found["answer"]["error"], where
            if found["message"]["state"]:
                assert found["message"]["state"].pop("marks") == []
            told = [turn for turn, _ in found["message"]["events"]]
            assert told == sorted(told, reverse=True), where
            for key, value in message.items():
                assert found["message"][key] == value, f"{where}: {key}"
        told = answers[-1]["message"]  # the moves of strategies are counted once the game is over
        for name in script.players if told["over"] else ():
            assert (f"{name} sent " in told["note"]) == (name != "you")
    assert any(player_on(len(script.live.moves)) for script in scripts)


@pytest.mark.parametrize("by", ["ai2", "planner", "graph-planetwars"])
def test_hints_are_those_of_the_player_that_was_asked(ask: Ask, by: str) -> None:
    replay = pw.play_match("ai2", "ai3", "test/6", seed=3, max_turns=30)
    moves = replay.to_dict()["moves"][:28]
    game = [game.copy() for game in replay.games()][28]
    player = open_player(contestant_of(by))
    player.begin(game, game.player, 1)
    expected = [list(move) for move in player.moves(game)]
    setup = game_of("you", "ai3", replay.graph, moves=moves, max_turns=30)
    hinted, refused = run(ask, setup, ["hint", by], ["hint", "strategy.py"])
    assert hinted["answer"] == expected != []
    assert "the page has no player" in refused["answer"]["error"]
