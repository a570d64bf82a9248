"""One game for one agent, as a Gymnasium environment."""

from collections.abc import Sequence
from typing import Any, ClassVar, Unpack

import gymnasium

from planetwars_env.codec.checks import checked_actions
from planetwars_env.codec.derived import with_derived
from planetwars_env.codec.layout import arrange
from planetwars_env.codec.limits import Limits
from planetwars_env.codec.rewards import resolve_reward, rewards_of_both, win
from planetwars_env.engine.rules import Rules
from planetwars_env.engine.state import Array
from planetwars_env.envs.arguments import EnvKeywords, read_arguments
from planetwars_env.envs.next_games import read_options
from planetwars_env.envs.spaces import action_space, graph_of, observation_space, with_state
from planetwars_env.game import Game
from planetwars_env.graphs.graph import Graph
from planetwars_env.render.renderer import FRAMES_PER_SECOND, MODES, Renderer
from planetwars_env.sim.batch import Batch
from planetwars_env.sim.setup import Autoreset


class PlanetWarsEnv(gymnasium.Env[Any, Any]):
    """Conquer a graph of planets under fog of war, against an opponent inside the environment.

    ## Description
    Two players start with one person each on their base. People grow, shuttles carry them along weighted edges, battles
    favour the defender; a player sees the planets it owns and their neighbours. Who loses everything has lost. The rules
    with their numbers stand in docs/rules.md. Three ids: `PlanetWars-v0`, `PlanetWarsHalfStep-v0` (flights take twice
    the weight), `SpaceExplorers-v0` (populations live together, the majority owns).

    ## Action space
    - `actions="turn"`: one step is one turn. `MultiDiscrete([1 + D * K] * P)`: planet slot p waits (0) or sends fraction
      k along its edge slot d (1 + d * K + k). P planet slots, D edge slots a planet, K fractions. `sends=2` repeats the
      P choices: planets send again, a fraction of who is left.
    - `actions="order"`: one step is one move. `Discrete(1 + E * K)`: 0 ends the turn, 1 + e * K + k sends fraction k
      along directed edge e; the turn goes on until 0 or `max_orders` orders, illegal ones counted.

    A fraction f of n people sends max(1, floor(f * n)). An illegal choice does nothing. `action_masks()` gives the flat
    boolean mask, `sample_mask()` the form that `action_space.sample(mask=...)` takes.

    ## Observation space
    `observation="tensors"`: a Dict of Boxes; `"flat"`: planets, edges and clock in one float32 vector; `"derived"`: the
    Dict with derived_planets (P, 10 + 2 H) and derived_edges (E, 5), see docs/observations.md. What the fog hides is 0. Edges are directed, sorted by (source, target); unused slots are 0.

    | part | shape | type | features, each in its unit times its scale |
    |---|---|---|---|
    | planets | (P, 11 + 2 H) | float32 | exists, visible, mine, opponent, neutral, my_base, opponent_base (0 or 1); my_people, opponent_people, size (people x 0.01); habitability (per cent x 0.1); my_arrivals, opponent_arrivals (people x 0.01) in 1, 2, ... H or more turns |
    | edges | (E, 4) | float32 | exists (0 or 1); weight (x 0.1); my_flight, opponent_flight (people x 0.01 on their way to a visible planet) |
    | edge_index | (E, 2) | int32 | source and target planet slot |
    | clock | (2,) | float32 | own turns so far by those that max_turns allows; orders given this turn by max_orders |
    | action_mask | (A,) | int8 | 1 where the action is legal |

    With `privileged=True` the Dict also holds "state": planets, edges and clock without fog, for a critic; with
    `observation="flat"` it is {"observation": vector, "state": vector}.

    ## Rewards
    `reward="win"`: +1, 0, -1 at the end. `pw.Shaped(gamma, scale)` adds potential-based shaping. Any function from a
    `pw.Transition` of N games to N rewards may replace them.

    ## Starting state
    Graph, opponent (of a list) and player (with `player="random"`) are drawn from the seed at each reset; the same seed
    gives the same game. `reset(options={"graph": "train/7", "opponent": "ai1", "player": 1})` sets them, by name or index.

    ## Episode end
    Terminated when a player is eliminated, or by the turn limit of SpaceExplorers (R10). Truncated after `max_turns`
    turns of both players (500; half-step 1,000). A game that is over before the agent moves is shown by `reset` with
    only waiting legal, and the first step ends it.

    ## Arguments
    Those of `EnvArguments`, each with its default and meaning there; `opponent` may be an instance of a strategy as well.
    `render_mode`: None, "rgb_array", "human" (a window that follows the game by itself) or "ansi" (a text); all show what
    the agent sees.

    ## Info
    The true state when time last passed; a measure, not an observation: turn, winner (1, 2, else 0), my_planets,
    opponent_planets, my_people, opponent_people, player (1 or 2), won (+1, -1 once the game is decided, else 0), opponent
    (its name), graph (its index in `graphs`), graph_name. At the end also is_success (bool); with `opponent="self"`
    rewards (of player 1 and of player 2).

    ## Versions
    v0: the first.
    """  # noqa: E501 (the tables)

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": FRAMES_PER_SECOND}

    def __init__(
        self, rules: str | Rules = "PLANETWARS", *, render_mode: str | None = None, **arguments: Unpack[EnvKeywords]
    ) -> None:
        chosen = read_arguments(PlanetWarsEnv, rules, arguments)
        self._screen = Renderer(render_mode)
        setup = chosen.setup(Autoreset.DISABLED, single=True)
        self.render_mode = render_mode
        self.observation_space = observation_space(setup, chosen.observation)
        self.action_space = action_space(setup)
        self._reward = resolve_reward(chosen.reward)
        self._flat, self._derived, self._graph = (chosen.observation == form for form in ("flat", "derived", "graph"))
        self._privileged = setup.privileged
        self._action_shape = self.action_space.shape or ()
        self._batch = Batch(1, setup)
        self._bind()
        self._choices = setup.codec.choices
        self._seeded = False

    @property
    def game(self) -> Game:
        """The game that is played, over the environment's own arrays: for drawing, not for playing."""
        return self._batch.game(0)

    @property
    def graphs(self) -> Sequence[Graph]:
        """The pool that graphs are drawn from."""
        return self._batch.setup.graphs

    @property
    def opponents(self) -> Sequence[str]:
        """The names of the opponents that one is drawn from."""
        return self._batch.setup.opponent_names

    @property
    def limits(self) -> Limits:
        """The largest graph that fits, which all shapes come from."""
        return self._batch.setup.limits

    @property
    def player(self) -> int:
        """The agent's player in this game: 1 or 2."""
        return int(self._batch.players[0]) + 1

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new game. ``options``: "graph" and "opponent" (name or index), "player" (1, 2). ValueError for others."""
        super().reset(seed=seed)
        if seed is not None or not self._seeded:
            self._batch.seed(int(self.np_random.integers(2**63)) if seed is None else seed)
            self._seeded = True
        self._batch.reset(**read_options(options, self._batch))
        if self._screen.mode == "human":
            self.render()
        return self._observe(), self._named(self._batch.result.of_first()[3])

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One turn (actions="turn") or one order; see the class."""
        batch = self._batch
        self._action[...] = checked_actions(action, self._action_shape, "the action")
        batch.step()
        if self._screen.mode == "human":
            self.render()
        result = batch.result
        won, terminated, truncated, info = result.of_first()
        if batch.setup.self_play:
            info["rewards"] = rewards_of_both(self._reward, result.transition, result.mover)[0]
            reward = float(info["rewards"][result.mover[0] - 1])
        else:
            reward = float(won) if self._reward is win else float(self._reward(result.transition)[0])
        if terminated or truncated:
            info["is_success"] = info["won"] > 0
        return self._observe(), reward, terminated, truncated, self._named(info)

    def action_masks(self) -> Array:
        """The flat mask [A] bool: True where the action is legal (the form of MaskablePPO)."""
        return self._batch.current.mask[0].astype(bool)

    def sample_mask(self) -> Any:
        """The mask as ``action_space.sample(mask=...)`` takes it: int8, a tuple of one array a planet with "turn"."""
        mask = self._batch.current.mask[0].copy()
        return mask if self._batch.setup.max_orders else tuple(mask.reshape(-1, self._choices))

    def render(self) -> Any:
        """The graph as the agent sees it: pixels [height, width, 3] uint8, a text, or None ("human" shows it at once)."""
        return self._screen.show(self.game, self.player)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._screen.close()

    def _named(self, info: dict[str, Any]) -> dict[str, Any]:
        opponents, graphs = self._names
        info["opponent"] = opponents[info["opponent"]]
        info["graph_name"] = graphs[info["graph"]]
        return info

    def _bind(self) -> None:
        """Keep what every step looks up, and the copy method of each part: a step is short enough to notice.

        Planets and edges are copied as they lie in memory, feature by feature, and transposed after that.
        """
        self._names = self._batch.setup.opponent_names, self._batch.graph_names
        self._action, self._row = self._batch.actions[0], self._batch.observation()[0]
        if self._flat:
            return
        parts = arrange(self.limits, *(part[0] for part in self._batch.current))
        turned = parts["planets"].T, parts["edges"].T, parts["edge_index"], parts["clock"], parts["action_mask"]
        self._parts = [part.copy for part in turned]

    def __getstate__(self) -> dict[str, Any]:
        return {
            key: value for key, value in self.__dict__.items() if key not in ("_parts", "_names", "_action", "_row")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._bind()

    def _observe(self) -> Any:
        if self._flat:
            seen = self._row.copy()
        else:
            planets, edges, edge_index, clock, mask = self._parts
            seen = {
                "planets": planets().T,
                "edges": edges().T,
                "edge_index": edge_index(),
                "clock": clock(),
                "action_mask": mask(),
            }
            if self._derived:
                rules = self._batch.setup.rules
                seen = with_derived(seen, rules.coexistence, rules.turns_per_weight)
            if self._graph:
                return graph_of(seen)
        if not self._privileged:
            return seen
        return with_state(self.limits, seen, self._batch.observation(fog=False)[0].copy())
