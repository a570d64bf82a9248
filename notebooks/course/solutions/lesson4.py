"""Solutions of lesson 4, looking ahead. Each section replaces the cell of the notebook with the same first line."""

import random

import planetwars_env as pw


# exercise 4.1
def lead(game, player):
    """The people of ``player`` minus those of the opponent, on planets and in flight."""
    sides = [sum(side) for side in zip(*game.people(), strict=True)]
    for shuttle in game.shuttles():
        sides[shuttle.player - 1] += shuttle.people
    return sides[player - 1] - sides[2 - player]


# exercise 4.2
def value(game, moves, turns):
    """The lead of the player to move after ``moves`` and a rollout of ai3 against ai3; the game stays as it is."""
    trial = game.copy()
    trial.play(moves)
    (end,) = pw.rollout(trial, ("ai3", "ai3"), turns=turns)
    return lead(end, game.player)


# exercise 4.3
def best_plan(games, plans, turns):
    """The plan with the highest mean value over all these possible games; of equal ones the first."""
    return max(plans, key=lambda plan: sum(value(game, plan, turns) for game in games))


# exercise 4.4
def variant(view, plan, rng):
    """The plan with the moves of one random own planet changed: it waits, or sends half along a random edge."""
    planet = rng.choice(view.owned_by(view.player))
    others = [move for move in plan if move.source != planet.id]
    target = rng.choice([None, *pw.neighbours(view, planet.id)])
    half = view.my_people(planet) // 2
    return others if target is None or not half else [*others, pw.Move(planet.id, target.id, half)]


# exercise 4.5
class Searcher(pw.Strategy):
    """Changes the moves of a bot at random, and keeps what looks better in positions that it believes in."""

    name = "searcher"

    def reset(self, graph, player, rules, seed):
        """Begin a game."""
        self.rules, self.rng, self.belief = rules, random.Random(seed), None

    def take_turn(self, view):
        """Return the best plan found."""
        if self.belief is None:
            self.belief = pw.Belief(view, self.rules, particles=4, seed=self.rng.getrandbits(32))
        self.belief.update(view)
        if not view.owned_by(view.player):
            return []
        games = [self.belief.sample() for _ in range(2)]
        bot = pw.load_player("ai3")
        bot.reset(games[0].graph, view.player, self.rules, 0)
        plan = bot.take_turn(view)
        for _ in range(3):
            plan = best_plan(games, [plan, *(variant(view, plan, self.rng) for _ in range(4))], 40)
        return plan
