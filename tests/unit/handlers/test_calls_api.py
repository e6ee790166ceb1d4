"""Calls over HTTP."""

import pytest

from switchboard import calling
from switchboard.domain.calls import Call
from switchboard.domain.skills import Requirement
from tests.support.worlds import world_on
from tests.unit.handlers.front_desk import (
    CALLER_APP,
    OTHER_CALLER_APP,
    VIP_APP,
    Answer,
    FrontDesk,
    agent,
)

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")

SPANISH = {"requirement": {"language": ["es"]}}


def call(desk: FrontDesk, body: object = SPANISH, **request: object) -> Answer:
    return desk.ask("POST", "/calls", body, **{"claims": CALLER_APP, **request})


def available(desk: FrontDesk, name: str = "ana") -> None:
    desk.ask("PUT", f"/agents/{name}", {"name": name, "profile": {"language": ["es"]}})
    desk.ask("PUT", f"/agents/{name}/status", {"status": "available"})


def test_a_call_is_accepted_and_can_be_followed(desk: FrontDesk):
    accepted = call(desk)

    assert accepted.status == 202
    call_id = accepted.json["id"]
    assert accepted.json == {
        "id": call_id,
        "status": "requested",
        "position": None,
        "position_is_at_least": False,
        "no_agent_online": True,
    }
    assert accepted.headers["Location"] == f"/calls/{call_id}"
    told = desk.ask("GET", accepted.headers["Location"], claims=CALLER_APP).json
    assert told["effective_arrival_at"] == told.pop("arrived_at")
    assert len(told.pop("queue")) == 26
    assert told.pop("effective_arrival_at").endswith("Z")
    assert told == {
        "id": call_id,
        "status": "requested",
        "position": None,
        "position_is_at_least": False,
        "channel": "voice",
        "requirement": {"language": ["es"]},
        "head_start_seconds": 0,
        "waiting_since": None,
        "look_started_at": None,
        "connected_at": None,
        "ended_at": None,
        "agent": None,
    }


def test_the_call_is_sent_to_the_queue_of_its_channel_with_the_client_that_made_it(desk: FrontDesk):
    accepted = call(desk, {**SPANISH, "channel": "chat"})

    [(sent, text)] = desk.queues.sent
    assert (sent.id, sent.channel, sent.client) == (accepted.json["id"], "chat", "machine-2")
    assert text == '{"channel":["chat"],"language":["es"]}'


def test_a_call_without_a_channel_takes_the_first_one(desk: FrontDesk):
    call(desk, {**SPANISH, "channel": None})

    assert desk.queues.sent[0][0].channel == "voice"


def test_somebody_online_is_not_reported_as_nobody(desk: FrontDesk):
    available(desk)

    assert call(desk).json["no_agent_online"] is False


def test_a_caller_who_will_not_wait_is_refused_while_nobody_is_online(desk: FrontDesk):
    before = desk.contents()

    refused = call(desk, {**SPANISH, "if_no_agent": "refuse"})

    assert (refused.status, refused.json["type"]) == (409, "/problems/no-agent-online")
    assert desk.contents() == before
    available(desk)
    assert call(desk, {**SPANISH, "if_no_agent": "refuse"}).status == 202


def test_a_waiting_call_knows_its_position(desk: FrontDesk):
    first, second = call(desk).json["id"], call(desk).json["id"]
    desk.match_sent()

    told = [desk.ask("GET", f"/calls/{call_id}", claims=CALLER_APP).json for call_id in (first, second)]

    assert [one["status"] for one in told] == ["waiting", "waiting"]
    assert [one["position"] for one in told] == [1, 2]
    assert told[0]["waiting_since"] > told[0]["arrived_at"]


