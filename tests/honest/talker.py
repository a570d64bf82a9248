"""A strategy that prints, says and marks something on every turn, and fails from turn 4 on."""

import planetwars_env as pw


class Talker(pw.Strategy):
    def take_turn(self, view):
        print("seen", view.turn)
        self.say(f"my turn {view.turn}")
        self.mark(view.owned_by(view.player)[0], "home")
        self.mark(99, "nowhere")
        if view.turn > 3:
            raise AttributeError("missing")
        return []
