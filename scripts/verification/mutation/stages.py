"""Tests of each module in stages, quickest first; a mutant that survives one goes on to the next."""

from typing import NamedTuple


class Stage(NamedTuple):
    """Arguments of pytest. ``compiled``: these tests start processes of their own, with machine code."""

    tests: tuple[str, ...]
    compiled: bool = False


_RULES = Stage(("tests/engine/test_rules.py", "-k", "not oracle"))
_ORACLE = Stage(("tests/engine/test_engine_against_oracle.py", "-k", "not uncompiled"))
_GAME = Stage(("tests/test_game.py",))
_COPY = Stage(("tests/engine/test_copy_game.py",))
_RANDOM = Stage(("tests/engine/test_random.py",))
_KERNEL = Stage(("tests/engine/test_kernel.py",), compiled=True)
_CODEC = Stage(("tests/codec/test_codec.py",))
_FOG = Stage(("tests/package/test_fog.py",))
_SPACES = Stage(("tests/envs/test_env.py", "-k", "spaces or order or numbers or legal"))
_REWARDS = Stage(("tests/codec/test_rewards.py",))
_REWARDED = Stage(("tests/envs/test_env.py", "-k", "reward or shaping or transition or discount"))
_ONE_GAME = Stage(("tests/codec/test_one_game.py",))
_DERIVED = Stage(("tests/envs/test_derived.py", "-k", "features or numbers or landings"))
_CHECKS = Stage(("tests/codec/test_checks.py",))
_SAME = Stage(("tests/learn/test_counterfactual.py", "-k", "send_the_same"))
_BORDER = Stage(("tests/package/test_border.py",))
_REPETITION = Stage(("tests/engine/test_repetition.py",))
_LIMITS = Stage(("tests/codec/test_layout.py",))
_ARGUMENTS = Stage(("tests/envs/test_arguments.py",))

STAGES = {
    "planetwars_env/engine/": (_RULES, _ORACLE, _GAME),
    "planetwars_env/engine/turn.py": (_RULES, _ORACLE, _CODEC),
    "planetwars_env/engine/state.py": (_COPY, _RULES, _ORACLE),
    "planetwars_env/engine/visibility.py": (_RULES, _ORACLE, _CODEC),
    "planetwars_env/engine/flights.py": (_RULES, _ORACLE, _GAME, _CODEC),
    "planetwars_env/engine/random.py": (_RANDOM,),
    "planetwars_env/engine/kernel.py": (_KERNEL,),
    "planetwars_env/engine/kernel_cache.py": (_KERNEL,),
    "planetwars_env/engine/sources.py": (_KERNEL,),
    "planetwars_env/engine/repetition.py": (_REPETITION,),
    "planetwars_env/codec/": (_CODEC, _ONE_GAME, _SPACES),
    "planetwars_env/codec/actions.py": (_CODEC, _ONE_GAME, _SAME),
    "planetwars_env/codec/checks.py": (_CHECKS, _ONE_GAME, _BORDER),
    "planetwars_env/codec/derived.py": (_ONE_GAME, _DERIVED),
    "planetwars_env/codec/observation.py": (_CODEC, _FOG),
    "planetwars_env/codec/layout.py": (_LIMITS, _CODEC, _DERIVED, _ONE_GAME),
    "planetwars_env/codec/limits.py": (_LIMITS, _ARGUMENTS),
    "planetwars_env/codec/rewards.py": (_REWARDS, _REWARDED),
    "planetwars_env/view.py": (_GAME, _RULES, _ORACLE, _FOG),
}
"""By file or folder; the longest name that fits a module is its own."""


def stages_of(path: str) -> tuple[Stage, ...]:
    """The stages of a module; KeyError for one outside the folders that are mutated."""
    return STAGES[max((name for name in STAGES if path.startswith(name)), key=len, default=path)]
