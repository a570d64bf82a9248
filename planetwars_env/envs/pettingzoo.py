"""Two agents, one on each side of a game, as PettingZoo has it: agents in turn (AEC), and its parallel form."""

import warnings
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, ClassVar, Unpack

import numpy as np
from gymnasium import spaces

from planetwars_env.codec.checks import checked_actions
from planetwars_env.codec.derived import in_form
from planetwars_env.codec.layout import observation_width
from planetwars_env.codec.rewards import Standing, Transition, resolve_reward
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import GameKeywords, read_arguments
from planetwars_env.envs.next_games import read_options
from planetwars_env.envs.spaces import action_space, observation_space
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.renderer import FRAMES_PER_SECOND, MODES, Renderer
from planetwars_env.shipped import pip_line
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset

try:
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils import turn_based_aec_to_parallel
    from pettingzoo.utils.wrappers import OrderEnforcingWrapper
except ModuleNotFoundError as fault:
    raise ImportError(f"{fault.name} is not installed, and two agents need it: {pip_line('pettingzoo')}") from fault

AGENTS = ("player_1", "player_2")
_DEFAULTS: GameKeywords = {"actions": "order", "observation": "flat"}
"""Other defaults than `EnvArguments` has: PettingZoo's tools expect Discrete actions with the mask beside one Box."""


