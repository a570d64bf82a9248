"""Every view, observation, picture and message of a player is the same in worlds that differ only beneath its fog.

The worlds (support/hidden_worlds.py) differ in what is hidden from the first turn to the last: graphs, bases and
everything the opponent does. Games are played in each of them through the same interface, and everything that it shows
is compared.
"""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import gymnasium
import pytest

import planetwars_env as pw
from planetwars_env.bots import protocol
from planetwars_env.bots.catalogue import bot_names
from planetwars_env.bots.entry_points import begin_game
from planetwars_env.playing.links import player_links
from planetwars_env.playing.live_game import LiveGame
from planetwars_env.playing.server import running
from planetwars_env.playing.setup import GameSetup, Opening
from planetwars_env.playing.terminal import play_in_terminal
from planetwars_env.render.drawing import draw, drawing_of
from planetwars_env.view import KnownMap
from support.environments import both_actions, make_form
from support.hidden_worlds import (
    FRACTIONS,
    HIDDEN,
    LIMITS,
    SEEN,
    TURNS,
    World,
    frozen,
    moves_of,
    opponent_of,
)
from support.play_client import Tab
from support.presets import BY_PRESET, IDS, every_preset
from support.strategy_files import bot, needs_fork

both_viewers = pytest.mark.parametrize("viewer", [1, 2])
WORLDS = range(3)
CODING: dict[str, Any] = {"limits": LIMITS, "fractions": FRACTIONS}

Story = list[Any]
Teller = Callable[[World, str], Story]
"""Story of a game in a world by the rules of this name, as an interface tells it."""


def assert_one_story(tell: Callable[[World], Story], viewer: int, least: int = 20) -> None:
    """Every world is told of in the same words, and there is something to tell."""
    first, *others = [[frozen(shown) for shown in tell(World(viewer, number))] for number in WORLDS]
    assert len(first) >= least
    assert len({str(shown) for shown in first}) > least // 2  # what is shown changes from turn to turn
    for other in others:
        assert len(other) == len(first)
        for place, (one, another) in enumerate(zip(first, other, strict=True)):
            assert one == another, f"part {place} of the story"


def games(world: World, preset: str) -> Iterator[pw.Game]:
    """A game in the world, turn by turn: one object."""
    game = pw.Game(world.graph, BY_PRESET[preset])
    while game.turn < TURNS:
        yield game
        assert all(game.play(moves_of(world, game)))
    assert not game.over


def arguments(world: World, actions: str) -> dict[str, Any]:
    chosen = {"graphs": world.graph, "player": world.viewer, "opponent": opponent_of(world), "actions": actions}
    return chosen | CODING


def steps_of(world: World, game: pw.Game, actions: str) -> list[Any]:
    """The viewer's turn as the actions of an environment."""
    moves = moves_of(world, game)
    if actions == "turn":
        return [game.encode(moves, **CODING)]
    return [*(game.encode([move], actions="order", **CODING) for move in moves), 0]


# --- the worlds themselves ---------------------------------------------------------------------------------------


@every_preset
@both_viewers
def test_the_worlds_differ_in_everything_that_is_hidden_and_the_opponent_is_seen(preset: str, viewer: int) -> None:
    """Or the tests below would prove nothing."""
    kept = [[game.to_dict() for game in games(World(viewer, number), preset)] for number in WORLDS]
    lands = [[(p.size, p.habitability, p.base) for p in World(viewer, number).graph.planets[3:]] for number in WORLDS]
    assert len({str(land) for land in lands}) == len(WORLDS)
    assert len({str([place for place in land if place[2]]) for land in lands}) > 1
    for one in zip(*kept, strict=True):
        if one[0]["turn"] > 4:
            hidden = [[row for row in state["planets"] if row[0] in HIDDEN] for state in one]
            assert len({str(rows) for rows in hidden}) > 1
    for game in games(World(viewer, 0), preset):
        assert {planet.id for planet in game.view(viewer).planets if planet.visible} <= set(SEEN)
    seen = [shuttle for state in kept[0] for shuttle in state["shuttles"] if shuttle[1] == 3]
    assert seen and all(shuttle[2] == 3 - viewer for shuttle in seen)