def test_a_position_is_exact_up_to_a_hundred_and_says_so_beyond(desk: FrontDesk):
    ids = [call(desk).json["id"] for _ in range(103)]
    desk.match_sent()

    def place(call_id: str) -> tuple[int, bool]:
        told = desk.ask("GET", f"/calls/{call_id}", claims=CALLER_APP).json
        return told["position"], told["position_is_at_least"]

    assert [place(ids[n]) for n in (98, 99, 100, 102)] == [
        (99, False),
        (100, False),
        (101, True),
        (101, True),
    ]


def test_a_head_start_counts_as_an_earlier_arrival(desk: FrontDesk):
    call(desk)
    vip = call(desk, {**SPANISH, "head_start_seconds": 90}, claims=VIP_APP).json["id"]
    desk.match_sent()

    told = desk.ask("GET", f"/calls/{vip}", claims=CALLER_APP).json

    assert (told["position"], told["head_start_seconds"]) == (1, 90)
    assert (told["arrived_at"][:19], told["effective_arrival_at"][:19]) == (
        "2023-11-14T22:13:20",
        "2023-11-14T22:11:50",
    )


def test_a_head_start_needs_its_own_scope_and_none_needs_none(desk: FrontDesk):
    before = desk.contents()

    refused = call(desk, {**SPANISH, "head_start_seconds": 1})

    assert (refused.status, refused.json["detail"]) == (403, "a head start needs the scope head_start")
    assert desk.contents() == before
    assert call(desk, {**SPANISH, "head_start_seconds": 0}).status == 202


def test_repeating_a_request_under_its_key_meets_its_own_call(desk: FrontDesk):
    key = {"Idempotency-Key": "order-7,retry"}
    first = call(desk, {"requirement": {"language": ["es", "en"]}}, headers=key)

    again = call(desk, {"requirement": {"language": ["en", "es"]}, "if_no_agent": "wait"}, headers=key)

    assert (again.status, again.json) == (202, first.json)
    assert again.headers["Location"] == first.headers["Location"]
    assert len({sent.id for sent, _ in desk.queues.sent}) == 1


def test_a_repeated_request_is_told_where_the_call_stands_by_now(desk: FrontDesk):
    key = {"Idempotency-Key": "order-7"}
    call(desk, headers=key)
    desk.match_sent()

    again = call(desk, headers=key).json

    assert (again["status"], again["position"]) == ("waiting", 1)
    assert desk.queues.sent == []


@pytest.mark.parametrize(
    "other",
    [
        {"requirement": {"language": ["fr"]}},
        {**SPANISH, "channel": "chat"},
        {**SPANISH, "head_start_seconds": 5},
        {**SPANISH, "if_no_agent": "refuse"},
    ],
)
def test_the_same_key_with_another_body_is_refused(desk: FrontDesk, other: object):
    key = {"Idempotency-Key": "order-7"}
    call(desk, headers=key, claims=VIP_APP)
    before = desk.contents()

    refused = call(desk, other, headers=key, claims=VIP_APP)

    assert refused.status == 422
    assert refused.json["errors"] == [
        {"field": "Idempotency-Key", "reason": "was used before, for another request"}
    ]
    assert desk.contents() == before


def test_the_same_key_of_another_client_is_another_call(desk: FrontDesk):
    key = {"Idempotency-Key": "order-7"}

    assert call(desk, headers=key).json["id"] != call(desk, headers=key, claims=OTHER_CALLER_APP).json["id"]


def test_another_clients_call_does_not_exist(desk: FrontDesk):
    path = call(desk).headers["Location"]
    before = desk.contents()

    for verb in ("GET", "DELETE"):
        refused = desk.ask(verb, path, claims=OTHER_CALLER_APP)
        assert (refused.status, refused.json["type"]) == (404, "/problems/not-found")
    assert desk.contents() == before


