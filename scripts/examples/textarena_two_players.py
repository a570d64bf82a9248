"""PlanetWars for TextArena: two players of any kind in one game.

    pip install textarena
    python scripts/examples/textarena_two_players.py

The players here reply "wait", so the game is a draw by its limit: put agents of TextArena, or functions, in their place.
"""

import sys

try:
    import textarena as ta
except ModuleNotFoundError:
    sys.exit("Error: textarena is not installed: pip install textarena")

import planetwars_env as pw


class PlanetWarsArena(ta.Env):
    """A game of two players for TextArena; ``arguments``: those of `PlanetWarsText-v0`, such as graphs and rules."""

    def __init__(self, **arguments):
        self.env = pw.make("PlanetWarsText-v0", opponent="self", **arguments)

    def reset(self, num_players=2, seed=None):
        """Begin a game; its player 1 is TextArena's player 0."""
        self.state = ta.TwoPlayerState(num_players=num_players, seed=seed)
        self.state.reset()
        message, _ = self.env.reset(seed=seed)
        self._tell(message)

    def step(self, action):
        """Play the reply of the player to move; what is wrong in it is told in that player's next message."""
        message, _, terminated, truncated, _ = self.env.step(action)
        game = self.env.unwrapped.game
        if terminated and game.winner:
            self.state.set_winner(game.winner - 1, f"Player {game.winner - 1} has conquered every planet.")
        elif terminated or truncated:
            self.state.set_draw("Nobody has conquered every planet.")
        done, info = self.state.step(rotate_player=False)
        self._tell(message)
        return done, info

    def _tell(self, message):
        self.state.current_player_id = self.env.unwrapped.player - 1
        self.state.add_observation(message, ta.ObservationType.GAME_BOARD, to_id=self.state.current_player_id)


def play(players, env, seed):
    """Play a game between two functions from a message to a reply; return the rewards of both."""
    env.reset(num_players=2, seed=seed)
    done = False
    while not done:
        player, messages = env.get_observation()
        done, _ = env.step(players[player]("\n\n".join(text for _, text, _ in messages)))
    rewards, _ = env.close()
    return rewards


if __name__ == "__main__":
    print(play([lambda message: "wait"] * 2, PlanetWarsArena(graphs="duel", max_turns=20), seed=0))
