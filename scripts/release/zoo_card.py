"""Markdown of the zoo: an agent's model card, its table of results, and the table of all agents."""

from collections.abc import Iterable
from typing import Any

import yaml

from planetwars_env.learn.agent import Agent
from planetwars_env.learn.config import PPOConfig, TrainConfig
from planetwars_env.learn.zoo import entries_of
from scripts.research.opening_growth import TURNS

_BEGIN, _END = "<!-- measured: rewritten by scripts/release/zoo.py -->", "<!-- end of what is measured -->"


def card(name: str, agent: Agent, results: dict[str, Any]) -> str:
    """Return the README.md of an agent's folder; the text outside the marks may be edited by hand."""
    sections = [
        header(agent),
        f"# {name}\n",
        _description(name, agent),
        f"## Results\n\n{_marked(results_text(results))}",
        f"## Training\n\n{_training(name, agent.config, results['training'])}",
        f"## Limits\n\n{_limits(agent.config, results)}",
    ]
    return "\n".join(sections)


def header(agent: Agent) -> str:
    """Return the head of a card in YAML, by which a hub of models lists the agent."""
    known = {"license": "mit", "library_name": "planetwars-env", "pipeline_tag": "reinforcement-learning"}
    learned = "graph-neural-network" if agent.config.network.any_graph else "perceptron"
    tags = ["reinforcement-learning", "gymnasium", "self-play", learned, *agent.config.task.environments]
    return f"---\n{yaml.safe_dump({**known, 'tags': tags}, sort_keys=False)}---\n"


def with_results(text: str, results: dict[str, Any]) -> str:
    """Return the card with new results between the marks."""
    return _replaced(text, results_text(results))


def with_table(text: str, agents: dict[str, dict[str, Any]]) -> str:
    """Return the zoo's README with a new table between the marks, or at its end where it has none."""
    return _replaced(text, table_text(agents))


def results_text(results: dict[str, Any]) -> str:
    """Return the tables of an agent's results, one for each rule set with one row per opponent."""
    heading = ("graphs", "opponent", "games", "won / drawn / lost", "as player 1", "as player 2", "win rate", "95 %")
    tables = []
    for rules, pools in results["results"].items():
        rows = [
            (pool, one["opponent"], one["games"], f"{one['wins']} / {one['draws']} / {one['losses']}",
             *(_percent(one[side]["win_rate"]) for side in ("as_player_1", "as_player_2")),
             f"**{_percent(one['win_rate'])}**", _interval(one))
            for pool, entries in pools.items()
            for one in entries
        ]  # fmt: skip
        tables.append(f"Rules {rules}:\n\n{table(heading, rows)}")
    growth = table(
        ("rules", *(f"turn {turn}" for turn in TURNS)),
        ((rules, *(f"{people} ± {half}" for people, half in means)) for rules, means in results["growth"].items()),
    )
    shown = "\n".join(tables)
    return f"""{shown}
Every graph is played as both players, and no game twice: where there are more games than graphs and sides, the agent
samples its actions. A draw does not count as a win. The intervals are Wilson's.
Measured with planetwars-env {results["package"]}.

People beside an opponent that never moves, mean of both players on the graphs of `test`:

{growth}"""


def table_text(agents: dict[str, dict[str, Any]]) -> str:
    """Return the table of all agents, one row per agent and rule set: win rates with 95 % intervals by opponent."""
    if not agents:
        return "No agent is shipped yet. `make demo` trains one into `runs/demo/`.\n"
    columns = list(
        dict.fromkeys(_column(pool, one) for it in agents.values() for _, pool, one in entries_of(it["results"]))
    )
    heading = ("agent", "rules", "steps", "minutes", *columns)
    rows = []
    for name, it in agents.items():
        training = it["training"]
        for rules, pools in it["results"].items():
            found = {
                _column(pool, one): f"{_percent(one['win_rate'])} ({_interval(one)})"
                for _, pool, one in entries_of({rules: pools})
            }
            facts = f"[{name}]({name}/README.md)", rules, f"{training['steps']:,}", f"{training['minutes']:,.0f}"
            rows.append((*facts, *(found.get(column, "") for column in columns)))
    return f"""{table(heading, rows)}
Win rates over the games that each card names, with 95 % intervals (Wilson), on graphs that no agent was trained on.
Minutes: of training, on the machine of each card.
"""