def test_hanging_up_abandons_a_call_that_nobody_serves_yet_and_twice_is_once(desk: FrontDesk):
    path = call(desk).headers["Location"]
    desk.match_sent()

    ended = desk.ask("DELETE", path, claims=CALLER_APP)
    before = desk.contents()
    again = desk.ask("DELETE", path, claims=CALLER_APP)

    assert (ended.status, ended.json["status"], ended.json["position"]) == (200, "abandoned", None)
    assert ended.json["ended_at"] is not None
    assert (again.status, again.json) == (200, ended.json)
    assert desk.contents() == before


def test_a_connected_call_names_its_agent_and_when_the_look_began(desk: FrontDesk):
    available(desk)
    path = call(desk).headers["Location"]
    desk.match_sent()

    told = desk.ask("GET", path, claims=CALLER_APP).json

    assert (told["status"], told["agent"], told["position"]) == ("connected", "ana", None)
    assert told["arrived_at"] < told["look_started_at"] < told["connected_at"]


def test_hanging_up_a_connected_call_completes_it(desk: FrontDesk):
    available(desk)
    path = call(desk).headers["Location"]
    desk.match_sent()

    assert desk.ask("DELETE", path, claims=CALLER_APP).json["status"] == "completed"
    assert desk.ask("GET", "/agents/ana").json["status"] == "wrap_up"


@pytest.mark.parametrize("who", [agent("ana"), None])
def test_the_agent_or_a_supervisor_completes_a_call_and_twice_is_once(desk: FrontDesk, who: object):
    available(desk)
    path = call(desk).headers["Location"] + "/complete"
    desk.match_sent()
    asker = {"claims": who} if who else {}

    ended = desk.ask("POST", path, **asker)

    assert (ended.status, ended.json["status"], ended.json["agent"]) == (200, "completed", "ana")
    assert desk.ask("POST", path, **asker).json == ended.json


def test_another_agents_call_cannot_be_completed(desk: FrontDesk):
    available(desk)
    path = call(desk).headers["Location"] + "/complete"
    desk.match_sent()
    before = desk.contents()

    assert desk.ask("POST", path, claims=agent("ben")).status == 404
    assert desk.contents() == before


def test_a_call_that_is_not_connected_cannot_be_completed(desk: FrontDesk):
    path = call(desk).headers["Location"] + "/complete"
    desk.match_sent()
    before = desk.contents()

    refused = desk.ask("POST", path)

    assert (refused.status, refused.json["type"], refused.json["current_status"]) == (
        409,
        "/problems/illegal-move",
        "waiting",
    )
    assert desk.contents() == before


def test_one_queue_more_than_there_may_be_is_refused(desk: FrontDesk):
    for language in ("es", "en", "fr"):
        assert call(desk, {"requirement": {"language": [language]}}).status == 202
    before = desk.contents()

    refused = call(desk, {"requirement": {"language": ["de"]}})

    assert (refused.status, refused.json["type"]) == (409, "/problems/catalog-full")
    assert desk.contents() == before


def test_a_queue_that_another_function_just_made_is_known_here(desk: FrontDesk):
    desk.world.catalog.fresh()
    request = calling.CallRequest(
        client=CALLER_APP["sub"],
        channel="voice",
        requirement=Requirement.parse({"channel": ["voice"], "language": ["eo"]}),
        body="b",
    )
    elsewhere = world_on(desk.floor, clock=desk.clock, seed=1)
    made = calling.request_call(elsewhere, desk.queues, request, max_queues=3).call

    told = desk.ask("GET", f"/calls/{made.id}", claims=CALLER_APP).json

    assert told["requirement"] == {"language": ["eo"]}


def test_a_call_that_was_matched_before_its_queue_was_catalogued_has_no_requirement_to_tell(desk: FrontDesk):
    call_id, client = "from-the-queue", CALLER_APP["sub"]
    desk.floor.commit(None, Call.request(call_id, client, "voice", "A" * 26, arrived_at=desk.clock()))

    answer = desk.ask("GET", f"/calls/{call_id}", claims=CALLER_APP)

    assert (answer.status, answer.json["requirement"]) == (200, None)
