"""Ctrl-C at every line of the adapters in turn.

The learners beneath are disturbed by tests/engine/disturbed.py: they are as before or as after.
"""

import copy
import itertools
import sys
from pathlib import Path

from abacoc import adapters

ADAPTERS = str(Path(adapters.__file__).parent)


def interrupted(model, call):
    """Copies of the model, each after a call that was interrupted at another line."""
    for n in itertools.count(1):
        victim = copy.deepcopy(model)
        if not _raises_at(n, call, victim):
            return
        yield victim


def _raises_at(n, call, victim):
    left = n

    def step(frame, event, argument):
        nonlocal left
        left -= event == "line"
        if event == "line" and left == 0:
            raise KeyboardInterrupt
        return step

    before = sys.gettrace()  # of coverage
    sys.settrace(lambda frame, *_: step if frame.f_code.co_filename.startswith(ADAPTERS) else None)
    try:
        call(victim)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False
