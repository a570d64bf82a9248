"""Policies: players of many games at once, with NumPy arrays in and out."""

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any

import numpy as np

from planetwars_env.bots.strategy import player_name, required_parameters
from planetwars_env.codec.checks import checked_actions
from planetwars_env.codec.derived import OBSERVATION_FORMS
from planetwars_env.codec.limits import CLASSIC, FRACTIONS, Limits
from planetwars_env.codec.one_game import OneGameCodec
from planetwars_env.engine.state import Array
from planetwars_env.view import View


class Policy:
    """Base class of a policy: one player of many games at once, NumPy in and NumPy out. Only `act` must be written.

    ``observation``: "tensors", "flat" or "derived", the form that `act` receives. ``limits``, ``fractions`` and
    ``max_orders`` (0: an action is a whole turn) give the shapes of observations and actions, with ``sends``, how often a
    planet may send in such a turn. None of them needs to be that of the environment it plays in. ``name`` and ``compete``
    as of `Strategy`. An object of any other class is as good if it has `act`, ``limits``, ``fractions`` and ``max_orders``.
    ``sampling(seed)``, if it exists, returns the same policy with actions drawn from its probabilities; ``under(rules)``,
    if it exists, the same policy for games of these `Rules`.

    `act` receives more if it has parameters of these names:

    - ``action_masks`` [n, A] bool: the legal actions, for "flat" observations, which do not contain them
    - ``games`` [n] int64: a number of each game, which stays the same while that game lasts
    - ``starts`` [n] bool: whether this is the policy's first action in the game

    A policy with memory keeps it by ``games`` and clears it where ``starts``. Every environment, evaluation and match works
    with its own deep copy of such a policy.

    >>> import numpy as np
    >>> class Waiting(Policy):
    ...     def act(self, observation):
    ...         return np.zeros((len(observation["planets"]), self.limits.planets), np.int64)
    """

    name: str
    compete: bool = True
    observation: str = "tensors"
    limits: Limits = CLASSIC
    fractions: Sequence[float] = FRACTIONS
    max_orders: int = 0
    sends: int = 1

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def act(self, observation: Any) -> Array:
        """Return the actions [n, P], or [n] orders, for ``observation``: that of n games, in the policy's own form."""
        raise NotImplementedError(
            f"{type(self).__name__} has no act(observation), which returns the actions of many games"
        )


