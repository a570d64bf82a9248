"""Speed: tables of environments (__main__.py), of the batch beside other commits (games.py), of peers (peers.py)."""
