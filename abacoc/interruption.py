"""Ctrl-C and SIGTERM: the first one unwinds a command, and nobody is left behind.

Both become an exception, so that every `finally` on the way has its turn. It comes once: a second
Ctrl-C would break off the tidying up. Processes that are started within `held` never hear either;
they end with the one that started them.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator

SIGNALS = (signal.SIGINT, signal.SIGTERM)
GRACE = 30.0  # seconds to tidy up; a pool, a kernel of Jupyter and a client of Dask need a few
AGAIN = 0.01  # seconds after which an exception that could not unwind anything comes again


class Interrupted(KeyboardInterrupt):
    """A signal has come; its message and `status` are for the shell."""

    def __init__(self, number: int = signal.SIGINT) -> None:
        super().__init__("terminated" if number == signal.SIGTERM else "interrupted")
        self.status = 128 + number  # as shells count


@contextlib.contextmanager
def heard(for_good: bool) -> Iterator[None]:
    """Within this block the first of the signals raises `Interrupted`, whatever is going on.

    Whatever else comes out of a block that was interrupted is a consequence of it, and becomes the
    same exception. ``for_good`` says that the process ends afterwards: what Python does then is not
    to be disturbed by another signal. A signal that is ignored, as `nohup` and `&` do, stays so.
    """
    if threading.current_thread() is not threading.main_thread():  # signals come to that one only
        yield
        return
    came: list[int] = []
    watch = _Watch()

    def raise_once(number: int, frame: object) -> None:
        if not came:
            came.append(number)
            watch.begin(number)
            raise Interrupted(number)

    def once_more(ignored: sys.UnraisableHookArgs) -> None:
        """In a destructor, or called from C, an exception is told and dropped: it comes again."""
        if not isinstance(ignored.exc_value, Interrupted):
            others_are_told(ignored)
            return
        main = threading.main_thread().ident
        timer = threading.Timer(AGAIN, signal.pthread_kill, (main, came.pop()))
        timer.daemon = True
        timer.start()

    before = {number: signal.getsignal(number) for number in SIGNALS}
    ours = [number for number in SIGNALS if before[number] is not signal.SIG_IGN]
    others_are_told = sys.unraisablehook
    try:
        if hasattr(signal, "pthread_kill"):
            sys.unraisablehook = once_more
        for number in ours:
            signal.signal(number, raise_once)
        yield
    except BaseException:
        if came:
            raise Interrupted(came[0]) from None
        raise
    finally:
        sys.unraisablehook = others_are_told
        if not for_good:
            watch.end()
        for number in ours:
            last = signal.SIG_IGN if came else signal.SIG_DFL
            signal.signal(number, last if for_good else before[number])


class _Watch:
    """Ends the process where the tidying up hangs, or where somebody has caught the exception."""

    def __init__(self) -> None:
        self.timer: threading.Timer | None = None

    def begin(self, number: int) -> None:
        if self.timer is None:
            self.timer = threading.Timer(GRACE, self._give_up, (number,))
            self.timer.daemon = True
            self.timer.start()

    def end(self) -> None:
        if self.timer is not None:
            self.timer.cancel()

    def _give_up(self, number: int) -> None:
        reason = Interrupted(number)
        os.write(2, f"abacoc: {reason}; not all could be tidied up\n".encode())
        os._exit(reason.status)


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Signals wait until the end of this block; processes and threads started in it hear none."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    waiting: list[int] = []
    handlers = {}
    # the mask is for those who inherit it: a thread without it may still take the signal, and then
    # its handler is called here
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        if threading.current_thread() is threading.main_thread():
            for number in SIGNALS:
                if callable(signal.getsignal(number)):
                    handlers[number] = signal.signal(number, lambda n, _: waiting.append(n))
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        with contextlib.ExitStack() as back:  # all of them, also if the first one is called at once
            for number, handler in handlers.items():
                back.callback(signal.signal, number, handler)
        for came in waiting:
            signal.raise_signal(came)
