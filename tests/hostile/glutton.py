"""Takes all the memory there is."""


class Glutton:
    name = "glutton"

    def take_turn(self, view):
        heap = []
        while True:
            heap.append(bytearray(64 * 2**20))
