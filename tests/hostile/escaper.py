"""Carries commands for terminals, browsers and spreadsheets in its name and in its error."""


class Escaper:
    name = "\x1b]0;owned\x07\u202e=HYPERLINK(1)<script>alert(1)</script>\n\n| a | b |"

    def take_turn(self, view):
        raise RuntimeError("\x1b[2J\x9b2J\u202e\u2066<img src=x onerror=alert(1)> [bold]=cmd()[/nothing]")
