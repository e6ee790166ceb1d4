"""Says what is going on: a moving bar per long step on a terminal, plain lines elsewhere."""

import time
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn


class Steps:
    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console()

    @contextmanager
    def step(self, what: str) -> Generator[None]:
        """`what`: as in "deploying"."""
        started = time.monotonic()
        if self.console.is_terminal:
            columns = (TextColumn("{task.description:<42}"), BarColumn(bar_width=24), TimeElapsedColumn())
            with Progress(*columns, console=self.console, transient=True) as progress:
                progress.add_task(what, total=None)
                yield
        else:
            self.console.print(f"{what} …", highlight=False)
            yield
        self.console.print(f"{what:<42} {time.monotonic() - started:5.1f} s", highlight=False)


QUIET = Steps(Console(quiet=True))
