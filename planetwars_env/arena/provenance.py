"""Origin of a results file: version, command, players, graphs, rules and seeds, from which others repeat the games."""

import hashlib
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from planetwars_env.arena.contestants import fingerprint_player
from planetwars_env.bots.catalogue import Player
from planetwars_env.engine.rules import Rules
from planetwars_env.graphs.catalogue import load_pool
from planetwars_env.graphs.graph import Graph
from planetwars_env.graphs.pools import POOLS
from planetwars_env.replay import package_version
from planetwars_env.shipped import data_root


def provenance(
    players: Sequence[Player], graphs: str, drawn: Sequence[Graph], rules: Rules, **more: Any
) -> dict[str, Any]:
    """Return the head of a results file: ``graphs`` as they were named, ``drawn`` as they were played; ``more`` entries.

    "sha256" of the graphs is that of the pool's file, which graphs/README.md lists, and of their content for other graphs.
    """
    whole = graphs in POOLS and tuple(drawn) == tuple(load_pool(graphs))[: len(drawn)]
    text = (
        (data_root() / f"{graphs}.dot").read_bytes()
        if whole
        else json.dumps([[graph.name, graph.to_dict()] for graph in drawn]).encode()
    )
    return {
        "package": package_version(),
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "players": [  # an object has no fingerprint
            {"name": one.name, "spec": one.spec, "digest": fingerprint_player(one) if one.spec else None}
            for one in players
        ],
        "graphs": {"name": graphs, "count": len(drawn), "sha256": hashlib.sha256(text).hexdigest()},
        "rules": asdict(rules),
        **more,
    }
