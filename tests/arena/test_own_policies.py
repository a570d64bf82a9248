"""Policies of one's own, as users write them: functions, flat observations, other fractions and limits, and memory."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import planetwars_env as pw
from support.command_line import succeed


def first_legal(observation: dict[str, Any]) -> Any:
    """Choose the first legal fraction and edge of every planet."""
    mask = observation["action_mask"].reshape(len(observation["planets"]), pw.CLASSIC.planets, -1)
    return mask[:, :, 1:].any(2).astype(int)


def first_order(observation: Any, action_masks: Any) -> Any:
    """Choose the first legal order."""
    assert observation.ndim == 2 and action_masks.dtype == bool
    return np.where(action_masks[:, 1:].any(1), 1 + action_masks[:, 1:].argmax(1), 0)


class Diary(pw.Policy):
    """Waits in even turns of its own; needs to remember the turn of each game."""

    name = "diary"

    def __init__(self) -> None:
        self.turns: dict[int, int] = {}

    def act(self, observation: Any, games: Any, starts: Any) -> Any:
        assert len(set(games.tolist())) == len(games) == len(starts) == len(observation["planets"])
        for game, start, clock in zip(games.tolist(), starts.tolist(), observation["clock"], strict=True):
            assert start or game in self.turns
            assert not start or clock[0] < 0.4
            self.turns[game] = 0 if start else self.turns[game] + 1
        return first_legal(observation) * (np.array([self.turns[g] % 2 for g in games.tolist()])[:, None] == 0)


def test_a_function_from_observations_to_actions_is_a_player_everywhere() -> None:
    result = pw.evaluate(first_legal, "noop", graphs="duel", games=4)[0]
    assert result.total.games == 4
    assert pw.play_match("noop", first_legal, "duel", max_turns=4).players == ("noop", "first_legal")
    envs = pw.make_vec("PlanetWars-v0", num_envs=2, opponent=first_legal, graphs="duel")
    envs.reset(seed=0)
    envs.step(envs.action_space.sample() * 0)


@pytest.mark.parametrize(("limits", "fractions"), [(pw.CLASSIC, (0.5,)), (pw.LARGE, (0.25, 1.0))])
def test_a_policy_has_its_own_form_of_observations_and_actions(limits: pw.Limits, fractions: tuple[float, ...]) -> None:
    policy = pw.FunctionPolicy(
        first_order, observation="flat", limits=limits, fractions=fractions, max_orders=3, name="orders"
    )
    assert [result.total.games for result in pw.evaluate(policy, ["noop", policy], graphs="duel", games=2)] == [2, 2]
    replay = pw.play_match(policy, policy, "duel", max_turns=4)
    assert len(replay.moves[0]) >= 1


def test_a_policy_with_memory_gets_the_games_and_their_starts_as_a_player_and_as_an_opponent() -> None:
    policy = Diary()
    for i, graph in enumerate(["duel", "rings"]):
        alone, again = (pw.play_match(one, "ai1", graph, seed=i, max_turns=20).moves for one in (Diary, policy))
        assert alone == again and policy.turns == {}  # it was copied
    for player in (Diary, policy):
        results = pw.evaluate(player, ["noop", player], graphs=["duel", "rings"], games=4)
        assert [result.total.games for result in results] == [4, 4]
    envs = pw.make_vec(
        "PlanetWars-v0", num_envs=3, opponent=Diary(), graphs="duel", max_turns=6, autoreset_mode="SAME_STEP"
    )
    envs.reset(seed=1)
    for _ in range(12):
        envs.step(envs.action_space.sample() * 0)


def test_a_file_holds_a_policy(tmp_path: Path) -> None:
    path = tmp_path / "waiting.py"
    path.write_text(
        "import numpy as np\nimport planetwars_env as pw\n\n\nclass Waiting(pw.Policy):\n"
        "    def act(self, observation):\n        return np.zeros((len(observation['planets']), 21), int)\n"
    )
    assert pw.evaluate(str(path), "noop", graphs="duel", games=2)[0].total.draws == 2
    succeed("evaluate", path, "--in-process", "--opponents", "noop", "--graphs", "duel", "--games", "2")


def waits(**attributes: Any) -> Any:
    return pw.FunctionPolicy(
        lambda observation: np.zeros((len(observation["planets"]), 21), int), name="odd", **attributes
    )


class Needy(pw.Policy):
    """Asks for what nothing can give."""

    name = "odd"

    def act(self, observation: Any, hidden: Any) -> Any:
        return hidden


class Halfway:
    """Has act and nothing else of a policy."""

    def act(self, observation: dict[str, Any]) -> Any:
        return observation


class Model:
    """Looks like a model of Stable-Baselines3."""

    def predict(self, observation: Any) -> Any:
        return observation


def sleeps(view: Any) -> list[Any]:
    return []


def sends(seen: Any) -> list[Any]:
    return [pw.Move(planet.id, 0, 1) for planet in seen.owned_by(1)]


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (waits(observation="pixels"), r"'odd': observation must be one of .*, not 'pixels'"),
        (waits(limits=21), r"'odd': limits must be a pw\.Limits, not 21"),
        (waits(fractions=(2.0,)), r"'odd': fractions must be"),
        (waits(max_orders=-1), r"'odd': max_orders must be"),
        (Needy, r"act of policy 'odd' has the parameters hidden, which nothing fills: .* action_masks, games, starts"),
        (Model(), r"Model has no act\(observation\): wrap it, as in pw\.SB3Policy\(model\)"),
        (Halfway(), r"'Halfway' has act, but lacks limits, fractions, max_orders: derive its class from pw.Policy"),
        (Halfway, r"'Halfway' has act, but lacks limits, fractions, max_orders"),
        (object(), r"has neither take_turn\(view\) nor act\(observation\)"),
        (sleeps, r"sleeps ?(\(view\) )?is a function of views.*class Mine"),
        (sends, r"sends ?(\(view\) )?is a function of views.*class Mine"),
    ],
)
def test_what_does_not_play_is_told_so_in_one_sentence(player: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pw.evaluate(player, "noop", graphs="duel", games=2)
    with pytest.raises(ValueError, match=message):
        pw.play_match(player, "noop", "duel")
    with pytest.raises(ValueError, match=message):
        pw.make("PlanetWars-v0", opponent=player, graphs="duel", player=2).reset(seed=0)


class Forgetful(pw.Policy):
    """Keeps one state for the games of a call, as if these were always the same games."""

    state: Any = 0.0

    def act(self, observation: Any) -> Any:
        self.state = self.state + observation["planets"].mean((1, 2))
        return np.zeros((len(self.state), 21), np.int64)


def test_a_policy_with_memory_that_does_not_tell_games_apart_is_an_error() -> None:
    fault = "act of policy 'Forgetful' failed with [0-9]+ games after a call with [0-9]+ .*: calls hold other games"
    with pytest.raises(ValueError, match=fault):
        pw.evaluate(Forgetful(), ["random"], graphs="fair", games=4)
