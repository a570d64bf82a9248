"""Messages that show a game to a page: the graph and the names, the state now, and states of earlier turns."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from planetwars_env.arena.contestants import contestant_of
from planetwars_env.arena.players import open_player
from planetwars_env.bots.catalogue import player_names
from planetwars_env.engine.columns import FLYING_1, FLYING_2, PEOPLE_1, PEOPLE_2
from planetwars_env.game import Game
from planetwars_env.language.replies import Legality
from planetwars_env.play.forecast import make_forecast
from planetwars_env.play.live_game import LiveGame, MoveError
from planetwars_env.render.frames import graph_data, state_data
from planetwars_env.render.scene import departures, known_orders
from planetwars_env.render.text import view_of
from planetwars_env.view import Move, Shuttle, View


class Shown(NamedTuple):
    """Choices by which a session shows its game.

    ``viewer``: 1, 2, or None without fog; ``handover``: the player who has to take over before anything is shown, 0 for
    nobody; ``console``: a person has asked for what the opponent tells, which sees more than that person; ``player``: the
    player (1, 2) whose page it is alone, 0 for one that shows every person's side in turn.
    """

    viewer: int | None
    handover: int
    paused: bool
    speed: int
    console: bool
    player: int = 0

    def to_move(self, live: LiveGame) -> bool:
        """Return whether the page may move now."""
        return live.person_to_move and not self.handover and self.player in (0, live.game.player)


def game_message(live: LiveGame, player: int = 0) -> dict[str, Any]:
    """Return the message on a new game: what no fog hides. ``player``: as in `Shown`."""
    setup = live.setup
    return {
        "kind": "game",
        "graph": graph_data(setup.graph),
        "players": setup.players,
        "names": setup.names,
        "rules": setup.rules.name,
        "coexistence": setup.rules.coexistence,
        "turns_per_weight": setup.rules.turns_per_weight,
        "max_turns": setup.max_turns,
        "start": 1 + len(setup.moves),
        "you": player,
    }


def state_message(live: LiveGame, shown: Shown) -> dict[str, Any]:
    """Return the message with what the pages may see now; during a handover without the graph's state."""
    hidden, yours = bool(shown.handover), shown.to_move(live)
    return {
        "kind": "state",
        "turn": live.game.turn,
        "player": live.game.player,
        "viewer": shown.viewer or 0,
        "handover": shown.handover,
        "yours": yours,
        "over": live.over,
        "winner": live.winner,
        "status": live.status,
        "fault": _last_fault(live),
        "note": ". ".join(filter(None, [live.edited, *(live.describe_moves() if live.over else [])])),
        "orders": live.orders if yours else [],
        "standing": live.standing.of[shown.viewer] if shown.viewer and not hidden else [],
        "falls": _falls(live, shown),
        "events": [] if hidden else live.news.of(shown.viewer),
        "memory": live.memory.of(live.view(shown.viewer)) if shown.viewer and not hidden else [],
        "may_look_back": may_look_back(live),
        "paused": shown.paused,
        "speed": shown.speed,
        **_console(live, shown),
        "totals": _totals(live) if live.over else [],
        "state": None if hidden else _marked(live, live.state(shown.viewer), shown),
    }


def past_message(live: LiveGame, turn: int, viewer: int | None) -> dict[str, Any]:
    """Return the message with an earlier turn. MoveError for one that was not played, and while people play."""
    if not may_look_back(live):
        raise MoveError("the game is not over, and its turns would show what the fog hides")
    if not 1 <= turn <= live.game.turn:
        raise MoveError(f"the game has turns 1 to {live.game.turn}, not {turn}")
    setup = live.setup
    game = Game(setup.graph, setup.rules, setup.max_turns)
    for moves in live.moves[: turn - 1]:
        game.play(moves)
    view = view_of(game, viewer)
    made = live.moves[turn - 1] if turn <= len(live.moves) else ()
    leaving = departures(game, known_orders(made, view, viewer, game.player))
    state = state_data(view, setup.rules.turns_per_weight, leaving)
    shown = Shown(viewer, 0, False, 0, False)
    return {"kind": "past", "viewer": viewer or 0, "turn": turn, "state": _marked(live, state, shown)}


