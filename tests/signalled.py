"""`abacoc`, and a signal at a well-defined moment: the N-th time that a function is called.

    python tests/signalled.py MODULE:FUNCTION N SIGINT group run mine.csv
    python tests/signalled.py anything N SIGTERM alone run mine.csv

The process sends it to itself (`alone`), or to its group as a terminal does; `anything` is any
function of Python in the main thread, from the beginning of the command on.
"""

import functools
import importlib
import itertools
import os
import signal
import sys
import threading
import time

from abacoc.cli import main


def send(name, to):
    number = signal.Signals[name]
    if to == "group":
        os.killpg(0, number)
    else:
        os.kill(os.getpid(), number)


def wrap(place, nth, give):
    """Replace the function by one that sends the signal at its n-th call, and then goes on."""
    module, _, path = place.partition(":")
    *owners, last = path.split(".")
    owner = functools.reduce(getattr, owners, importlib.import_module(module))
    function, calls = getattr(owner, last), itertools.count(1)

    @functools.wraps(function)
    def counted(*arguments, **named):
        if next(calls) == nth:
            give()
            if threading.current_thread() is not threading.main_thread():
                time.sleep(1)  # it comes to the main thread, which shall be the quicker one
        return function(*arguments, **named)

    setattr(owner, last, counted)


def watch_everything(nth, give):
    calls = itertools.count(1)

    def counted(frame, event, argument):
        if event == "call" and next(calls) == nth:
            sys.setprofile(None)
            give()

    sys.setprofile(counted)


if __name__ == "__main__":
    place, nth, name, to, *rest = sys.argv[1:]
    sys.argv[1:] = rest
    give = functools.partial(send, name, to)
    if place == "anything":
        watch_everything(int(nth), give)
    else:
        wrap(place, int(nth), give)
    sys.exit(main())
