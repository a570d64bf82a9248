"""One game as a Gymnasium environment of texts: messages in, replies out (docs/language-models.md)."""

import string
from dataclasses import replace
from typing import Any, ClassVar, Unpack

import gymnasium
import numpy as np
from gymnasium.spaces import Text

from planetwars_env.codec.limits import Limits
from planetwars_env.engine.rules import Rules
from planetwars_env.envs.arguments import EnvArguments, EnvKeywords
from planetwars_env.envs.single import PlanetWarsEnv
from planetwars_env.game import Game
from planetwars_env.graphs.catalogue import resolve_graphs
from planetwars_env.graphs.generators import GraphGenerator
from planetwars_env.language.replies import parse_moves
from planetwars_env.language.text_view import TextView
from planetwars_env.render.text import describe_end
from planetwars_env.view import Move

_LONGEST = 100_000
"""Characters of a message or a reply."""
_HIDDEN = ("my_planets", "opponent_planets", "my_people", "opponent_people")
"""Parts of the infos of `PlanetWarsEnv` that show the true state, which the player does not see."""


class PlanetWarsTextEnv(gymnasium.Env[str, str]):
    """Conquer a graph of planets by reading messages and writing replies, a turn per step.

    The observation is the message of a turn (`TextView`); a player's first one begins with the rules. The action is a reply
    (`parse_moves`): any text is played, and what is wrong in it is told in the next message. The spaces are `Text`; replies
    may hold other characters than the space has.

    ``opponent``: as in `EnvArguments`; with "self" the agent plays both players in turn, each with messages and a memory of its
    own, and the reward is that of the player who has replied. ``compact``: short messages. ``rules``, ``graphs``, ``player``,
    ``reward``, ``max_turns`` and ``render_mode``: as in `PlanetWarsEnv`; graphs may be of any size. The infos are those of
    `PlanetWarsEnv` without planets and people, which the fog hides; "asked", "legal" and "malformed" count the parts of the
    last reply.

    >>> import planetwars_env as pw
    >>> env = pw.make("PlanetWarsText-v0", opponent="ai1", graphs="duel", player=1)
    >>> message, info = env.reset(seed=0)
    >>> message, reward, terminated, truncated, info = env.step("send 1 -> 2: 1")
    """

    metadata: ClassVar[dict[str, Any]] = PlanetWarsEnv.metadata

    def __init__(
        self,
        rules: str | Rules = "PLANETWARS",
        *,
        compact: bool = False,
        render_mode: str | None = None,
        **arguments: Unpack[EnvKeywords],
    ) -> None:
        for name in ("actions", "observation", "fractions", "limits", "max_orders", "sends", "privileged"):
            if name in arguments:
                raise TypeError(f"PlanetWarsTextEnv has no argument {name!r}: observations and actions are texts")
        pool = arguments.get("graphs", EnvArguments.graphs)
        pool = pool if isinstance(pool, GraphGenerator) else resolve_graphs(pool)
        arguments |= {"graphs": pool, "limits": Limits.covering(pool)}
        self._env = PlanetWarsEnv(rules, render_mode=render_mode, **arguments)
        self.render_mode, self.compact = render_mode, compact
        self.observation_space = self.action_space = Text(_LONGEST, min_length=0, charset=string.printable)
        self._wait = np.zeros(self._env.action_space.shape or (), np.int64)
        self._texts: dict[int, TextView] = {}
        self._problems: dict[int, list[str]] = {}
        self._sent: dict[int, list[Move]] = {}

    @property
    def game(self) -> Game:
        """The game that is played: for drawing, not for playing."""
        return self._env.game

    @property
    def player(self) -> int:
        """The player (1, 2) that the message is for."""
        return self._env.player

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin a new game; the options are those of `PlanetWarsEnv.reset`."""
        super().reset(seed=seed)
        _, info = self._env.reset(seed=seed, options=options)
        self._texts, self._problems, self._sent = {}, {}, {}
        return self._message(), _visible(info, 0, 0, 0)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Play the reply of the player to move, and the opponent's turn."""
        game, player = self.game, self.player
        reply = parse_moves(action, game.view(player), game.rules)
        accepted = [] if game.over else game.submit(reply.asked)
        self._problems[player] = reply.problems
        self._sent[player] = [move for move, done in zip(reply.asked, accepted, strict=False) if done]
        _, reward, terminated, truncated, info = self._env.step(self._wait)
        counts = len(reply.asked), sum(accepted), reply.malformed
        return self._message(), reward, terminated, truncated, _visible(info, *counts)

    def render(self) -> Any:
        """Render the graph as the agent sees it, as `PlanetWarsEnv.render` does."""
        return self._env.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._env.close()

    def _message(self) -> str:
        game, player = self.game, self.player
        parts = []
        if player not in self._texts:
            self._texts[player] = TextView(replace(game.rules, max_turns=game.max_turns), self.compact)
            parts.append(self._texts[player].introduction(player))
        if game.over:
            parts.append(describe_end(game, player))
        problems, sent = self._problems.get(player, ()), self._sent.get(player, ())
        return "\n\n".join([*parts, self._texts[player].show(game.view(player), problems, sent)])[:_LONGEST]


def _visible(info: dict[str, Any], asked: int, legal: int, malformed: int) -> dict[str, Any]:
    """Return the info that the player may see, with the counts of a reply."""
    seen = {name: value for name, value in info.items() if name not in _HIDDEN}
    return {**seen, "asked": asked, "legal": legal, "malformed": malformed}