def aim_message(live: LiveGame, move: Move, hidden: bool) -> dict[str, Any]:
    """Return the forecast of a move of the person to move; ``outcome``: null where it cannot be told."""
    outcome = None
    if live.person_to_move and not hidden:
        view = live.view(live.game.player)
        if not Legality(view, live.setup.rules).fault_in(move):
            forecast = make_forecast(view, live.setup.rules, _leaving(live, view))
            outcome = forecast and forecast.outcome(move)
    return {"kind": "aim", "move": move, "outcome": None if outcome is None else outcome._asdict()}


def _totals(live: LiveGame) -> list[list[int]]:
    """Return the people of both players, in shuttles too, on every turn of a game that is over."""
    game, totals = Game(live.setup.graph, live.setup.rules, live.setup.max_turns), []
    for moves in (*live.moves, None):
        people = game.arrays[1].totals[0]
        totals.append([int(people[PEOPLE_1] + people[FLYING_1]), int(people[PEOPLE_2] + people[FLYING_2])])
        if moves is not None:
            game.play(moves)
    return totals


def _falls(live: LiveGame, shown: Shown) -> list[list[int]]:
    """Return the planets of the person to move that shuttles in sight will take: their indices, and the turns until then."""
    if not shown.to_move(live):
        return []
    view, index = live.view(live.game.player), live.setup.graph.index
    forecast = make_forecast(view, live.setup.rules, _leaving(live, view))
    return [[index[planet], turns] for planet, turns in forecast.falls().items()] if forecast else []


def _leaving(live: LiveGame, view: View) -> tuple[Shuttle, ...]:
    """Return the shuttles of the orders so far, as far as the view shows where they leave."""
    return departures(live.game, known_orders(live.orders, view, live.game.player, live.game.player))


def may_look_back(live: LiveGame) -> bool:
    """Return whether earlier turns may be shown without fog: when no person plays any more."""
    return live.over or not any(live.setup.persons)


def _console(live: LiveGame, shown: Shown) -> dict[str, Any]:
    """Return what strategies tell. Against a person it is held back until that person asks for it, or the game is over."""
    told = may_look_back(live) or shown.console
    fog = shown.viewer if may_look_back(live) else None
    return {
        "console": live.console.lines(fog) if told else [],
        "console_held": not told and live.has_isolated,
        "seconds": live.console.seconds(fog) if told else [0.0, 0.0],
    }


def _marked(live: LiveGame, state: dict[str, Any], shown: Shown) -> dict[str, Any]:
    """Add the strategies' marks to a state, where they may be shown."""
    if may_look_back(live) or shown.console:
        fog = shown.viewer if may_look_back(live) else None
        state["marks"] = live.console.marks(state["turn"], fog, live.setup.graph.index)
    return state


def _last_fault(live: LiveGame) -> str:
    """Return a line on the last fault of a strategy: which it was and of which kind; its text may tell what the fog hides."""
    faults = [notes for notes in live.console.notes if notes.fault]
    if not faults:
        return ""
    return f"{live.setup.names[faults[-1].player - 1]}: {faults[-1].fault.splitlines()[0]}"


def hint(live: LiveGame, by: str) -> Callable[[], Sequence[Move]]:
    """Return a function that finds the moves of a bot or a shipped agent, whatever happens meanwhile.

    Its first call may take long: bots are compiled, agents are loaded. MoveError if no person is to move, or for
    another name.
    """
    live.check_person()
    if by not in player_names():
        raise MoveError(f"hints come from {', '.join(player_names())}, not from {by}")
    game, seed = live.game.copy(), live.setup.seed

    def moves() -> Sequence[Move]:
        player = open_player(contestant_of(by))
        player.begin(game, game.player, seed)
        return player.moves(game)

    return moves


QUESTIONS = "look", "aim", "hint"


def answer(live: LiveGame, message: dict[str, Any], shown: Shown) -> dict[str, Any] | Callable[[], dict[str, Any]]:
    """Return the answer to a page that sees the game as ``shown``, or a slow function that finds it.

    MoveError if there is none.
    """
    if message["do"] == "look":
        return past_message(live, message["at"], shown.viewer)
    hidden = not shown.to_move(live) or message["turn"] != live.game.turn
    if message["do"] == "aim":
        return aim_message(live, Move(*message["move"]), hidden)
    if hidden:
        raise MoveError(f"this is turn {live.game.turn}, and its player has not asked for a hint")
    find = hint(live, message["by"])
    return lambda: {"kind": "hint", "turn": message["turn"], "by": message["by"], "moves": find()}
