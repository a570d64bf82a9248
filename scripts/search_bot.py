"""Search under fog on one page: python scripts/search_bot.py --games 100 measures it against ai3.

The bot draws possible positions from a belief. It starts from the moves of ai3 without a garrison ("advisor"), changes
the orders of one random planet at a time, and keeps what ai3 against ai3 makes more of. See docs/search.md.
"""

import random
import time

import typer

import planetwars_env as pw

POSITIONS, TRIALS, HORIZON = 3, 24, 40


class SearchBot(pw.Strategy):
    """Hill climbing over the moves of a turn, by rollouts from samples of a `pw.Belief`."""

    name = "search bot"
    turns = 0  # of all games in this process

    def reset(self, graph, player, rules, seed):
        """Forget the game before."""
        self.rules, self.rng, self.belief = rules, random.Random(seed), None
        self.ways = {planet.id: graph.neighbours(planet.id) for planet in graph.planets}

    def take_turn(self, view):
        """Return the best moves found."""
        SearchBot.turns += 1
        self.belief = self.belief or pw.Belief(view, self.rules, seed=self.rng.getrandbits(32))
        self.belief.update(view)
        positions = [self.belief.sample() for _ in range(POSITIONS)]
        advisor = pw.load_player("advisor")
        advisor.reset(positions[0].graph, view.player, self.rules, 0)
        best = {planet.id: [] for planet in view.owned_by(view.player)}
        for move in advisor.take_turn(view):
            best[move.source].append(move)
        value = self.value(positions, best)
        for _ in range(TRIALS if best else 0):
            source = self.rng.choice(list(best))
            plan = best | {source: self.change(view, source)}
            if (found := self.value(positions, plan)) > value:
                best, value = plan, found
        return [move for moves in best.values() for move in moves]

    def change(self, view, source):
        """Wait, or send half or all but one of the people along one edge."""
        people = view.my_people(view.planet(source)) - 1
        target, part = self.rng.choice([None, *self.ways[source]]), self.rng.choice([1, 2])
        return [] if target is None or people < part else [pw.Move(source, target, people // part)]

    def value(self, positions, plan):
        """The lead after the plan and a rollout of ai3, in all positions together."""
        moves, ends = [move for moves in plan.values() for move in moves], []
        for game in (position.copy() for position in positions):
            game.play(moves)
            ends += pw.rollout(game, ("ai3", "ai3"), turns=HORIZON)
        return sum(lead(end, positions[0].player - 1) for end in ends)


def lead(end, me):
    """Lead of ``me`` (0, 1) in people and in births of ten turns, by what there is; 2 for a win, -2 for a loss."""
    if end.winner:
        return 2.0 if end.winner == me + 1 else -2.0
    sides = [1.0, 1.0]
    for planet, people in zip(end.graph.planets, end.people(), strict=True):
        for side in (0, 1):
            sides[side] += people[side] + (people[side] > people[1 - side]) * planet.size * planet.habitability / 10
    return (sides[me] - sides[1 - me]) / sum(sides)


def main(games: int = 100, graphs: str = "fair", opponent: str = "ai3") -> None:
    """Play games, two on every graph, and print the win rate and the CPU time of a turn."""
    print(pw.evaluate(SearchBot, [opponent], graphs=graphs, games=games)[0])
    print(f"{1000 * time.process_time() / SearchBot.turns:.1f} ms of CPU time per turn")


if __name__ == "__main__":
    typer.run(main)
