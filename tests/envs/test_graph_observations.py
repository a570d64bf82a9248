"""``observation="graph"`` and `pw.pyg_arrays`: the numbers of "tensors" without unused slots, in Gymnasium's and PyG's forms."""

from typing import Any

import gymnasium
import numpy as np
import pytest
import torch

import planetwars_env as pw
from planetwars_env.codec.layout import EDGE_EXISTS, EXISTS, VISIBLE
from support.environments import make, make_vec

ARGUMENTS: dict[str, Any] = {"graphs": "validation", "opponent": "ai3", "max_turns": 30}


def assert_equal(graph: Any, tensors: dict[str, Any]) -> None:
    """The graph has the rows of the tensors that exist, and the clock at each planet."""
    exists, used = tensors["planets"][:, EXISTS] > 0, tensors["edges"][:, EDGE_EXISTS] > 0
    np.testing.assert_array_equal(graph.nodes[:, :-2], tensors["planets"][exists])
    np.testing.assert_array_equal(graph.nodes[:, -2:], np.tile(tensors["clock"], (exists.sum(), 1)))
    np.testing.assert_array_equal(graph.edges, tensors["edges"][used])
    np.testing.assert_array_equal(graph.edge_links, tensors["edge_index"][used])


@pytest.mark.parametrize("actions", ["turn", "order"])
def test_a_graph_is_in_its_space_and_equal_to_the_tensors(actions: str) -> None:
    env, twin = (make(observation=form, actions=actions, **ARGUMENTS) for form in ("graph", "tensors"))
    assert isinstance(env.observation_space, gymnasium.spaces.Graph)
    (graph, _), (tensors, _) = env.reset(seed=3), twin.reset(seed=3)
    hidden = 0
    for _ in range(40):
        assert graph in env.observation_space
        assert_equal(graph, tensors)
        fogged = graph.nodes[:, VISIBLE] == 0
        hidden += fogged.sum()
        assert not graph.nodes[fogged, VISIBLE:-2].any()
        action = twin.action_space.sample(mask=twin.unwrapped.sample_mask())
        (graph, *one), (tensors, *other) = env.step(action), twin.step(action)
        assert one[:3] == other[:3]
        if one[1] or one[2]:
            (graph, _), (tensors, _) = env.reset(), twin.reset()
    assert hidden


@pytest.mark.parametrize("form", ["tensors", "derived"])
def test_pyg_arrays_of_a_batch_are_those_of_its_games(form: str) -> None:
    envs = make_vec(num_envs=4, observation=form, **ARGUMENTS)
    observation, _ = envs.reset(seed=1)
    for _ in range(5):
        observation, *_ = envs.step(envs.action_space.sample())
    together = pw.pyg_arrays({name: torch.from_numpy(np.ascontiguousarray(part)) for name, part in observation.items()})
    first = edges = 0
    for i in range(4):
        alone = pw.pyg_arrays({name: part[i] for name, part in observation.items()})
        n, e = len(alone["x"]), len(alone["edge_attr"])
        assert not alone["batch"].any() and alone["edge_index"].max() < n
        assert torch.equal(together["x"][first : first + n], alone["x"])
        assert torch.equal(together["edge_attr"][edges : edges + e], alone["edge_attr"])
        assert torch.equal(together["edge_index"][:, edges : edges + e], alone["edge_index"] + first)
        assert (together["batch"][first : first + n] == i).all()
        first, edges = first + n, edges + e
    assert first == len(together["x"]) and edges == len(together["edge_attr"])


def test_pyg_arrays_of_a_graph_are_those_of_its_tensors() -> None:
    env, twin = (make(observation=form, **ARGUMENTS) for form in ("graph", "tensors"))
    one, other = pw.pyg_arrays(env.reset(seed=5)[0]), pw.pyg_arrays(twin.reset(seed=5)[0])
    assert one.keys() == other.keys() == {"x", "edge_index", "edge_attr", "batch"}
    assert all(torch.equal(one[name], other[name]) for name in one)
    assert one["edge_index"].dtype == torch.int64 and one["edge_index"].shape[0] == 2


def test_what_has_no_graph_form_says_so() -> None:
    with pytest.raises(ValueError, match="privileged=True needs another observation"):
        make(observation="graph", privileged=True)
    with pytest.raises(ValueError, match='"graph" has no memory'):
        pw.MemoryWrapper(make(observation="graph"))
    with pytest.raises(ValueError, match="Stable-Baselines3 takes no Graph"):
        pw.make_sb3_vec_env(observation="graph")
    with pytest.raises(ValueError, match='"graph" is for one agent'):
        pw.pettingzoo_env(observation="graph")
