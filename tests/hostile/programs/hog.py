"""Fills shared memory, which no limit of the system counts, in pieces that no one process holds alone."""

import json
import mmap
import sys


def answer(request):
    return {"hello": {}, "begin": {}}.get(request["type"], {"moves": []})


PIECE = 128 * 2**20

for line in sys.stdin:
    request = json.loads(line)
    held = []
    for _ in range(12 if request["type"] == "turn" else 0):
        held.append(mmap.mmap(-1, PIECE))
        for place in range(0, PIECE, 4096):
            held[-1][place] = 1
    print(json.dumps(answer(request)), flush=True)