class PlanetWarsAECEnv(AECEnv[str, Any, Any]):
    """A game between the agents "player_1", who begins, and "player_2"; rules, features and numbers of `PlanetWarsEnv`.

    An agent stays selected until it ends its turn. Spaces, the same object at every call and one for each agent:

    | | `actions="order"` (default) | `actions="turn"` |
    |---|---|---|
    | action | Discrete(1 + E * K): one move, 0 ends the turn | MultiDiscrete([1 + D * K] * P): a whole turn |
    | observation | {"observation": ..., "action_mask": (A,) int8} | {"observation": ...} |
    | mask | in the observation | flat, `infos[agent]["action_mask"]` (A,) int8; `sample(mask)` takes it as it is |

    With `mask="info"` both kinds of actions have the mask in the infos only, and the observation is what stands under
    "observation" above: one plain Box by default, as wrappers such as those of SuperSuit want it.

    Under "observation" stands one float32 vector (`observation="flat"`, default) or a Dict of planets, edges, edge_index
    and clock ("tensors"), or the same with derived features ("derived"). Either agent can be observed at any time, through
    its own fog; who is not to move may only wait.

    Each agent is paid from its own side, from one decision to its next or to the end, so that it earns what it would
    in `PlanetWarsEnv` against the other. `infos`: as there, for each side. Both agents end together; player_2 may be
    beaten before it ever moves, and is then only told so.

    `state()`: one vector without fog for a central critic, `state_space`: the numbers of a flat observation from the side
    of player_1, then 1 where player_1 is to move, else 0.

    `reset(seed, options={"graph": name or index})`: the same seed gives the same game; other options draw a warning. Pictures
    show both sides without fog. Arguments: those of `EnvArguments` but opponent and player.
    """

    metadata: ClassVar[dict[str, Any]] = {  # pyright: ignore[reportIncompatibleVariableOverride]
        "name": "planetwars_v0",
        "render_modes": list(MODES),
        "render_fps": FRAMES_PER_SECOND,
        "is_parallelizable": True,
    }

    def __init__(
        self,
        rules: str | Rules = "PLANETWARS",
        *,
        render_mode: str | None = None,
        mask: str = "observation",
        **arguments: Unpack[GameKeywords],
    ) -> None:
        super().__init__()
        given: Any = _DEFAULTS | arguments
        chosen = read_arguments(PlanetWarsAECEnv, rules, given, GameKeywords)
        if chosen.observation == "graph":
            raise ValueError('observation="graph" is for one agent: choose "tensors", "flat" or "derived"')
        self._screen = Renderer(render_mode)
        setup = replace(chosen, opponent="self", player=1).setup(Autoreset.DISABLED)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        if mask not in ("observation", "info"):
            raise ValueError(f"unknown mask {mask!r}: choose one of 'observation', 'info'")
        self._mask_in_info = mask == "info" or not setup.max_orders
        self._plain = mask == "info"
        seen = observation_space(setup, chosen.observation)
        if isinstance(seen, spaces.Dict):
            del seen.spaces["action_mask"]
        named = {} if self._mask_in_info else {"action_mask": spaces.Box(0, 1, (setup.codec.mask_width,), np.int8)}
        shown = seen if self._plain else spaces.Dict({"observation": seen, **named})
        self.observation_spaces: dict[str, Any] = {agent: deepcopy(shown) for agent in AGENTS}
        self.state_space = spaces.Box(0.0, np.inf, (observation_width(setup.limits) + 1,), np.float32)
        space = action_space(setup)
        space = _Turns(space.nvec) if isinstance(space, spaces.MultiDiscrete) else space
        self.action_spaces = {agent: deepcopy(space) for agent in AGENTS}
        self._form = chosen.observation
        self._batch = Batch(1, setup)
        self._codec = setup.codec
        self._reward = resolve_reward(chosen.reward)
        self._seeded = False

    @property
    def game(self) -> Game:
        """The game that is played, over the environment's own arrays: for drawing, not for playing."""
        return self._batch.game(0)

    @property
    def graphs(self) -> Sequence[Graph]:
        """The pool that graphs are drawn from."""
        return self._batch.setup.graphs

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Of one agent: always the same object."""
        return self.observation_spaces[AGENTS[_player(agent)]]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Of one agent: always the same object."""
        return self.action_spaces[AGENTS[_player(agent)]]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game. ``options``: "graph" (name or index); ValueError for one that is not in the pool."""
        others = dict(options or {})
        chosen = read_options({"graph": others.pop("graph", None)}, self._batch)
        if others:  # no error: PettingZoo's checkers pass some
            warnings.warn(f"unknown options {sorted(others)} are left aside: choose from graph", stacklevel=2)
        if seed is not None or not self._seeded:
            self._batch.seed(int(np.random.default_rng().integers(2**63)) if seed is None else seed)
            self._seeded = True
        self._batch.reset(**chosen)
        self._decisions: list[dict[str, Any] | None] = [None, None]
        self.agents = list(AGENTS)
        self.agent_selection = AGENTS[0]
        self._skip_agent_selection = None
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self._note(self._batch.result.of_first()[3])

    def step(self, action: Any) -> None:
        """One order or turn of the selected agent; None of an agent that has ended, which then leaves."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        batch, player = self._batch, _player(agent)
        batch.actions[0] = checked_actions(action, self.action_spaces[agent].shape or (), "the action")
        self._decisions[player] = self.infos[agent]
        batch.step()
        _, terminated, truncated, info = batch.result.of_first()
        mover = 1 - player if terminated or truncated else int(batch.players[0])
        self.agent_selection = AGENTS[mover]
        self._note(info, terminated, truncated)
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(AGENTS, self._pay(terminated, truncated, mover), strict=True))
        self._accumulate_rewards()

    def observe(self, agent: str) -> Any:
        """The observation of one agent now, in the form of its space."""
        player, setup = _player(agent), self._batch.setup
        orders = int(self._batch.orders[0]) if player == self._batch.players[0] else 0
        row, edge_index, _ = self._codec.observe(self._batch.state, self._batch.board, player, orders)
        mask = self.action_mask(agent)
        seen = in_form(self._form, setup.limits, setup.rules, row, edge_index, mask)
        if self._form != "flat":
            del seen["action_mask"]
        if self._plain:
            return seen
        return {"observation": seen} if self._mask_in_info else {"observation": seen, "action_mask": mask}

    def state(self) -> Array:
        """The whole position without fog, as `state_space` has it."""
        batch = self._batch
        row, _, _ = self._codec.observe(batch.state, batch.board, 0, int(batch.orders[0]), fog=False)
        return np.append(row, np.float32(batch.players[0] == 0))

    def action_mask(self, agent: str) -> Array:
        """The flat mask [A] int8: 1 where the action is legal. Waiting always is, and all else is only on one's turn."""
        if _player(agent) == self._batch.players[0]:
            return self._batch.current.mask[0].copy()
        return self._codec.only_waiting()

    def render(self) -> Any:
        """The whole graph without fog: pixels [height, width, 3] uint8, a text, or None ("human" shows it at once)."""
        return self._screen.show(self.game, None)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def _note(self, info: dict[str, Any], terminated: bool = False, truncated: bool = False) -> None:
        """Take in the batch's ``info``, which is that of the player to move, or of the last one to move."""
        self.terminations = dict.fromkeys(AGENTS, terminated)
        self.truncations = dict.fromkeys(AGENTS, truncated)
        del info["opponent"]  # the other agent; TorchRL takes numbers only, so that no names stand there
        other = info | {
            "my_planets": info["opponent_planets"],
            "opponent_planets": info["my_planets"],
            "my_people": info["opponent_people"],
            "opponent_people": info["my_people"],
            "player": 3 - info["player"],
            "won": -info["won"],
        }
        self.infos = {agent: info if player == info["player"] else other for player, agent in enumerate(AGENTS, 1)}
        for agent, own in self.infos.items():
            if terminated or truncated:
                own["is_success"] = own["won"] > 0
            if self._mask_in_info:
                own["action_mask"] = self.action_mask(agent)
        if self._screen.mode == "human":
            self.render()

    def _pay(self, terminated: bool, truncated: bool, mover: int) -> list[float]:
        """The rewards since each player's last decision: 0 except for the one who decides next, or for both at the end."""
        over, rewards = terminated or truncated, [0.0, 0.0]
        for player, agent in enumerate(AGENTS):
            # Whoever never came to move has a single step, which begins where it ends.
            now = self.infos[agent]
            before = self._decisions[player] or (now if over else None)
            if before and (over or player == mover):
                won = np.array([now["won"] if over else 0.0])
                ends = np.array([terminated]), np.array([truncated])
                rewards[player] = float(self._reward(Transition(won, *ends, _standing(before), _standing(now)))[0])
                self._decisions[player] = None
        return rewards


