"""Playing oneself: a page on this machine and a terminal, both over one match that knows the truth."""
