"""A run as it goes: a live table on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from local.floor_run import FloorRun

EVERY = 5
"""Seconds between two lines where there is no terminal."""
STATES = ("available", "attending", "wrap_up", "offline")


@contextmanager
def watch(run: FloorRun, console: Console) -> Generator[None]:
    """Shows the run for as long as the block lasts."""
    if console.is_terminal:
        with Live(get_renderable=lambda: picture(run), console=console, refresh_per_second=4, transient=True):
            yield
        return
    over = threading.Event()
    lines = threading.Thread(target=_say, args=(run, console, over), daemon=True)
    lines.start()
    try:
        yield
    finally:
        over.set()
        lines.join()


def picture(run: FloorRun) -> Group:
    table = Table(title="the floor", title_justify="left")
    for heading in ("calls", "ended", *STATES):
        table.add_column(heading, justify="right")
    table.add_row(*map(str, (len(run.calls), len(run.ended), *(run.agents[state] for state in STATES))))
    return Group(table, Text("\n".join(run.latest)))


def _say(run: FloorRun, console: Console, over: threading.Event) -> None:
    while not over.wait(EVERY):
        agents = " ".join(f"{state}={run.agents[state]}" for state in STATES)
        console.print(f"calls={len(run.calls)} ended={len(run.ended)} agents: {agents}", highlight=False)