def _standing(info: dict[str, Any]) -> Standing:
    return Standing(*(np.array([info[name]], np.float64) for name in Standing._fields))


class _Turns(spaces.MultiDiscrete):
    """A MultiDiscrete that samples by a flat mask as well as by a tuple of masks: PettingZoo's checkers hand on the info's."""

    def sample(self, mask: Any = None, probability: Any = None) -> Any:
        """A random action, where ``mask`` (flat, int8) is 1."""
        if isinstance(mask, np.ndarray):
            mask = tuple(np.split(mask, np.cumsum(self.nvec)[:-1]))
        return super().sample(mask, probability)


class PettingZooKeywords(GameKeywords, total=False):
    """Keyword arguments of `PlanetWarsAECEnv` beside its rules."""

    render_mode: str | None
    mask: str


def pettingzoo_env(rules: str | Rules = "PLANETWARS", **arguments: Unpack[PettingZooKeywords]) -> Any:
    """A `PlanetWarsAECEnv` that also raises an error where it is used in the wrong order. ValueError for wrong arguments."""
    return OrderEnforcingWrapper(PlanetWarsAECEnv(rules, **arguments))


def pettingzoo_parallel_env(
    rules: str | Rules = "PLANETWARS", **arguments: Unpack[PettingZooKeywords]
) -> ParallelEnv[str, Any, Any]:
    """The same as a ParallelEnv: both agents act in a step, and only the action of the one to move counts.

    That is player_1 after a reset and ``infos[agent]["active_agent"]`` after a step.
    """
    return turn_based_aec_to_parallel(pettingzoo_env(rules, **arguments))


# What follows are the names by which PettingZoo's tools know the environments of a module.

raw_env = PlanetWarsAECEnv


def env(max_cycles: int | None = None, **arguments: Any) -> Any:
    """`pettingzoo_env`; with ``max_cycles`` every agent acts that often, and an action is a turn."""
    return pettingzoo_env(**_limited(None if max_cycles is None else 2 * max_cycles, arguments))


def parallel_env(max_cycles: int | None = None, **arguments: Any) -> ParallelEnv[str, Any, Any]:
    """`pettingzoo_parallel_env`; with ``max_cycles`` it goes on for so many steps, and an action is a turn."""
    return pettingzoo_parallel_env(**_limited(max_cycles, arguments))


def _limited(turns: int | None, arguments: dict[str, Any]) -> dict[str, Any]:
    if turns is None:
        return arguments
    if "max_turns" in arguments:
        raise ValueError("max_cycles and max_turns are two words for one limit: pass one of them")
    return {"max_orders": 1, **arguments, "max_turns": turns}


def _player(agent: str) -> int:
    if agent not in AGENTS:
        raise ValueError(f"unknown agent {agent!r}: choose one of {', '.join(AGENTS)}")
    return AGENTS.index(agent)
