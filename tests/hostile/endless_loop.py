"""Never answers."""


class Endless:
    name = "endless"

    def take_turn(self, view):
        while True:
            pass