class FunctionPolicy(Policy):
    """A function from observations to actions as a `Policy`; the other arguments are the attributes of `Policy`.

    The function may ask for ``action_masks``, ``games`` and ``starts``, as `Policy.act` may.

    >>> def wait(observation, action_masks):
    ...     return [0] * len(observation)
    >>> FunctionPolicy(wait, observation="flat", max_orders=8)
    FunctionPolicy(wait)
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        observation: str = "tensors",
        limits: Limits = CLASSIC,
        fractions: Sequence[float] = FRACTIONS,
        max_orders: int = 0,
        sends: int = 1,
        name: str | None = None,
    ) -> None:
        self.act = function  # `PolicyCaller` reads its parameters
        self.observation, self.limits, self.fractions = observation, limits, fractions
        self.max_orders, self.sends, self.name = max_orders, sends, name or player_name(function)

    def __repr__(self) -> str:
        return f"FunctionPolicy({self.name})"


_VIEW_FUNCTION = (
    "{name} is a function of views, as take_turn is; a function that plays gets observations. Write a class and pass it: "
    "class Mine(pw.Strategy): def take_turn(self, view): return {name}(view)"
)
_OF_VIEWS = {*View.__dataclass_fields__, *vars(View)}
_REQUIRED = ("limits", "fractions", "max_orders")
_EXTRAS = {"action_masks": bool, "games": np.int64, "starts": bool}
"""Parameters that `Policy.act` may have besides the observation, and the types of their arrays."""


def is_policy(player: Any) -> bool:
    """Return whether ``player`` has `act`. ValueError, naming it, if it lacks another attribute of a policy."""
    if not callable(getattr(player, "act", None)):
        return False
    if missing := [name for name in _REQUIRED if not hasattr(player, name)]:
        raise ValueError(
            f"policy {player_name(player)!r} has act, but lacks {', '.join(missing)}: derive its class from pw.Policy, "
            "which has defaults for all of them"
        )
    return True


def as_policy(player: Any) -> Policy | None:
    """Return a policy, or a function of observations as one; None for another player.

    ValueError for a function of views, and for a model of another library, with its adapter: such a model is recognised
    without an import of the library.
    """
    if is_policy(player):
        return player
    if callable(getattr(player, "take_turn", None)):
        return None
    for methods, adapter in ((("predict",), "SB3Policy(model)"), (("forward", "state_dict"), "TorchPolicy(module)")):
        if all(callable(getattr(player, method, None)) for method in methods):
            raise ValueError(f"{type(player).__name__} has no act(observation): wrap it, as in pw.{adapter}")
    needed = required_parameters(player) if callable(player) else []
    if needed[:1] == ["view"]:
        raise ValueError(_VIEW_FUNCTION.format(name=player_name(player)))
    return FunctionPolicy(player) if needed else None


def itself(player: Any) -> Any:
    """Return ``player``; it stands for a factory where one object plays all games."""
    return player


def has_memory(policy: Policy) -> bool:
    """Return whether `act` asks for the numbers or the starts of games."""
    return bool(set(_extras(policy)) & {"games", "starts"})


class PolicyCaller:
    """Calls a policy with the parameters that its `act` has. ValueError for attributes that are missing or do not fit."""

    def __init__(self, policy: Policy) -> None:
        is_policy(policy)  # ValueError naming what it lacks
        self.policy, self._name = policy, f"policy {player_name(policy)!r}"
        self.form = getattr(policy, "observation", "tensors")
        if self.form not in OBSERVATION_FORMS:
            known = ", ".join(map(repr, OBSERVATION_FORMS))
            raise ValueError(f"{self._name}: observation must be one of {known}, not {self.form!r}")
        if not isinstance(policy.limits, Limits):
            raise ValueError(f"{self._name}: limits must be a pw.Limits, not {policy.limits!r}")
        if type(policy.max_orders) is not int or policy.max_orders < 0:
            right = "max_orders must be 0 or a whole number above it"
            raise ValueError(f"{self._name}: {right}, not {policy.max_orders!r}")
        try:
            sends = getattr(policy, "sends", 1)  # an object that does not say so sends once
            self.codec = OneGameCodec(policy.limits, policy.fractions, policy.max_orders, sends)
        except (TypeError, ValueError) as fault:
            raise ValueError(f"{self._name}: {fault}") from None
        self._asked = _extras(policy)
        self._slots = () if policy.max_orders else (self.codec.slots,)
        self._games = 0

    def __call__(self, observation: Any, games: Array, starts: Array, masks: Array | None = None) -> Array:
        """Return the checked actions of ``games`` [n]. ``observation`` has the policy's form; ``masks`` [n, A] of any type."""
        arrays: dict[str, Any] = {"action_masks": masks, "games": games, "starts": starts}
        given = {name: None if arrays[name] is None else arrays[name].astype(_EXTRAS[name]) for name in self._asked}
        before, self._games = self._games, len(games)
        try:
            answer = self.policy.act(observation, **given)
        except AttributeError as fault:
            if isinstance(self.policy, FunctionPolicy) and fault.name in _OF_VIEWS:
                raise ValueError(_VIEW_FUNCTION.format(name=player_name(self.policy))) from fault
            raise
        except (ValueError, RuntimeError, IndexError) as fault:
            if before in (0, len(games)) or "games" in self._asked:
                raise
            raise ValueError(
                f"act of {self._name} failed with {len(games)} games after a call with {before} ({fault}): calls hold other "
                "games, so a policy with memory must take the parameters games and starts"
            ) from fault
        return checked_actions(answer, (len(games), *self._slots), f"the actions of {self._name}", self.codec.choices)


def _extras(policy: Policy) -> list[str]:
    """Return the names of `_EXTRAS` among the parameters of `act`; ValueError for another required parameter."""
    try:
        parameters = list(signature(policy.act).parameters.values())[1:]
    except (TypeError, ValueError):
        return []  # a function without a signature, such as one of a C library
    unknown = [name for name in required_parameters(policy.act)[1:] if name not in _EXTRAS]
    if unknown:
        raise ValueError(
            f"act of policy {player_name(policy)!r} has the parameters {', '.join(unknown)}, which nothing fills: it may have "
            f"the observation, and besides it {', '.join(_EXTRAS)}"
        )
    return [parameter.name for parameter in parameters if parameter.name in _EXTRAS]
