"""The words of the zoo: an agent's card, the results on it, and the table of all agents."""

from collections.abc import Iterable
from typing import Any

from planetwars_env.learn.agent import Agent
from planetwars_env.learn.config import Learner, TrainConfig

_BEGIN, _END = "<!-- measured: rewritten by planetwars zoo measure -->", "<!-- end of what is measured -->"


def card(name: str, agent: Agent, results: dict[str, Any]) -> str:
    """README.md of an agent's folder; all between the marks is measured, the rest may be edited by hand."""
    sections = [
        f"# {name}\n",
        _what(name, agent, results),
        f"## What it wins\n\n{_marked(results_text(results))}",
        f"## How it was trained\n\n{_how(name, agent.config, results['training'])}",
        f"## Limits\n\n{_limits(agent.config, results)}",
    ]
    return "\n".join(sections)


def with_results(text: str, results: dict[str, Any]) -> str:
    """The card with new results between the marks."""
    return _replaced(text, results_text(results))


def with_table(text: str, agents: dict[str, dict[str, Any]]) -> str:
    """The zoo's README with a new table between the marks, at its end where it has none."""
    return _replaced(text, table_text(agents))


def results_text(results: dict[str, Any]) -> str:
    """One row an opponent."""
    rows = [
        (pool, one["opponent"], one["games"], f"{one['wins']} / {one['draws']} / {one['losses']}",
         *(_percent(one[side]["win_rate"]) for side in ("as_player_1", "as_player_2")),
         f"**{_percent(one['win_rate'])}**", _interval(one))
        for pool, entries in results["results"].items()
        for one in entries
    ]  # fmt: skip
    heading = ("boards", "opponent", "games", "won / drawn / lost", "as player 1", "as player 2", "win rate", "95 %")
    table = _table(heading, rows)
    return (
        f"{table}\nRules {results['rules']}; every board as both players, no game twice; a draw is no win; the interval is "
        f"Wilson's. Measured with planetwars-env {results['package']}.\n"
    )


def table_text(agents: dict[str, dict[str, Any]]) -> str:
    """One row an agent: win rates with their 95 % intervals by opponent."""
    if not agents:
        return "No agent is shipped yet. `make demo` trains one into `runs/demo/`.\n"
    columns = list(dict.fromkeys((pool, one["opponent"]) for it in agents.values() for pool, one in _entries(it)))
    heading = ("agent", "rules", "steps", "minutes", *(f"{opponent}, {pool}" for pool, opponent in columns))
    rows = []
    for name, it in agents.items():
        found = {
            (pool, one["opponent"]): f"{_percent(one['win_rate'])} ({_interval(one)})" for pool, one in _entries(it)
        }
        training = it["training"]
        facts = f"[{name}]({name}/README.md)", it["rules"], f"{training['steps']:,}", f"{training['minutes']:,.0f}"
        rows.append((*facts, *(found.get(column, "") for column in columns)))
    return (
        f"{_table(heading, rows)}\nWin rates over 200 different games an opponent (100 on `large`) on boards that no agent was "
        "trained on, with 95 % intervals (Wilson); minutes are those of training, on the machine of each card.\n"
    )


def _entries(results: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(pool, one) for pool, entries in results["results"].items() for one in entries]


def _what(name: str, agent: Agent, results: dict[str, Any]) -> str:
    shape = agent.config.network
    numbers = sum(part.numel() for part in agent.network.parameters())
    kind = {
        "graph": f"A graph network: {shape.rounds} rounds of messages between planets, width {shape.width}",
        "mlp": f"A perceptron: {shape.rounds} layers, width {shape.width}",
    }[shape.kind]
    return f"""{kind}, {numbers:,} weights. It plays {results["rules"]}, sees what the rules let a player see,
remembers nothing, looks no move ahead, and always takes its likeliest choice.

![Win rate over steps of training](learning_curve.png)

```python
import planetwars_env as pw

replay = pw.play_match("{name}", "ai3", "test/0", rules=pw.{results["rules"]})
```
"""


def _how(name: str, config: TrainConfig, training: dict[str, Any]) -> str:
    task, learner, league = config.task, config.learner, config.league
    facts = {
        "algorithm": f"ppo, {learner.games} games side by side, "
        f"{learner.threads} thread{'s' if learner.threads > 1 else ''}, {learner.device}",
        "opponents": ", ".join(task.opponents)
        + (f"; {100 * league.share:.0f} % frozen copies of itself" if league.share else ""),
        "boards": f"pool `{task.graphs}`",
        "reward": f"a win 1, a loss -1, and shaping times {task.shaping:g}" if task.shaping else "a win 1, a loss -1",
        "teacher": _teacher(config.learner),
        "credit": _credit(config.learner),
        "steps": f"{training['steps']:,} of {config.schedule.steps:,} planned, {training['games']:,} games",
        "time": f"{training['minutes']:,.0f} minutes on {training['machine']}",
        "seed": config.schedule.seed,
    }
    return f"""{_table(("", ""), facts.items())}
Again, from nothing: `planetwars train --config agents/{name}/config.yaml --out runs/{name}`.
"""


def _teacher(learner: Learner) -> str:
    if not learner.imitation:
        return "none"
    return f"the bot that planner starts from, in the first {learner.imitation_until:.0%} of the steps"


def _credit(learner: Learner) -> str:
    if not learner.credit:
        return "the advantage of the whole turn, for all its choices"
    return "besides the advantage of the whole turn, what each planet's choice was worth when the game was played on by bots"


def _limits(config: TrainConfig, results: dict[str, Any]) -> str:
    entries = _entries(results)
    *some, last = (f"{100 * share:.0f}" for share in config.task.fractions)
    shares = f"{', '.join(some)} or {last} %" if some else f"{last} %"
    worst_pool, worst = min(entries, key=lambda entry: entry[1]["win_rate"])
    size = (
        "It plays boards of any size, but was only ever trained on those above."
        if config.network.kind == "graph"
        else f'It plays boards within the limits "{config.task.limits}" only.'
    )
    return f"""- {size}
- It was trained for these rules only, with sends of {shares} of a planet's people.
- When it was added, it did worst against {worst["opponent"]} on `{worst_pool}`.
- What the fog has hidden again is lost to it, and an opponent who knows its one answer to a position can use that.
"""


def _table(heading: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    names = list(heading)
    lines = [names, ["---"] * len(names), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def _percent(rate: float) -> str:
    return f"{100 * rate:.1f} %"


def _interval(entry: dict[str, Any]) -> str:
    return f"{100 * entry['ci_low']:.1f} to {100 * entry['ci_high']:.1f}"


def _marked(text: str) -> str:
    return f"{_BEGIN}\n{text}{_END}\n"


def _replaced(text: str, measured: str) -> str:
    """``text`` with new words between the marks; where they are missing, at its end."""
    before, begin, rest = text.partition(f"{_BEGIN}\n")
    _, end, after = rest.partition(f"{_END}\n")
    return f"{before}{_marked(measured)}{after}" if begin and end else f"{text.rstrip()}\n\n{_marked(measured)}"
