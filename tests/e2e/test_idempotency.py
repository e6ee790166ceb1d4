"""A request that is sent again has the effect of once."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx

from tests.e2e.asker import Asker
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor


def ask(asker: Asker, body: object, key: str) -> httpx.Response:
    return asker.send("POST", "/calls", body, headers={"Idempotency-Key": key})


def test_the_same_key_meets_its_own_call_wherever_that_stands(floor: Floor, caller: Asker) -> None:
    key = uuid.uuid4().hex
    body = {"requirement": floor.needing(language=["es", "en"])}
    same_meaning = {"requirement": {"language": ["en", "es"], "team": [floor.team]}, "channel": "voice"}

    first = ask(caller, body, key)
    call = floor.once("waiting", first.json()["id"])
    repeated = ask(caller, same_meaning, key)

    assert (first.status_code, repeated.status_code) == (202, 202)
    assert repeated.headers["Location"] == first.headers["Location"] == f"/calls/{call['id']}"
    assert (repeated.json()["status"], repeated.json()["position"]) == ("waiting", 1)
    ana, ben = floor.available("ana", language="es"), floor.available("ben", language="es")
    assert floor.connected(call["id"]) == [ana]
    assert ask(caller, body, key).json()["status"] == "connected"
    floor.complete(call["id"])
    assert ask(caller, body, key).json()["status"] == "completed"
    assert floor.agent(ben)["status"] == "available"


def test_the_same_key_with_another_body_is_422_and_changes_nothing(
    floor: Floor, caller: Asker, backstage: Backstage
) -> None:
    key = uuid.uuid4().hex
    call = ask(caller, {"requirement": floor.needing()}, key).json()["id"]
    floor.waiting(call)
    before = backstage.quiet_table()

    for other in (
        {"requirement": floor.needing(language="es")},
        {"requirement": floor.needing(), "channel": "chat"},
        {"requirement": floor.needing(), "head_start_seconds": 5},
        {"requirement": floor.needing(), "if_no_agent": "refuse"},
    ):
        refused = ask(caller, other, key)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "Idempotency-Key")

    assert backstage.quiet_table() == before
    assert backstage.messages_left() == backstage.messages_left("chat") == 0


def test_another_app_may_use_the_same_key(floor: Floor, caller: Asker, neighbour: Asker) -> None:
    key, body = uuid.uuid4().hex, {"requirement": floor.needing()}

    mine, theirs = ask(caller, body, key), ask(neighbour, body, key)

    assert mine.json()["id"] != theirs.json()["id"]
    assert neighbour.told("GET", f"/calls/{theirs.json()['id']}")["id"] == theirs.json()["id"]


def test_twenty_at_once_under_one_key_are_one_call(floor: Floor, caller: Asker, backstage: Backstage) -> None:
    key, body = uuid.uuid4().hex, {"requirement": floor.needing()}
    agents = [floor.available(name) for name in ("ana", "ben", "cleo")]

    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(ask, caller, body, key) for _ in range(20)]
    answers = [one.result() for one in asked]

    assert {answer.status_code for answer in answers} == {202}
    [call] = {answer.json()["id"] for answer in answers}
    floor.connected(call)
    backstage.all_taken()
    assert sorted(floor.agent(agent)["status"] for agent in agents) == ["attending", "available", "available"]


def test_other_requests_can_be_sent_twice_too(floor: Floor) -> None:
    ana = floor.available("ana")
    in_line = floor.agent(ana)

    floor.register("ana")
    floor.become("available", ana)

    assert floor.agent(ana) == in_line
    for status in ("away", "offline"):
        floor.become(status, ana)
        once = floor.agent(ana)
        floor.become(status, ana)
        assert floor.agent(ana) == once