# --- environments ------------------------------------------------------------------------------------------------


def told_by_environment(env: Any, world: World, actions: str) -> Story:
    """Observation, masks, rewards, ends and pictures; infos are left out, which tell the true state (docs)."""
    inner = env.unwrapped
    story: Story = [env.reset(seed=0)[0]]
    while inner.game.turn < TURNS:
        for action in steps_of(world, inner.game, actions):
            told = env.step(action)[:4]
            story.append([*told, inner.action_masks(), inner.sample_mask(), env.render()])
    return story


def of_a_single_environment(world: World, preset: str, actions: str, form: str) -> Story:
    """Those of vectors and of Stable-Baselines3 show what it shows: test_vector.py, test_sb3.py."""
    env = make_form(form, IDS[preset], render_mode="ansi", **arguments(world, actions))
    return told_by_environment(env, world, actions)


def of_the_environment_of_texts(world: World, preset: str) -> Story:
    chosen: Any = {"graphs": world.graph, "player": world.viewer, "opponent": opponent_of(world)}
    env: Any = pw.make("PlanetWarsText-v0", rules=BY_PRESET[preset], disable_env_checker=True, **chosen).unwrapped
    story: Story = [env.reset(seed=0)[0]]
    while env.game.turn < TURNS:
        lines = [f"send {source} -> {target}: {people}" for source, target, people in moves_of(world, env.game)]
        story.append([*env.step("\n".join([*lines, "send 7 -> 8: 3", "send 3 -> 4: 1"])), env.render()])
    return story


@every_preset
def test_pixels_show_no_difference(preset: str) -> None:
    def tell(world: World) -> Story:
        env: Any = gymnasium.make(IDS[preset], render_mode="rgb_array", **arguments(world, "turn"))
        return told_by_environment(env, world, "turn")

    assert_one_story(tell, 2)


def of_an_agent_of_pettingzoo(world: World, preset: str, actions: str, observation: str) -> Story:
    """On its own turns and on the opponent's: it may be observed at any time."""
    me = f"player_{world.viewer}"
    env = pw.pettingzoo_env(BY_PRESET[preset], graphs=world.graph, actions=actions, observation=observation, **CODING)
    env.reset(seed=0)
    story: Story = []
    while env.game.turn < TURNS:
        for action in steps_of(world, env.game, actions):
            mine = env.agent_selection == me
            env.step(action)
            if mine or env.agent_selection == me:
                story.append([env.observe(me), env.action_mask(me), env.rewards[me], env.terminations[me]])
    return story


@every_preset
@both_actions
def test_one_agent_that_plays_both_sides_is_shown_no_difference_on_the_side_of_the_viewer(
    preset: str, actions: str
) -> None:
    def tell(world: World) -> Story:
        chosen = {**arguments(world, actions), "opponent": "self"}
        env: Any = gymnasium.make(IDS[preset], **chosen).unwrapped
        shown = env.reset(seed=0)[0]
        story: Story = []
        while env.game.turn < TURNS:
            for action in steps_of(world, env.game, actions):
                if env.player == world.viewer:
                    story.append([shown, env.action_masks()])
                shown = env.step(action)[0]
        return story

    assert_one_story(tell, 1)


# --- strategies --------------------------------------------------------------------------------------------------


def views_of(world: World, preset: str) -> Iterator[pw.View]:
    """Views of the viewer on its own turns."""
    return (game.view(world.viewer) for game in games(world, preset) if game.player == world.viewer)


def of_a_bot(world: World, preset: str, bot: str) -> Story:
    """Every built-in bot plays as the viewer all game long and says its moves."""
    mind = pw.load_player(bot)
    if bot == "planner":
        mind.budget = 40
    begin_game(mind, world.graph, world.viewer, BY_PRESET[preset], seed=3)
    return [[view.turn, mind.take_turn(view)] for view in views_of(world, preset)]


