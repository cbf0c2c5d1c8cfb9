"""Getting a file from an address: more than one attempt, and whole or not at all."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import IO

TIMEOUT = 30.0  # seconds without a sign of the server
DEADLINE = 1800.0  # seconds for all attempts together: a gigabyte at 5 Mbit/s
WAITS = (1.0, 3.0)  # seconds before the second and the third attempt
LARGEST = 1 << 30  # bytes, where no more is known: ten times the largest file of a set
_PASSING = frozenset([408, 425, 429, 500, 502, 503, 504])  # a server may answer better later


class DownloadError(ValueError):
    """Why a file could not be had from an address, on one line."""


def _too_slow(url: str) -> DownloadError:
    return DownloadError(f"{url} takes more than {DEADLINE:g} seconds")


def download(url: str, path: Path, progress: bool = False, limit: int = LARGEST) -> None:
    """Write what is at the address into a new file as it comes, trying again where that may help.

    A file that breaks off before the length that the server announced is not taken for whole, and
    one of more than `limit` bytes is refused as soon as that many have come. All attempts together
    have `DEADLINE` seconds, however little by little a server answers.
    """
    end = time.monotonic() + DEADLINE
    for pause in (*WAITS, None):
        if time.monotonic() > end:
            raise _too_slow(url)
        try:
            with open(path, "wb") as file:
                _within(end, url, file, progress, limit)
            return
        except OSError as error:  # those of the network are among them
            reason, passing = _explained(error, url, path.parent)
        if not passing:
            break
        if pause is not None:
            time.sleep(min(pause, max(0.0, end - time.monotonic())))
    raise DownloadError(reason)


def _within(end: float, url: str, file: IO[bytes], progress: bool, limit: int) -> None:
    """An attempt, in a thread that is left alone when its time is over.

    Each byte that comes starts the wait for the next one anew, of a header as well, and the look-up
    of a name waits as long as it likes: nothing inside tells in time that the whole takes too long.
    Such a thread ends with the connection, at the next block or with the process; it makes no file,
    and the one that it was given is closed, so that nothing comes to be where all is swept away.
    """
    failures: list[BaseException] = []

    def attempt() -> None:
        try:
            _attempt(url, file, progress, limit, end)
        except BaseException as error:  # for the caller, an interruption too
            failures.append(error)

    thread = threading.Thread(target=attempt, name="abacoc download", daemon=True)
    thread.start()
    thread.join(max(0.0, end - time.monotonic()))
    if thread.is_alive():
        raise _too_slow(url)
    if failures:
        raise failures.pop()  # and not kept: it has hold of the connection


def _attempt(url: str, file: IO[bytes], progress: bool, limit: int, end: float) -> None:
    import requests  # slow to import, and only downloads need it
    from tqdm import tqdm

    # A response that is left open keeps its connection until the garbage is collected.
    with requests.get(url, stream=True, timeout=TIMEOUT) as response:
        response.raise_for_status()
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdecimal() else None
        with tqdm(total=total, unit="B", unit_scale=True, disable=not progress) as bar:
            for block in response.iter_content(1 << 16):
                bar.update(len(block))
                if file.tell() + len(block) > limit:
                    raise DownloadError(f"{url} holds more than {limit:,} bytes")
                if time.monotonic() > end:
                    raise _too_slow(url)
                file.write(block)
                file.flush()


def _explained(error: OSError, url: str, folder: Path) -> tuple[str, bool]:
    """What went wrong, and whether it may go better soon."""
    response = getattr(error, "response", None)
    if response is not None:
        status = int(response.status_code)
        return f"{url} answers with HTTP status {status}", status in _PASSING
    if type(error).__module__.startswith("requests"):
        kind = type(error).__name__
        if kind in ("ChunkedEncodingError", "ContentDecodingError"):
            return f"the download from {url} broke off", True
        return f"no connection to {url} ({kind})", True
    return f"cannot write to {folder}: {error.strerror or error}", False
