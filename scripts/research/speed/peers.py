"""Steps per CPU second of other environments, each installed in a virtual environment of its own for the time it runs."""

import subprocess
import sys
from collections.abc import Iterator
from tempfile import TemporaryDirectory

from planetwars_env.benchmark import Measurement, Reading

ENVPOOL = """
import envpool, numpy as np
env = envpool.make("{}", env_type="gymnasium", num_envs=64, num_threads=1)
env.reset()
actions = np.random.default_rng(0).integers(0, env.action_space.n, (100, 64)).astype(np.int32)
def work():
    for action in actions:
        env.step(action)
    return actions.size
"""
PGX = """
import jax, jax.numpy as jnp, pgx
from pgx.experimental import auto_reset
env, games = pgx.make("{}"), 1024
def step(number, both):
    state, key = both
    key, drawing, beginning = jax.random.split(key, 3)
    action = jax.random.categorical(drawing, jnp.where(state.legal_action_mask, 0.0, -jnp.inf))
    return jax.vmap(auto_reset(env.step, env.init))(state, action, jax.random.split(beginning, games)), key
play = jax.jit(lambda both: jax.lax.fori_loop(0, 20, step, both))
both = jax.vmap(env.init)(jax.random.split(jax.random.key(0), games)), jax.random.key(1)
def work():
    global both
    both = jax.block_until_ready(play(both))
    return 20 * games
"""
KAGGLE = """
from kaggle_environments import make
env = make("{}")
def work():
    return len(env.run(["random", "random"])) - 1
"""
MEASURED = """
import time
work()
clock, done = time.process_time(), 0
while time.process_time() < clock + 5:
    done += work()
print(done / (time.process_time() - clock))
"""
"""Rate by the CPU time of all threads; drawing the actions counts where the program does it itself."""
PEERS = {
    **{f"EnvPool {name}": ("envpool gymnasium", ENVPOOL.format(name)) for name in ("CartPole-v1", "Pong-v5")},
    **{f"pgx {name}": ("pgx jax", PGX.format(name)) for name in ("go_9x9", "chess", "kuhn_poker")},
    **{f"Kaggle {name}": ("kaggle-environments", KAGGLE.format(name)) for name in ("planet_wars", "orbit_wars")},
}


def peers() -> Measurement:
    """Return the table; a peer that does not install or run here is not reached, and its last words go to stderr."""

    def read() -> Iterator[Reading]:
        for name, (packages, program) in PEERS.items():
            with TemporaryDirectory() as folder:
                install = f'"$0" -m venv . && bin/python -m pip install -q {packages} && bin/python -c "$1"'
                command = ["bash", "-c", install, sys.executable, program + MEASURED]
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            if done.returncode:
                print(f"{name}: {done.stderr.strip()[-300:]}", file=sys.stderr)
            yield Reading((name,), None if done.returncode else float(done.stdout.split()[-1]))

    return Measurement("Other environments, random actions", "steps per CPU second", ("peer",), read, runs=1)
