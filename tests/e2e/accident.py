"""A matcher that is killed in the middle of its work, at the very request that a test chooses.

The function is sent to its table by way of a relay, which hands on every request but kills the function's process
at the chosen one: before the table has seen it, or after the table has done it and before the function knows.
"""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from enum import Enum, auto
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from tests.e2e.asker import eventually


class Moment(Enum):
    """When the process is killed."""

    BEFORE_THE_TABLE_SEES_IT = auto()
    AFTER_THE_TABLE_DID_IT = auto()


class Relay(ThreadingHTTPServer):
    """Hands requests on to the table; at the first of this operation the accident happens, once."""

    daemon_threads = True

    def __init__(self, table_url: str, operation: str, moment: Moment, kill: Callable[[], None]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.table = urlsplit(table_url).netloc
        self.seen: Counter[str] = Counter()
        self.happened = threading.Event()
        self._operation = operation
        self._moment = moment
        self._kill = kill
        self._one_at_a_time = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def answer(self, operation: str, request: Callable[[], bytes]) -> bytes | None:
        """What the table says; None for a function that is no more."""
        with self._one_at_a_time:
            self.seen[operation] += 1
            fatal = operation == self._operation and self.seen[operation] == 1
            if fatal and self._moment is Moment.BEFORE_THE_TABLE_SEES_IT:
                self._strike()
                return None
            told = request()
            if fatal:
                self._strike()
                return None
            return told

    def _strike(self) -> None:
        self._kill()
        self.happened.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        relay = cast(Relay, self.server)
        body = self.rfile.read(int(self.headers["Content-Length"]))
        operation = self.headers["X-Amz-Target"].rpartition(".")[2]
        told = relay.answer(operation, lambda: self._handed_on(relay.table, body))
        if told is None:
            self.close_connection = True
        else:
            self.wfile.write(told)

    def _handed_on(self, table: str, body: bytes) -> bytes:
        """The answer as it stands on the wire. The headers stay as they are, for they are signed."""
        onward = http.client.HTTPConnection(table)
        try:
            onward.request("POST", self.path, body, dict(self.headers))
            answer = onward.getresponse()
            content = answer.read()
            kept = {n: v for n, v in answer.getheaders() if n.lower() not in ("content-length", "connection")}
            lines = [f"HTTP/1.1 {answer.status} {answer.reason}", *(f"{n}: {v}" for n, v in kept.items())]
            head = "\r\n".join([*lines, f"Content-Length: {len(content)}", "", ""])
            return head.encode() + content
        finally:
            onward.close()

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def relay(table_url: str, operation: str, moment: Moment, kill: Callable[[], None]) -> Generator[Relay]:
    """Runs for as long as the block lasts."""
    with Relay(table_url, operation, moment, kill) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def processes_of(function: str, run_dir: Path) -> list[int]:
    """The function's processes below the folder of this embedded AWS: others have functions of the same name."""
    command = ["ps", "-ww", "-eo", "pid=,args="]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [
        int(line.split()[0])
        for line in listed.splitlines()
        if f"{run_dir}/" in line and f"ministack-lambda-{function}-" in line
    ]


def kill_all(function: str, run_dir: Path) -> None:
    """Without a chance to tidy up; returns once they are gone."""
    doomed = processes_of(function, run_dir)
    assert doomed
    for pid in doomed:
        os.kill(pid, signal.SIGKILL)
    eventually(lambda: set(doomed) & set(processes_of(function, run_dir)), lambda alive: not alive)