def of_the_process_of_a_foreign_strategy(world: World, preset: str) -> Story:
    told: Story = [protocol.encode(protocol.begin(KnownMap.of(world.graph), world.viewer, pw.PLANETWARS, 0))]
    return told + [protocol.encode(protocol.turn(game.view(world.viewer))) for game in games(world, preset)]


def test_no_agent_of_the_zoo_moves_otherwise() -> None:
    """As a policy it is shown tensors of its own limits, and asked in one call for all its games."""
    pytest.importorskip("torch")
    from planetwars_env.arena.games import open_player
    from planetwars_env.bots.catalogue import resolve_player

    def tell(world: World) -> Story:
        story: Story = []
        agent = open_player(resolve_player("graph-planetwars"))
        for game in games(world, "planetwars"):
            if not story:
                agent.begin(game, world.viewer, 0)
            if game.player == world.viewer:
                story.append([game.turn, agent.moves(game)])
        return story

    assert_one_story(tell, 1)


def of_the_text(world: World, preset: str, compact: bool) -> Story:
    """Messages with what the player remembers, and what is said of replies that are right and wrong."""
    text, rng = pw.TextView(BY_PRESET[preset], compact), random.Random(7)
    story: Story = [text.introduction(world.viewer)]
    for view in views_of(world, preset):
        reply = "\n".join(f"send {rng.randrange(10)} -> {rng.randrange(10)}: {rng.randrange(9)}" for _ in range(40))
        found = pw.parse_moves(reply, view, BY_PRESET[preset])
        story.append([text.show(view, found.problems), found])
    return story


# --- people ------------------------------------------------------------------------------------------------------


def table(world: World, preset: str) -> GameSetup:
    return GameSetup(("you", "you"), ("one", "two"), world.graph, BY_PRESET[preset], seed=0, max_turns=500)


TELL = """
print(view)
self.say(view.planets)
self.mark(view.owned_by(view.player)[0], view.shuttles)
if view.turn % 5 == 0:
    raise RuntimeError(view)
return []
"""


@needs_fork
@both_viewers
def test_the_page_of_a_person_is_told_nothing_of_what_its_opponent_tells(viewer: int, tmp_path: Path) -> None:
    """Sentences, marks, prints, faults and times of a strategy that sees what the fog hides from the person."""
    (tmp_path / "teller.py").write_text(bot(turn=TELL))

    def tell(world: World) -> Story:
        one, other = ("you", "human"), (str(tmp_path / "teller.py"), "teller")
        first, second = (one, other) if viewer == 1 else (other, one)
        players, names = (first[0], second[0]), (first[1], second[1])
        setup = GameSetup(players, names, world.graph, BY_PRESET["planetwars"], seed=0, max_turns=500)
        with running(Opening(setup, "worlds", 60)) as address:
            tab = Tab(address)
            while tab.wait_for_turn()["turn"] < 8:
                tab.play()
            tab.close()
        return [_without_keys(told) for told in tab.told]

    assert_one_story(tell, viewer, least=8)


def of_the_server(world: World, preset: str) -> Story:
    """All messages of the viewer's page, on a machine of its own, on both players' turns: questions and refusals too."""
    links = player_links((True, True))
    with running(Opening(table(world, preset), "worlds", 60), links=links) as address:
        base = address.partition("?")[0]
        tabs = {link.player: Tab(base, cookie=_cookie(f"{base}?token={link.token}")) for link in links}
        own = tabs[world.viewer]
        for game in games(world, preset):
            for tab in tabs.values():
                tab.wait_for(lambda now, turn=game.turn: now["turn"] == turn)
            with pytest.raises(ValueError, match="the fog hides"):
                own.ask("replay", notes=False)
            moves, mover = moves_of(world, game), tabs[game.player]
            if mover is not own:
                with pytest.raises(ValueError, match="it is the turn of"):
                    own.ask("play", turn=game.turn, moves=[])
            mover.play(moves)
        for tab in tabs.values():
            tab.close()
    return [_without_keys(told) for told in own.told]


