"""Bad input: each is refused with a problem that says what and where, and nothing is written."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from edge.problems import MAX_ERRORS
from tests.unit.handlers.front_desk import CALLER_APP, VIP_APP, Answer, FrontDesk

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")

ANA = {"name": "Ana", "profile": {"language": ["es"]}}
CALL = {"requirement": {"language": ["es"]}}

type Ask = Callable[..., Answer]


@pytest.fixture
def refused(desk: FrontDesk) -> Ask:
    """Asks, on a floor with an agent and a call, for what has to be refused without a trace."""
    desk.ask("PUT", "/agents/ana", ANA)
    desk.ask("POST", "/calls", CALL, claims=CALLER_APP)

    def ask(verb: str, path: str, body: object = None, **request: Any) -> Answer:
        before = desk.contents()
        answer = desk.ask(verb, path, body, **request)
        assert desk.contents() == before
        assert answer.headers["Content-Type"] == "application/problem+json"
        problem = answer.json
        assert problem["status"] == answer.status
        assert {"type", "title", "status", "detail", "instance", "request_id"} <= problem.keys()
        assert problem["type"].startswith("/problems/")
        return answer

    return ask


def profile(value: object) -> dict[str, object]:
    return {"name": "Ana", "profile": value}


def requirement(value: object) -> dict[str, object]:
    return {"requirement": value}


AGENTS: list[tuple[object, str, str]] = [
    ({}, "name", "is missing"),
    ({"name": "Ana"}, "profile", "is missing"),
    ({"name": 5, "profile": {}}, "name", "must be a valid string"),
    ({"name": None, "profile": {}}, "name", "must be a valid string"),
    ({"name": ["Ana"], "profile": {}}, "name", "must be a valid string"),
    ({"name": "", "profile": {}}, "name", "must have 1 to 128 characters"),
    ({"name": " \t ", "profile": {}}, "name", "control"),
    ({"name": "   ", "profile": {}}, "name", "must have 1 to 128 characters"),
    ({"name": "x" * 129, "profile": {}}, "name", "must have 1 to 128 characters"),
    ({"name": "x" * 60_000, "profile": {}}, "name", "must have at most 128 characters"),
    ({"name": "Ana\x00", "profile": {}}, "name", "control"),
    ({"name": "Ana\u0085", "profile": {}}, "name", "control"),
    ({"name": "Ana\ufdd0", "profile": {}}, "name", "unassigned"),
    ({**ANA, "status": "available"}, "status", "is not a field of this request"),
    (profile(None), "profile", "must be a valid dictionary"),
    (profile([]), "profile", "must be a valid dictionary"),
    (profile("es"), "profile", "must be a valid dictionary"),
    (profile({"": ["x"]}), "profile.", "must be 1 to 64 of the characters"),
    (profile({"two words": ["x"]}), "profile.two words", "must be 1 to 64 of the characters"),
    (profile({"x" * 65: ["x"]}), "profile." + "x" * 64, "must be 1 to 64 of the characters"),
    (profile({"language": []}), "profile.language", "must have 1 to 50 values"),
    (profile({"language": ["v"] * 10_000}), "profile.language", "must have 1 to 50 values"),
    (profile({"language": ["es", "en", ""]}), "profile.language[2]", "must have 1 to 64 characters"),
    (profile({"language": ["es", "x" * 65]}), "profile.language[1]", "must have 1 to 64 characters"),
    (profile({"language": ["es\n"]}), "profile.language[0]", "control"),
    (profile({"language": [5]}), "profile.language[0]", "must be text"),
    (profile({"language": [None]}), "profile.language[0]", "must be text"),
    (profile({"language": {"any": ["es"]}}), "profile.language", "must be a value or a list"),
    (profile({"language": True}), "profile.language", "must be a value or a list"),
    (profile({"language": None}), "profile.language", "must be a value or a list"),
    (profile({"billing": -1}), "profile.billing", "must be a whole number from 1 to 10"),
    (profile({"billing": 0}), "profile.billing", "must be a whole number from 1 to 10"),
    (profile({"billing": 11}), "profile.billing", "must be a whole number from 1 to 10"),
    (profile({"billing": 2.5}), "profile.billing", "must be a value or a list"),
    (profile({f"a{n}": ["x"] for n in range(20)}), "profile", "must have at most 20 attributes"),
    (profile({f"a{n}": ["x"] for n in range(4000)}), "profile", "must have at most 20 attributes"),
    (profile({"language": [f"{n:064d}" for n in range(50)]}), "profile", "must fit in 1024 bytes"),
    (profile({"channel": ["voice", "fax"]}), "profile.channel", "must be some of voice, chat"),
    (profile({"channel": 3}), "profile.channel", "must be some of voice, chat"),
]


@pytest.mark.parametrize(("body", "field", "reason"), AGENTS)
def test_an_agent_that_makes_no_sense_is_refused_by_field(
    refused: Ask, body: object, field: str, reason: str
):
    answer = refused("PUT", "/agents/ben", body)

    assert (answer.status, answer.json["type"]) == (422, "/problems/invalid")
    [error] = [error for error in answer.json["errors"] if error["field"] == field]
    assert reason in error["reason"]


CALLS: list[tuple[object, str, str]] = [
    ({}, "requirement", "is missing"),
    ({**CALL, "priority": 1}, "priority", "is not a field of this request"),
    ({**CALL, "client": "somebody"}, "client", "is not a field of this request"),
    ({**CALL, "channel": "fax"}, "channel", "must be one of voice, chat"),
    ({**CALL, "channel": ""}, "channel", "must be one of voice, chat"),
    ({**CALL, "channel": 1}, "channel", "must be a valid string"),
    ({**CALL, "head_start_seconds": -1}, "head_start_seconds", "must be greater than or equal to 0"),
    ({**CALL, "head_start_seconds": 3601}, "head_start_seconds", "must be at most 3600"),
    ({**CALL, "head_start_seconds": 10**300}, "head_start_seconds", "must be"),
    ({**CALL, "head_start_seconds": 1.5}, "head_start_seconds", "must be a valid integer"),
    ({**CALL, "head_start_seconds": "5"}, "head_start_seconds", "must be a valid integer"),
    ({**CALL, "head_start_seconds": True}, "head_start_seconds", "must be a valid integer"),
    ({**CALL, "head_start_seconds": None}, "head_start_seconds", "must be a valid integer"),
    ({**CALL, "if_no_agent": "hope"}, "if_no_agent", "must be 'wait' or 'refuse'"),
    ({**CALL, "if_no_agent": None}, "if_no_agent", "must be 'wait' or 'refuse'"),
    (requirement(None), "requirement", "must be a valid dictionary"),
    (requirement(["es"]), "requirement", "must be a valid dictionary"),
    (requirement({"channel": ["chat"]}), "requirement.channel", "is not part of the requirement"),
    (requirement({"language": ["es"] * 51}), "requirement.language", "must have 1 to 50 values"),
    (requirement({"language": ["es"] * 10_000}), "requirement.language", "must have 1 to 50 values"),
    (requirement({"language": ["a", "b", ""]}), "requirement.language[2]", "must have 1 to 64 characters"),
    (requirement({"language": {"all": []}}), "requirement.language.all", "must have 1 to 50 values"),
    (requirement({"language": {"all": ["a", 1]}}), "requirement.language.all[1]", "must be text"),
    (requirement({"language": {"none": ["a"]}}), "requirement.language", "an object with one of"),
    (requirement({"language": {}}), "requirement.language", "an object with one of"),
    (
        requirement({"language": {"any": ["a"], "all": ["b"]}}),
        "requirement.language",
        "an object with one of",
    ),
    (requirement({"billing": {"min": -2}}), "requirement.billing.min", "must be a whole number"),
    (requirement({"billing": 3}), "requirement.billing", "must be a value or a list"),
]


@pytest.mark.parametrize(("body", "field", "reason"), CALLS)
def test_a_call_that_makes_no_sense_is_refused_by_field(refused: Ask, body: object, field: str, reason: str):
    answer = refused("POST", "/calls", body, claims=VIP_APP)

    assert (answer.status, answer.json["type"]) == (422, "/problems/invalid")
    [error] = [error for error in answer.json["errors"] if error["field"] == field]
    assert reason in error["reason"]


@pytest.mark.parametrize("key", ["", "two words", "tab\t", "é", "x" * 129, "\x7f"])
def test_a_key_that_is_no_visible_ascii_of_bounded_length_is_refused(refused: Ask, key: str):
    answer = refused("POST", "/calls", CALL, headers={"Idempotency-Key": key}, claims=CALLER_APP)

    assert answer.status == 422
    assert answer.json["errors"][0]["field"] == "Idempotency-Key"


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("queues", {"order": "random"}, "order"),
        ("queues", {"order": 1}, "order"),
        ("queues", {"label": ""}, "label"),
        ("queues", {"label": "x" * 129}, "label"),
        ("queues", {"label": "\x1b[31m"}, "label"),
        ("queues", {"label": 7}, "label"),
        ("queues", {"requirement": {}}, "requirement"),
        ("pools", {"label": "\n"}, "label"),
        ("pools", {"order": "latest_idle"}, "order"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_field(
    desk: FrontDesk, refused: Ask, path: str, body: object, field: str
):
    [line] = desk.ask("GET", f"/{path}").json[path]

    answer = refused("PUT", f"/{path}/{line['key']}", body)

    assert (answer.status, answer.json["errors"][0]["field"]) == (422, field)


@pytest.mark.parametrize("status", ["attending", "wrap_up", "AVAILABLE", "", None, 1, ["available"]])
def test_nobody_can_choose_to_be_what_only_a_call_makes_them(refused: Ask, status: object):
    answer = refused("PUT", "/agents/ana/status", {"status": status})

    assert answer.status == 422
    assert answer.json["errors"] == [
        {"field": "status", "reason": "must be 'available', 'away' or 'offline'"}
    ]


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("{", "the body is not JSON: Expecting property name enclosed in double quotes (character 1)"),
        ("name=Ana", "the body is not JSON: Expecting value (character 0)"),
        ('{"name": "Ana" "profile": {}}', "the body is not JSON: Expecting ',' delimiter (character 15)"),
        (
            '{"name": "A\x00na", "profile": {}}',
            "the body is not JSON: Invalid control character at (character 11)",
        ),
        ("'{}'", "the body is not JSON: Expecting value (character 0)"),
        ("   ", "the body is not JSON: Expecting value (character 3)"),
        ('{"name": "Ana", "profile": {"billing": NaN}}', "the body is not JSON: NaN is no JSON number"),
        (
            '{"name": "Ana", "profile": {"billing": -Infinity}}',
            "the body is not JSON: -Infinity is no JSON number",
        ),
        ('{"name": "Ana", "name": "Eve", "profile": {}}', "a key stands twice in one object of the body"),
        ('{"name": "Ana", "profile": {"a": "x", "a": "y"}}', "a key stands twice in one object of the body"),
        (r'{"name": "\ud800", "profile": {}}', "the body holds half of a surrogate pair"),
        (r'{"name": "Ana", "profile": {"\udc00": "x"}}', "the body holds half of a surrogate pair"),
        ('{"name": "\ud800", "profile": {}}', "the body cannot be read"),
        ("[" * 60_000, "the body is not JSON: a number or nesting beyond all bounds"),
        ('{"name": ' + "9" * 5_000 + "}", "the body is not JSON: a number or nesting beyond all bounds"),
        (b"\xff\xfe{}", "the body is not UTF-8"),
    ],
)
def test_a_body_that_is_no_json_is_400(refused: Ask, text: str | bytes, detail: str):
    answer = refused("PUT", "/agents/ben", text)

    assert (answer.status, answer.json["type"]) == (400, "/problems/malformed")
    assert answer.json["detail"] == detail


def test_a_body_that_is_no_base64_is_400(refused: Ask, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tests.unit.handlers.front_desk.encoded", bytes.decode)

    assert refused("PUT", "/agents/ben", b"not base64!").status == 400


@pytest.mark.parametrize("text", ["[]", '[{"name": "Ana", "profile": {}}]', '"Ana"', "null", "5", "true"])
def test_a_body_that_is_no_object_is_422(refused: Ask, text: str):
    answer = refused("PUT", "/agents/ben", text)

    assert answer.status == 422
    assert answer.json["errors"] == [{"field": "body", "reason": "must be a JSON object"}]


@pytest.mark.parametrize("text", [None, ""])
def test_a_body_that_is_missing_is_422(refused: Ask, text: str | None):
    answer = refused("PUT", "/agents/ben", text)

    assert answer.status == 422
    assert answer.json["errors"] == [{"field": "body", "reason": "is missing"}]


def test_deep_nesting_is_refused_as_what_it_stands_for(refused: Ask):
    text = '{"name": "Ana", "profile": {"a": ' + "[" * 2_000 + "]" * 2_000 + "}}"

    assert refused("PUT", "/agents/ben", text).json["errors"] == [
        {"field": "profile.a[0]", "reason": "must be text"}
    ]


@pytest.mark.parametrize("as_bytes", [True, False])
@pytest.mark.parametrize(("verb", "path"), [("PUT", "/agents/ben"), ("POST", "/calls")])
def test_a_body_over_64_kib_is_413_whatever_is_in_it(refused: Ask, verb: str, path: str, as_bytes: bool):
    text = "é" * 33_000
    claims = {"claims": CALLER_APP} if path == "/calls" else {}

    answer = refused(verb, path, text.encode() if as_bytes else text, **claims)

    assert (answer.status, answer.json["type"]) == (413, "/problems/too-large")


def test_a_body_that_nobody_asked_for_is_not_looked_at(desk: FrontDesk):
    desk.ask("PUT", "/agents/ana", ANA)

    for body in ("{", "x" * 70_000, b"\xff"):
        assert desk.ask("GET", "/agents/ana", body, headers={"content-type": "text/plain"}).status == 200


@pytest.mark.parametrize(
    "content_type", ["application/x-www-form-urlencoded", "multipart/form-data", "text/plain", ""]
)
def test_a_body_of_another_type_is_415(refused: Ask, content_type: str):
    answer = refused("PUT", "/agents/ben", ANA, headers={"content-type": content_type})

    assert (answer.status, answer.json["type"]) == (415, "/problems/not-json")


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/merge-patch+json"]
)
@pytest.mark.parametrize("as_bytes", [True, False])
def test_json_by_any_name_is_read_encoded_or_not(desk: FrontDesk, content_type: str, as_bytes: bool):
    text = json.dumps({"name": "Åsa", "profile": {}}, ensure_ascii=False)

    answer = desk.ask(
        "PUT", "/agents/ben", text.encode() if as_bytes else text, headers={"content-type": content_type}
    )

    assert (answer.status, answer.json["name"]) == (201, "Åsa")


@pytest.mark.parametrize("bad", ["a b", "a%20b", "x" * 65, "a.b", "ü", "a:b"])
@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("PUT", "/agents/{}", ANA),
        ("GET", "/agents/{}", None),
        ("DELETE", "/agents/{}", None),
        ("PUT", "/agents/{}/status", {"status": "away"}),
        ("GET", "/calls/{}", None),
        ("DELETE", "/calls/{}", None),
        ("POST", "/calls/{}/complete", None),
    ],
)
def test_an_id_that_cannot_be_one_is_422(refused: Ask, verb: str, path: str, body: object, bad: str):
    own = path.startswith("/calls") and verb != "POST"

    answer = refused(verb, path.format(bad), body, **({"claims": CALLER_APP} if own else {}))

    assert answer.status == 422
    assert answer.json["errors"] == [{"field": "id", "reason": "must match pattern '^[A-Za-z0-9_-]{1,64}$'"}]


@pytest.mark.parametrize("key", ["short", "a" * 26, "A" * 27, "1" * 26])
@pytest.mark.parametrize("kind", ["queues", "pools"])
def test_a_key_that_cannot_be_one_is_422(refused: Ask, kind: str, key: str):
    answer = refused("GET", f"/{kind}/{key}")

    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "key")


@pytest.mark.parametrize(
    ("verb", "path", "body"),
    [
        ("GET", "/agents/zoe", None),
        ("DELETE", "/agents/zoe", None),
        ("PUT", "/agents/zoe/status", {"status": "available"}),
        ("PUT", "/agents/zoe/status", {"status": "offline"}),
        ("GET", "/calls/zoe", None),
        ("DELETE", "/calls/zoe", None),
        ("POST", "/calls/zoe/complete", None),
    ],
)
def test_an_unknown_id_is_404(refused: Ask, verb: str, path: str, body: object):
    own = path.startswith("/calls") and verb != "POST"

    answer = refused(verb, path, body, **({"claims": CALLER_APP} if own else {}))

    assert (answer.status, answer.json["type"]) == (404, "/problems/not-found")


@pytest.mark.parametrize(
    "query", [{"limit": "0"}, {"limit": "101"}, {"limit": "-1"}, {"limit": "ten"}, {"limit": "1,2"}]
)
def test_a_page_of_no_such_size_is_422(refused: Ask, query: dict[str, str]):
    answer = refused("GET", "/agents", query=query)

    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "limit")


def test_a_page_behind_what_is_no_id_is_422(refused: Ask):
    answer = refused("GET", "/agents", query={"after": "a b"})

    assert (answer.status, answer.json["errors"][0]["field"]) == (422, "after")


def test_one_pool_more_than_there_may_be_is_refused(desk: FrontDesk, refused: Ask):
    for level in range(1, 5):
        assert desk.ask("PUT", "/agents/ben", profile({"billing": level})).status in (200, 201)

    answer = refused("PUT", "/agents/cleo", profile({"billing": 5}))

    assert (answer.status, answer.json["type"]) == (409, "/problems/catalog-full")
    assert "5 distinct pools" in answer.json["detail"]


def test_an_agent_who_is_signed_in_cannot_be_removed(desk: FrontDesk, refused: Ask):
    desk.ask("PUT", "/agents/ana/status", {"status": "away"})

    answer = refused("DELETE", "/agents/ana")

    assert (answer.status, answer.json["type"]) == (409, "/problems/illegal-move")
    assert answer.json["current_status"] == "away"


@pytest.mark.parametrize("status", ["available", "away", "offline"])
def test_an_agent_who_attends_a_call_cannot_leave_it(desk: FrontDesk, refused: Ask, status: str):
    desk.ask("PUT", "/agents/ana/status", {"status": "available"})
    desk.match_sent()

    answer = refused("PUT", "/agents/ana/status", {"status": status})

    assert (answer.status, answer.json["type"], answer.json["current_status"]) == (
        409,
        "/problems/illegal-move",
        "attending",
    )


def test_many_errors_are_told_up_to_a_bound(refused: Ask):
    answer = refused("PUT", "/agents/ben", {**ANA, **{f"f{n}": n for n in range(3_000)}})

    assert answer.status == 422
    assert len(answer.json["errors"]) == MAX_ERRORS
    assert answer.json["detail"].endswith("(and 2999 more)")


def test_what_was_sent_is_not_repeated(refused: Ask):
    secret = "correct-horse-battery"

    for body in (
        {"name": {"x": secret}, "profile": secret},
        profile({"language": [{"x": secret}]}),
        profile({"language": [secret + "\x00"]}),
        secret,
        f'{{"name": "{secret}',
    ):
        assert secret not in refused("PUT", "/agents/ben", body).text
    assert secret not in refused("PUT", "/agents/ana/status", {"status": secret}).text
    assert secret not in refused("GET", "/agents", query={"limit": secret}).text
