"""Never gets as far as a class."""

import time

time.sleep(3600)


class Late:
    name = "late"
    compete = True

    def take_turn(self, view):
        return []
