"""``observation="derived"``: features that follow from the tensors, in every environment, and the graph network's own."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from stable_baselines3 import PPO

import planetwars_env as pw
from planetwars_env.codec.layout import DERIVED_EDGE_FEATURES, DERIVED_PLANET_FEATURES
from planetwars_env.engine.columns import EDGES, LIMIT, NO_LIMIT, PHASE, RUNNING, TARGET, TURNS
from planetwars_env.engine.entry_points import end_turn
from planetwars_env.engine.rules import PRESETS
from planetwars_env.envs.registration import RULES_OF_IDS
from planetwars_env.learn.config import ActionSpec
from planetwars_env.learn.graph_batch import collate
from support.environments import make, make_vec

RULES = {name: PRESETS[rules] for name, rules in RULES_OF_IDS.items()}
PLANET, EDGE = (
    {feature.name: i for i, feature in enumerate(features)}
    for features in (DERIVED_PLANET_FEATURES, DERIVED_EDGE_FEATURES)
)


@pytest.mark.parametrize("name", RULES)
def test_the_graph_network_reads_the_same_numbers(name: str) -> None:
    envs = make_vec(name, 16, opponent="ai3", observation="derived", limits=pw.CLASSIC)
    observation, _ = envs.reset(seed=1)
    rules = RULES[name]
    spec = ActionSpec(pw.CLASSIC, 9, rules)
    for _ in range(40):
        masks = envs.action_masks().reshape(16, 21, -1)
        observation, *_ = envs.step((np.random.default_rng(0).random(masks.shape) * masks).argmax(-1))
    graphs = collate(spec, {key: torch.from_numpy(np.ascontiguousarray(part)) for key, part in observation.items()})
    planets, edges = (observation[part][..., 0] > 0 for part in ("planets", "edges"))
    derived = observation["derived_planets"]
    assert (graphs.planets[:, 27:47].numpy() == derived[planets][:, :20]).all()
    assert (graphs.planets[:, 49:].numpy() == derived[planets][:, 20:]).all()
    assert (graphs.edges[:, [0, 1, 3, 4, 5]].numpy() == observation["derived_edges"][edges]).all()
    assert not derived[~planets].any() and not observation["derived_edges"][~edges].any()
    assert (graphs.edges[:, 3:] != 0).any()


def test_the_features_are_what_their_table_says() -> None:
    """Ways by Floyd and Warshall; forecasts with a board in sight and nothing in flight, which only grows."""
    env = make(observation="derived", opponent="ai3", graphs="test", player=1)
    env.reset(seed=3)
    env.action_space.seed(3)
    for _ in range(30):
        seen, *_ = env.step(env.action_space.sample(mask=env.sample_mask()))
        planets, edges = seen["planets"], seen["edges"][seen["edges"][:, 0] > 0]
        index, count = seen["edge_index"][: len(edges)], int(planets[:, 0].sum())
        ways = np.where(np.eye(21) > 0, 0.0, 1e9)
        ways[index[:, 0], index[:, 1]] = edges[:, 1]
        for k in range(21):
            ways = np.minimum(ways, ways[:, k, None] + ways[k])
        hidden = (planets[:, 0] > 0) & (planets[:, 1] == 0)
        front = planets[:, 3] > 0 if planets[:, 3].any() else hidden
        for goal, distance, direction in (
            (front, "front_distance", "to_front"),
            ((planets[:, 4] > 0) | hidden, "free_distance", "to_free"),
        ):
            nearest = ways[:, goal].min(1, initial=1e9)
            column = PLANET[distance] + 14  # two of the features before it have a column a turn
            assert seen["derived_planets"][:count, column] == pytest.approx(
                np.minimum(3, nearest[:count]) / 3, abs=1e-5
            )
            along = (nearest[index[:, 0]] - nearest[index[:, 1]]) / edges[:, 1]
            assert seen["derived_edges"][: len(edges), EDGE[direction]] == pytest.approx(along, abs=1e-4)
        logs = 0.2 * np.log1p(100 * planets[:, 7:])
        assert seen["derived_planets"][:, :20] == pytest.approx(logs, abs=1e-5)
        landing = np.expm1(seen["derived_edges"][: len(edges), EDGE["opponent_landing"]] / 0.2)
        margin = logs[index[:, 0], 0] - 0.2 * np.log1p(1.1 * landing)
        assert seen["derived_edges"][: len(edges), EDGE["margin"]] == pytest.approx(margin, abs=1e-4)
        prospects = seen["derived_planets"][:count, PLANET["my_forecast"] + 14 :]
        assert (prospects[:, 2] <= prospects[:, 0]).all() and (prospects[:, 3] >= prospects[:, 1]).all()


@pytest.mark.kernels
@pytest.mark.parametrize("name", RULES)
def test_landings_are_what_the_engine_brings_to_what_is_in_sight(name: str) -> None:
    """Everybody in sight lives on and lands, and nobody gives orders, for as long as a flight along the edge takes."""
    env, rules, compared = make(name, observation="derived", opponent="ai3", graphs="test"), RULES[name], 0
    env.reset(seed=4)
    env.action_space.seed(4)
    for _ in range(24):
        seen, *_ = env.step(env.action_space.sample(mask=env.sample_mask()))
        game, viewer = env.unwrapped.game, env.unwrapped.player
        view, horizon = game.view(viewer), env.unwrapped.limits.horizon
        planets = [[one.id, 0, *one.people] for one in view.planets if one.people]
        shuttles = [list(one) for one in view.shuttles if one.turns <= horizon]
        position = {"turn": game.turn, "over": False, "winner": 0, "planets": planets, "shuttles": shuttles}
        board, state = pw.Game.from_dict(game.graph, position, rules).arrays
        state.status[0, LIMIT] = NO_LIMIT
        for one in view.shuttles:  # those who fly longer are observed as if they landed at the horizon
            if one.turns > horizon:
                slot, target = (game.turn + horizon) % state.arrivals.shape[1], game.graph.index[one.destination]
                state.arrivals[0, slot, one.player - 1, target] += one.people
        people = []
        for _ in range(8 * rules.turns_per_weight):
            end_turn(state, board, 0)
            state.status[0, PHASE] = RUNNING
            people.append(state.people[0].copy())
        for e in range(board.info[0, EDGES]):
            target, turns = board.edges[0, [TARGET, TURNS], e]
            landed = people[min(turns, len(people)) - 1][[viewer - 1, 2 - viewer], target]
            both = seen["derived_edges"][e, [EDGE["my_landing"], EDGE["opponent_landing"]]]
            assert both == pytest.approx(0.2 * np.log1p(landed), abs=1e-4)
            compared += landed.any()
    assert compared > 200


@pytest.mark.kernels
def test_models_and_policies_are_evaluated_on_it() -> None:
    short: dict[str, Any] = {"graphs": "duel", "max_turns": 12}
    venv = pw.make_sb3_vec_env(num_envs=2, observation="derived", **short)
    model = PPO("MultiInputPolicy", venv, n_steps=8, batch_size=16, n_epochs=1, policy_kwargs={"net_arch": [8]}).learn(
        16
    )
    policy = pw.SB3Policy(model)
    assert policy.observation == "derived"
    assert pw.evaluate(policy, "noop", graphs="duel", games=2)[0].total.games == 2
    shapes = set()

    def wait(observation: dict[str, np.ndarray]) -> np.ndarray:
        shapes.add((observation["derived_planets"].shape[1:], observation["derived_edges"].shape[1:]))
        return np.zeros((len(observation["planets"]), 21), np.int64)

    player = pw.FunctionPolicy(wait, observation="derived")
    envs = make_vec(num_envs=2, opponent=player, graphs="duel", max_turns=4)
    envs.reset(seed=0)
    envs.step(envs.action_space.sample())
    assert pw.play_match(player, "noop", "duel", max_turns=4).turns == 4
    assert shapes == {((21, 26), (72, 5))}
    with pytest.raises(ValueError, match=r"unknown observation 'derive': .*did you mean 'derived'"):
        gymnasium.make("PlanetWars-v0", observation="derive")
