"""Changes what Python and the arena's own code are made of."""

import builtins
import json
import os

import planetwars_env.view


class Alterer:
    name = "alterer"

    def take_turn(self, view):
        planetwars_env.view.View.owned_by = lambda self, player: []
        json.dumps = lambda *_, **__: "[[[[[[" * 10
        os.environ["PLANETWARS"] = "altered"
        builtins.len = lambda _: 10**9
        builtins.isinstance = lambda *_: True
        return []