def _without_keys(told: dict[str, Any]) -> dict[str, Any]:
    """A message without what is drawn by chance."""
    return {key: value for key, value in told.items() if key not in ("session", "id")}


def _cookie(link: str) -> str:
    """The cookie that the first browser gets for a link."""
    with urlopen(link, timeout=10) as answer:
        return str(answer.headers["Set-Cookie"]).partition(";")[0]


def of_the_terminal(world: World, preset: str) -> Story:
    match, story = LiveGame(table(world, preset)), []
    script = _lines(world, match)

    def note(said: str) -> None:
        if match.game.player == world.viewer:
            story.append(said)

    def ask(prompt: str) -> str:
        note(prompt)
        if match.game.turn >= TURNS or match.over:
            raise EOFError
        return next(script)

    def say(said: str) -> None:
        if match.game.turn < TURNS:
            note(said)

    play_in_terminal(match, ask, say)
    return story


def _lines(world: World, match: LiveGame) -> Iterator[str]:
    """The typed lines, turn by turn: taking over, moves, one that is refused, and the end."""
    while True:
        yield ""
        yield "board"
        moves = moves_of(world, match.game)
        yield "7 8 half" if match.game.player == world.viewer else "help"
        for move in moves:
            yield f"{move.source} {move.destination} {move.people}"
        yield "end"


# --- drawings and replays ----------------------------------------------------------------------------------------


def of_a_replay_seen_from_one_side(world: World, preset: str) -> Story:
    moves = [tuple(moves_of(world, game)) for game in games(world, preset)]
    replay = pw.Replay.of(world.graph, BY_PRESET[preset], ("one", "two"), 0, 500, moves)
    return [draw(replay, world.viewer, turn).svg() for turn in range(1, TURNS, 2)]


# --- all of them -------------------------------------------------------------------------------------------------

FORMS = ["tensors", "flat", "derived", "tensors, memory", "flat, memory"]
ACTIONS = ["turn", "order"]


def shown(tell: Callable[..., Story], **kind: Any) -> Any:
    return pytest.param(partial(tell, **kind), id=", ".join([tell.__name__, *map(str, kind.values())]))


TELLERS = [
    *map(shown, (of_the_environment_of_texts, of_the_process_of_a_foreign_strategy, of_the_server, of_the_terminal)),
    shown(of_a_replay_seen_from_one_side),
    *(shown(of_a_single_environment, actions=actions, form=form) for actions in ACTIONS for form in FORMS),
    *(shown(of_an_agent_of_pettingzoo, actions=actions, observation=form) for actions in ACTIONS for form in FORMS[:3]),
    *(shown(of_a_bot, bot=bot) for bot in bot_names()),
    *(shown(of_the_text, compact=compact) for compact in (False, True)),
]


@every_preset
@both_viewers
@pytest.mark.parametrize("tell", TELLERS)
def test_no_interface_shows_a_difference(tell: Teller, preset: str, viewer: int) -> None:
    assert_one_story(lambda world: tell(world, preset), viewer)


# --- orders of this turn -----------------------------------------------------------------------------------------


def test_orders_are_drawn_for_who_gives_them_and_from_planets_that_it_sees() -> None:
    """Whether anybody leaves a hidden planet, where at most a minority of one's own lives, is hidden too."""
    graph = pw.load_graph("line")
    orders = [pw.Move(1, 2, 2), pw.Move(4, 3, 1)]
    for minority in (3, 0):
        state = pw.Game(graph, pw.SPACE_EXPLORERS).to_dict() | {"shuttles": []}
        state["planets"] = [[1, 1, 5, 0], [2, 0, 0, 0], [3, 0, 0, 0], [4, 2, minority, 9], [5, 2, 0, 9]]
        game = pw.Game.from_dict(graph, state, pw.SPACE_EXPLORERS)
        assert [shuttle.source for shuttle in drawing_of(game, 1, orders=orders).orders] == [1]
        assert drawing_of(game, 2, orders=orders).orders == ()
        assert len(drawing_of(game, None, orders=orders).orders) == 1 + (minority > 0)
