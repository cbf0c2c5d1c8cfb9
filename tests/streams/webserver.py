"""A web server on this machine that can misbehave in the ways servers do."""

import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LONGEST = 5.0  # seconds that a handler may take


class Server:
    """Serves `pages` and counts what it is asked for.

    A page is its content, or a list of what to answer in turn, the last one for ever. An answer is
    bytes, a status, or a function of the handler.
    """

    def __init__(self):
        self.pages = {}
        self.asked = []
        served = self

        class Handler(BaseHTTPRequestHandler):
            timeout = LONGEST

            def do_GET(self):
                served.asked.append(self.path)
                answer(self, served.next_answer(self.path))

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # clients that have had enough
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    def next_answer(self, path):
        page = self.pages.get(path, 404)
        if isinstance(page, list):
            return page.pop(0) if len(page) > 1 else page[0]
        return page

    @property
    def address(self):
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    def stop(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join(LONGEST)


def answer(handler, what):
    if callable(what):
        what(handler)
    elif isinstance(what, int):
        handler.send_response(what)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
    else:
        begin(handler, len(what))
        handler.wfile.write(what)


def begin(handler, length=None, **headers):
    handler.send_response(200)
    if length is not None:
        handler.send_header("Content-Length", str(length))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()


def broken_off(content, announced=True):
    """Half of the content, then the end of the connection."""

    def send(handler):
        begin(handler, len(content) if announced else None)
        handler.wfile.write(content[: len(content) // 2])

    return send


def reset(content):
    """Half of the content, then the server is gone without a farewell."""

    def send(handler):
        begin(handler, len(content))
        handler.wfile.write(content[: len(content) // 2])
        handler.wfile.flush()
        # lingering for no time at all: the other side sees a reset
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        handler.connection.close()

    return send


def silent(content):
    """Half of the content, then nothing for longer than anybody waits."""

    def send(handler):
        begin(handler, len(content))
        handler.wfile.write(content[: len(content) // 2])
        handler.wfile.flush()
        time.sleep(LONGEST)

    return send


def together(content, count):
    """The content, slowly, once as many have asked for it."""
    everybody = threading.Barrier(count)

    def send(handler):
        everybody.wait(20)  # to start a process can take its time
        begin(handler, len(content))
        for i in range(len(content)):
            handler.wfile.write(content[i : i + 1])
            handler.wfile.flush()
            time.sleep(0.01)

    return send
