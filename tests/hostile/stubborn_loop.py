"""Never answers, and cannot be interrupted by an exception."""


class Stubborn:
    name = "stubborn"

    def take_turn(self, view):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue
