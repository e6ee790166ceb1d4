"""Bad input over HTTP: each is refused with a problem that says what and where, and nothing is written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from tests.e2e.asker import Asker
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor

ANA = {"name": "Ana", "profile": {"language": ["es"]}}
CALL = {"requirement": {"language": ["es"]}}
KEY = "A" * 26


@dataclass(frozen=True, slots=True)
class Bad:
    """A request that has to be refused, and the field by which; bytes are sent as they are."""

    status: int
    verb: str
    path: str
    body: object = None
    field: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        body = self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()
        return f"{self.status} {self.verb} {self.path[:20]} {body[:40]!r} {self.field}"


def agent(body: object, field: str = "", status: int = 422) -> Bad:
    return Bad(status, "PUT", "/agents/ben", body, field)


def call(body: object, field: str = "", status: int = 422) -> Bad:
    return Bad(status, "POST", "/calls", body, field)


def profile(**skills: object) -> dict[str, object]:
    return {"name": "Ben", "profile": skills}


def requirement(**needs: object) -> dict[str, object]:
    return {"requirement": needs}


WRONG_TYPES = [
    agent({"name": 5, "profile": {}}, "name"),
    agent({"name": None, "profile": {}}, "name"),
    agent({"name": "Ben", "profile": []}, "profile"),
    agent(profile(language=5.5), "profile.language"),
    agent(profile(language=[5]), "profile.language[0]"),
    agent([ANA], "body"),
    agent("Ben", "body"),
    call({"requirement": ["es"]}, "requirement"),
    call({**CALL, "head_start_seconds": "5"}, "head_start_seconds"),
    call({**CALL, "channel": 1}, "channel"),
    call(requirement(language={"none": ["es"]}), "requirement.language"),
    Bad(422, "PUT", "/agents/{ana}/status", {"status": 1}, "status"),
    Bad(422, "PUT", "/queues/{queue}", {"order": "random"}, "order"),
    Bad(422, "PUT", "/pools/{pool}", {"label": 7}, "label"),
]
EMPTY_OR_TOO_LONG = [
    agent({}, "name"),
    agent({"name": "", "profile": {}}, "name"),
    agent({"name": "x" * 129, "profile": {}}, "name"),
    agent(profile(language=[]), "profile.language"),
    agent(profile(language=["x" * 65]), "profile.language[0]"),
    agent(profile(language=["v"] * 10_000), "profile.language"),
    agent(profile(language=[f"{n:064d}" for n in range(50)]), "profile"),
    agent(profile(**{f"a{n}": "x" for n in range(21)}), "profile"),
    agent(profile(**{"": "x"}), "profile."),
    call({}, "requirement"),
    call(requirement(language=["es"] * 10_000), "requirement.language"),
    call(requirement(language=["a", ""]), "requirement.language[1]"),
    call({**CALL, "channel": ""}, "channel"),
    Bad(422, "POST", "/calls", CALL, "Idempotency-Key", (("Idempotency-Key", "x" * 129),)),
    Bad(422, "GET", "/agents/" + "x" * 65, None, "id"),
    Bad(422, "GET", "/agents?limit=1000000", None, "limit"),
    agent({"name": "x" * 66_000, "profile": {}}, status=413),
    call(b"x" * 70_000, status=413),
]
CONTROL_CHARACTERS = [
    agent({"name": "Ana\x00", "profile": {}}, "name"),
    agent({"name": "\x1b[31mAna", "profile": {}}, "name"),
    agent(profile(language=["es\n"]), "profile.language[0]"),
    call(requirement(language="es\u0085"), "requirement.language"),
    Bad(422, "PUT", "/queues/{queue}", {"label": "\x07"}, "label"),
    Bad(404, "GET", "/agents/a%00b"),
    Bad(404, "GET", "/calls/a%0Ab"),
    Bad(422, "GET", "/agents/a%20b", None, "id"),
]
NEGATIVE_NUMBERS = [
    agent(profile(billing=-1), "profile.billing"),
    agent(profile(billing=0), "profile.billing"),
    call({**CALL, "head_start_seconds": -1}, "head_start_seconds"),
    call({**CALL, "head_start_seconds": 10**30}, "head_start_seconds"),
    call(requirement(billing={"min": -2}), "requirement.billing.min"),
    Bad(422, "GET", "/agents?limit=-1", None, "limit"),
]
UNKNOWN_FIELDS = [
    agent({**ANA, "status": "available"}, "status"),
    call({**CALL, "client": "somebody"}, "client"),
    call({**CALL, "requirement": {"channel": ["chat"]}}, "requirement.channel"),
    call({**CALL, "channel": "fax"}, "channel"),
    agent(profile(channel=["voice", "fax"]), "profile.channel"),
]
BROKEN_JSON = [
    agent(b"{", status=400),
    agent(b"name=Ben", status=400),
    agent(b'{"name": "Ben", "name": "Eve", "profile": {}}', status=400),
    agent(b'{"name": "Ben", "profile": {"billing": NaN}}', status=400),
    agent(rb'{"name": "\ud800", "profile": {}}', status=400),
    agent(b"\xff\xfe{}", status=400),
    agent(b"[" * 60_000, status=400),
    call(b'{"requirement": ', status=400),
    Bad(415, "PUT", "/agents/ben", b"<ben/>", "", (("Content-Type", "text/xml"),)),
]
UNKNOWN_IDS = [
    Bad(404, "GET", "/agents/nobody"),
    Bad(404, "DELETE", "/agents/nobody"),
    Bad(404, "PUT", "/agents/nobody/status", {"status": "available"}),
    Bad(404, "GET", "/calls/nobody"),
    Bad(404, "DELETE", "/calls/nobody"),
    Bad(404, "POST", "/calls/nobody/complete"),
    Bad(404, "GET", f"/queues/{KEY}"),
    Bad(404, "PUT", f"/queues/{KEY}", {"order": "latest_idle"}),
    Bad(404, "PUT", f"/pools/{KEY}", {"label": "x"}),
    Bad(404, "GET", "/agents/ana/secrets"),
    Bad(405, "PATCH", "/calls"),
]
ILLEGAL_MOVES = [
    Bad(422, "PUT", "/agents/{ana}/status", {"status": "attending"}, "status"),
    Bad(409, "PUT", "/agents/{ana}/status", {"status": "away"}),
    Bad(409, "PUT", "/agents/{ana}/status", {"status": "offline"}),
    Bad(409, "DELETE", "/agents/{ana}"),
    Bad(409, "POST", "/calls/{waiting}/complete"),
]


@pytest.fixture(scope="module")
def names(supervisor: Asker, caller: Asker) -> Iterator[dict[str, str]]:
    """A floor with an agent who attends a call, and a call that waits; by name what paths may need."""
    floor = Floor(supervisor, caller, team="bad-input")
    ana = floor.available("ana")
    attended, waiting = floor.call(), floor.call()
    floor.connected(attended)
    floor.waiting(waiting)
    yield {
        "{ana}": ana,
        "{waiting}": waiting,
        "{queue}": floor.read(waiting)["queue"],
        "{pool}": floor.agent(ana)["pool"],
    }
    floor.hang_up(waiting)
    floor.complete(attended)


def refused(bad: Bad, names: dict[str, str], supervisor: Asker, caller: Asker) -> httpx.Response:
    """By whoever would be allowed."""
    path = bad.path
    for name, value in names.items():
        path = path.replace(name, value)
    asker = caller if path.startswith("/calls") and not path.endswith("/complete") else supervisor
    if isinstance(bad.body, bytes):
        return asker.send(bad.verb, path, content=bad.body, headers=dict(bad.headers))
    return asker.send(bad.verb, path, bad.body, headers=dict(bad.headers))


@pytest.mark.parametrize(
    "kind",
    [
        pytest.param(WRONG_TYPES, id="wrong types"),
        pytest.param(EMPTY_OR_TOO_LONG, id="empty and over-long"),
        pytest.param(CONTROL_CHARACTERS, id="control characters"),
        pytest.param(NEGATIVE_NUMBERS, id="negative numbers"),
        pytest.param(UNKNOWN_FIELDS, id="what is not known"),
        pytest.param(BROKEN_JSON, id="broken JSON"),
        pytest.param(UNKNOWN_IDS, id="unknown ids"),
        pytest.param(ILLEGAL_MOVES, id="illegal moves"),
    ],
)
def test_it_is_refused_with_a_problem_that_names_the_field_and_writes_nothing(
    kind: list[Bad], names: dict[str, str], supervisor: Asker, caller: Asker, backstage: Backstage
) -> None:
    before = backstage.quiet_table()

    for bad in kind:
        answer = refused(bad, names, supervisor, caller)

        assert answer.status_code == bad.status, f"{bad}: {answer.status_code} {answer.text}"
        assert answer.headers["Content-Type"] == "application/problem+json", bad
        problem: dict[str, Any] = answer.json()
        assert problem["type"].startswith("/problems/"), bad
        assert problem["status"] == bad.status, bad
        assert problem["title"], bad
        assert problem["detail"], bad
        if bad.field:
            assert bad.field in [error["field"] for error in problem["errors"]], f"{bad}: {problem}"

    assert backstage.quiet_table() == before
    assert backstage.messages_left() == backstage.messages_left("chat") == 0


def test_the_201st_pool_and_the_201st_queue_are_refused_by_name(
    supervisor: Asker, caller: Asker, backstage: Backstage, floor: Floor
) -> None:
    floor.register("ana")
    with backstage.full_catalog():
        before = backstage.quiet_table()
        pool = supervisor.send("PUT", f"/agents/ben-{floor.team}", profile(team=floor.team, billing=3))
        queue = caller.send("POST", "/calls", {"requirement": floor.needing(language="eo")})

        for answer, name in ((pool, "pools"), (queue, "queues")):
            assert (answer.status_code, answer.json()["type"]) == (409, "/problems/catalog-full")
            assert f"200 distinct {name}" in answer.json()["detail"]
        assert backstage.quiet_table() == before
        # Who fits into what is there is welcome.
        floor.register("cleo")
