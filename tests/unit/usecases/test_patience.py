"""Trying again: how often, after which pauses, and what is raised in the end."""

from __future__ import annotations

import pytest

from switchboard.domain.agents import Agent
from switchboard.domain.refusals import Conflict, Contention, Moved
from switchboard.patience import DECISIONS, FIRST_PAUSE, TRIES, patiently, settled
from switchboard.world import Event
from tests.unit.usecases.scene import Scene


class Step:
    """Fails with each of these in turn, then succeeds; counts how often it was tried."""

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)
        self.tried = 0

    def __call__(self) -> str:
        self.tried += 1
        if self._failures:
            raise self._failures.pop(0)
        return "done"


def contentions(many: int) -> list[Exception]:
    return [Contention(f"number {number}") for number in range(many)]


def test_what_succeeds_is_done_once_and_without_a_pause(scene: Scene) -> None:
    step = Step()
    assert (patiently(scene.world, step), step.tried, scene.pauses) == ("done", 1, [])


def test_contention_is_met_with_patience(scene: Scene) -> None:
    step = Step(*contentions(TRIES - 1))
    assert (patiently(scene.world, step), step.tried) == ("done", TRIES)
    assert scene.tally == {Event.CONTENDED: TRIES - 1}


def test_patience_ends_with_the_last_contention(scene: Scene) -> None:
    step = Step(*contentions(TRIES))
    with pytest.raises(Contention, match=f"number {TRIES - 1}"):
        patiently(scene.world, step)
    assert step.tried == TRIES
    assert len(scene.pauses) == TRIES - 1


def test_pauses_are_jittered_within_bounds_that_double() -> None:
    tried: list[list[float]] = []
    for seed in range(40):
        scene = Scene()
        patiently(scene.another_world(scene.floor, seed), Step(*contentions(TRIES - 1)))
        tried.append(scene.pauses)
    for attempt in range(TRIES - 1):
        bound = FIRST_PAUSE * 2**attempt
        of_attempt = [pauses[attempt] for pauses in tried]
        assert 0 <= min(of_attempt) < bound / 4
        assert bound * 3 / 4 < max(of_attempt) <= bound


@pytest.mark.parametrize("refusal", [Moved(None), Conflict("no"), ValueError()])
def test_nothing_but_contention_is_tried_again(scene: Scene, refusal: Exception) -> None:
    step = Step(refusal)
    with pytest.raises(type(refusal)):
        patiently(scene.world, step)
    assert step.tried == 1


def test_a_decision_is_taken_anew_when_somebody_moved(scene: Scene) -> None:
    step = Step(*(Moved(None) for _ in range(DECISIONS - 1)))
    assert (settled(scene.world, step), step.tried) == ("done", DECISIONS)


def test_decisions_end_with_the_last_one_who_moved(scene: Scene) -> None:
    ann = Agent.register("ann", "Ann", "pool", now=0)
    step = Step(*(Moved(None) for _ in range(DECISIONS - 1)), Moved(ann))
    with pytest.raises(Moved) as refusal:
        settled(scene.world, step)
    assert refusal.value.found is ann
    assert step.tried == DECISIONS


def test_decisions_are_patient_too(scene: Scene) -> None:
    step = Step(*contentions(2), Moved(None), *contentions(TRIES - 1))
    assert (settled(scene.world, step), step.tried) == ("done", TRIES + 3)


def test_other_refusals_are_final(scene: Scene) -> None:
    step = Step(Conflict("no"))
    with pytest.raises(Conflict, match="no"):
        settled(scene.world, step)
    assert step.tried == 1