def _column(pool: str, entry: dict[str, Any]) -> str:
    return f"{entry['opponent']}, {pool}"


def _description(name: str, agent: Agent) -> str:
    shape = agent.config.network
    numbers = sum(part.numel() for part in agent.network.parameters())
    if shape.any_graph:
        kind = f"A graph network: {shape.rounds} rounds of message passing, width {shape.width}"
    elif shape.kind == "mlp":
        kind = f"A perceptron: {shape.rounds} layers, width {shape.width}"
    else:
        kind = f"A network of its own ({shape.kind}, not part of this package), width {shape.width}"
    rules = [one.name for one in agent.rules]
    ends = all(one.max_turns for one in agent.rules)
    late = "" if ends else "; in the second half of a game without a last turn it samples"
    return f"""{kind}, {numbers:,} weights.
It plays {_listed(rules, "and")} and sees only what the rules show a player.
It has no memory and plays greedily{late}.
`{name}+search` is the same agent with a search on every turn.

![Win rate over environment steps of training](learning_curve.png)

```python
import planetwars_env as pw

replay = pw.play_match("{name}", "ai3", "test/0", rules=pw.{rules[0]})
```
"""


def _training(name: str, config: TrainConfig, training: dict[str, Any]) -> str:
    task, learner, self_play = config.task, config.learner, config.league.self_play_fraction
    facts = {
        "algorithm": f"PPO, {learner.num_envs} environments, "
        f"{learner.processes} process{'es' if learner.processes > 1 else ''}, {learner.device}",
        "start": f"the weights of `{learner.start}`" if learner.start else "random weights",
        "opponents": ", ".join(task.opponents)
        + (f"; {100 * self_play:.0f} % frozen copies of itself" if self_play else ""),
        "graphs": f"pool `{task.graphs}`",
        "reward": f"win 1, loss -1, plus shaping times {task.shaping:g}" if task.shaping else "win 1, loss -1",
        "teacher": _teacher(learner),
        "baseline": _baseline(learner),
        "environment steps": f"{training['steps']:,} of {config.schedule.steps:,} planned, {training['games']:,} games",
        "time": f"{training['minutes']:,.0f} minutes on {training['machine']}",
        "seed": config.schedule.seed,
    }
    return f"""{table(("", ""), facts.items())}
Reproduce with `planetwars train --config agents/{name}/config.yaml --out runs/{name}`.
"""


def _teacher(learner: PPOConfig) -> str:
    if not learner.kickstarting_coef:
        return "none"
    return f"the bot advisor (kickstarting), in the first {learner.kickstarting_until:.0%} of the steps"


def _baseline(learner: PPOConfig) -> str:
    if not learner.counterfactual_coef:
        return "the advantage of the whole turn, for all its choices"
    return "the advantage of the whole turn, and a counterfactual advantage for each planet's choice, by simulation with bots"


def _limits(config: TrainConfig, results: dict[str, Any]) -> str:
    fractions = _listed([f"{100 * fraction:.0f}" for fraction in config.task.fractions], "or")
    most = config.task.sends
    sends = f"A planet sends up to {most} times a turn" if most > 1 else "A planet sends once a turn"
    _, worst_pool, worst = min(entries_of(results["results"]), key=lambda entry: entry[2]["win_rate"])
    size = (
        "It plays graphs of any size, but was only trained on those above."
        if config.network.any_graph
        else f'It plays graphs within the limits "{config.task.limits}" only.'
    )
    return f"""- {size}
- It was trained for these rules only. {sends}, each of {fractions} % of the people there.
- When it was added, its lowest win rate was that against {worst["opponent"]} on `{worst_pool}`.
- It forgets what the fog hides again. It is deterministic: an opponent who knows its action in a state can exploit it.
"""


def _listed(names: list[str], conjunction: str) -> str:
    *some, last = names
    return f"{', '.join(some)} {conjunction} {last}" if some else last


def table(heading: Iterable[Any], rows: Iterable[Iterable[Any]]) -> str:
    """Return a table in Markdown; its cells may hold links."""
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
    """Return ``text`` with ``measured`` between the marks, or at its end where they are missing."""
    before, begin, rest = text.partition(f"{_BEGIN}\n")
    _, end, after = rest.partition(f"{_END}\n")
    return f"{before}{_marked(measured)}{after}" if begin and end else f"{text.rstrip()}\n\n{_marked(measured)}"
