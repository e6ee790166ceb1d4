"""`make demo`: a busy floor on the embedded AWS, over HTTP only, and an audit of it from the API's own answers.

Ends with one line, and not with 0 when a promise broke or the published example came out otherwise.
"""

from __future__ import annotations

from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress

from local.floor_client import FloorClient
from local.floor_crowd import Crowd
from local.floor_run import FloorRun
from local.floor_view import watch
from local.published_example import replay, send_home
from local.stack import deploy
from local.steps import Steps
from local.up import RUN_DIR

Count = Annotated[int, typer.Option(min=1, max=10_000)]


def main(
    agents: Count = 50,
    calls: Count = 300,
    rate: Annotated[float, typer.Option(min=0.1, help="calls a second")] = 7,
    handle: Annotated[float, typer.Option(min=0.1, help="mean seconds on a call")] = 4,
    seed: int = 1,
) -> None:
    """Replay the published example, then a random floor; exit 1 if a promise broke."""
    console = Console()
    stack = deploy(RUN_DIR, Steps(console))
    client = FloorClient(stack.url, caller_token=stack.caller.token, supervisor_token=stack.supervisor.token)
    clear_floor(client, console)
    right = show_example(client, console)
    run = FloorRun(client, Crowd(seed, agents=agents, calls=calls, rate=rate, handle=handle))
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        for _ in progress.track(run.register(), total=agents, description="registering agents"):
            pass
    with watch(run, console):
        run.run()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        verdict = run.audit(lambda ids: progress.track(ids, description="reading every call again"))
    run.go_home()
    for problem in verdict.broken:
        console.print(problem, style="red", highlight=False)
    console.print(str(verdict), highlight=False, soft_wrap=True)
    raise typer.Exit(0 if right and verdict.kept else 1)


def clear_floor(client: FloorClient, console: Console) -> None:
    """Whoever an earlier run or a try by hand left signed in would take this run's calls."""
    left = [agent["id"] for agent in client.agents()]
    if left:
        console.print(f"removing {len(left)} agents of an earlier run", highlight=False)
        send_home(client, left)


def show_example(client: FloorClient, console: Console) -> bool:
    """The published example, a line for each call; whether each expected agent was chosen."""
    console.print("the published example:", highlight=False)
    right = True
    for choice in replay(client):
        needs = ", ".join(choice.needs.values())
        mark = "as published" if choice.right else f"published: {choice.expected}"
        console.print(f"  {needs:<12} → {choice.chosen:<10} {mark}", highlight=False)
        right &= choice.right
    return right


if __name__ == "__main__":
    typer.run(main)
