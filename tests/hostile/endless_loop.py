"""Never answers."""


class Endless:
    name = "endless"
    compete = True

    def take_turn(self, view):
        while True:
            pass
