"""Several works at once, one request at a time: who goes next is drawn by chance, and a seed draws the same again."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Sequence

from switchboard.domain.refusals import Refusal

type Work = Callable[[Callable[[str], None]], object]
"""Gets a hook to call before each of its requests."""


class Turns:
    """Threads of which only one runs at any time, until its next request."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._back = threading.Semaphore(0)
        self._errors: list[BaseException] = []

    def run(self, works: Sequence[Work]) -> None:
        """All of them, to their ends. A refusal is an end; any other error is raised here."""
        mine = [threading.Semaphore(0) for _ in works]
        threads = [
            threading.Thread(target=self._one, args=(work, turn), daemon=True)
            for work, turn in zip(works, mine, strict=True)
        ]
        for thread in threads:
            thread.start()
        running = list(range(len(works)))
        while running:
            number = self._chance.choice(running)
            mine[number].release()
            self._back.acquire()
            if self._ended:
                running.remove(number)
        for thread in threads:
            thread.join()
        if self._errors:
            raise self._errors[0]

    def _one(self, work: Work, turn: threading.Semaphore) -> None:
        def next_turn(_: str) -> None:
            self._ended = False
            self._back.release()
            turn.acquire()

        turn.acquire()
        try:
            work(next_turn)
        except Refusal:
            pass
        except BaseException as error:
            self._errors.append(error)
        self._ended = True
        self._back.release()
