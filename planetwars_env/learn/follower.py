"""Process of a training run beside process 0: it learns as process 0 says, and writes nothing."""

import signal
import sys
import threading
from typing import Any

from planetwars_env.learn.learner import make_learner
from planetwars_env.learn.plugs import import_plugs
from planetwars_env.learn.processes import announce, joined_group


def follow() -> Any:
    """Learn until process 0 ends the run, and return what it announces then; end this process where process 0 is gone."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # this process ends at once and silently; process 0 saves
    try:
        with joined_group():
            config, saved = announce()
            import_plugs(config)
            learner = make_learner(config)
            if saved:
                learner.restore(*saved)
            learner.state()
            while (end := announce()) is None:
                learner.advance()
                learner.state()
            return end
    except ConnectionError:
        sys.exit(1)  # process 0 says why
