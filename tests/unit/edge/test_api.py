"""Routes behind the events of an HTTP API: rights, refusals, and the line in the log."""

import json
from typing import Any

import pytest
from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.request import Request
from pydantic import BaseModel

from edge.api import Api, asker_of
from edge.fields import Body
from edge.identity import SUPERVISOR, Tokens
from edge.routing import Route, Tag, answered, routes_of
from switchboard.domain.refusals import Contention, NotFound
from switchboard.ports import Unavailable
from tests.unit.handlers.front_desk import NOBODY, FakeContext, event
from tests.unit.handlers.front_desk import SUPERVISOR as SUE


class Words(Body):
    words: str


class Echo(BaseModel):
    words: str


class ParrotRoutes:
    def __init__(self) -> None:
        self.raises: Exception | None = None
        self.heard: list[str] = []

    @Route("PUT", "/parrots/{id}", tag=Tag.LINES, summary="Teach", right=SUPERVISOR, has_body=True)
    def put_parrot(self, request: Request, id: str, body: Words) -> Response[Echo]:
        """Repeats."""
        if self.raises:
            raise self.raises
        self.heard.append(f"{id} heard {body.words} from {asker_of(request).client}")
        return answered(Echo(words=body.words))

    @Route("GET", "/parrots", tag=Tag.LINES, summary="List")
    def get_parrots(self) -> Response[Echo]:
        """Breaks its own promise about what it answers."""
        return answered({"no": "words"})  # pyright: ignore[reportReturnType]


@pytest.fixture
def parrots() -> ParrotRoutes:
    return ParrotRoutes()


@pytest.fixture
def api(parrots: ParrotRoutes) -> Api:
    return Api(parrots, tokens=Tokens("switchboard/", "cognito:groups", "username"))


def teach(api: Api, body: str = '{"words":"hello"}', **request: Any) -> dict[str, Any]:
    request = {"claims": SUE, **request}
    return api.answer(
        event("PUT", "/parrots/polly", body=body, route_key="PUT /parrots/{id}", **request), FakeContext()
    )


def test_a_route_gets_what_was_sent_and_who_sent_it(api: Api, parrots: ParrotRoutes):
    answer = teach(api)

    assert (answer["statusCode"], answer["body"]) == (200, '{"words":"hello"}')
    assert parrots.heard == ["polly heard hello from 6f0c"]


@pytest.mark.parametrize("body", ['{"words":"hello"}', "{", "{}", "[]"])
def test_who_may_not_is_refused_before_anything_else_is_looked_at(api: Api, parrots: ParrotRoutes, body: str):
    assert teach(api, body, claims=NOBODY)["statusCode"] == 403
    assert teach(api, body, claims=None)["statusCode"] == 401
    assert parrots.heard == []


def test_one_request_leaves_nothing_behind_for_the_next(api: Api):
    assert teach(api)["statusCode"] == 200
    assert teach(api, claims=NOBODY)["statusCode"] == 403
    assert teach(api, "{")["statusCode"] == 400
    assert teach(api, claims=None)["statusCode"] == 401
    assert teach(api)["statusCode"] == 200


@pytest.mark.parametrize(
    ("error", "status"), [(Contention("busy"), 503), (Unavailable("down"), 503), (NotFound("no polly"), 404)]
)
def test_what_a_use_case_raises_is_answered_by_its_type(
    api: Api, parrots: ParrotRoutes, error: Exception, status: int
):
    parrots.raises = error

    answer = teach(api)

    assert answer["statusCode"] == status
    assert answer["headers"].get("Retry-After") == ("1" if status == 503 else None)


def test_what_nobody_expected_is_500_without_a_traceback_which_is_in_the_log(
    api: Api, parrots: ParrotRoutes, caplog: pytest.LogCaptureFixture
):
    parrots.raises = RuntimeError("the cage is open")

    answer = teach(api)

    assert answer["statusCode"] == 500
    assert json.loads(answer["body"])["type"] == "/problems/internal"
    assert "cage" not in answer["body"]
    [failed] = [record for record in caplog.records if record.message == "failed"]
    assert failed.exc_info
    assert failed.exc_info[1] is parrots.raises


def test_an_answer_that_is_not_what_was_promised_is_500(api: Api):
    answer = api.answer(event("GET", "/parrots", claims=NOBODY), FakeContext())

    assert (answer["statusCode"], json.loads(answer["body"])["type"]) == (500, "/problems/internal")


def test_an_event_of_another_kind_is_500(api: Api):
    assert api.answer({"Records": []}, FakeContext())["statusCode"] == 500


def test_each_request_is_one_line_in_the_log_with_neither_body_nor_token_nor_name(
    api: Api, caplog: pytest.LogCaptureFixture
):
    teach(api, '{"words":"my PIN is 4711"}', headers={"authorization": "Bearer abc.def.ghi"})

    lines = [vars(record) for record in caplog.records]
    [line] = [line for line in lines if line["message"] == "answered"]
    assert (line["status"], line["route"], line["who"]) == (200, "PUT /parrots/{id}", ["supervisor"])
    assert 0 < line["duration_ms"] < 10_000
    everything = str(lines)
    assert not [secret for secret in ("4711", "abc.def", "sue", "6f0c", "polly") if secret in everything]


def test_routes_are_found_in_the_order_in_which_they_stand(parrots: ParrotRoutes):
    assert [(route.verb, function.__name__) for route, function in routes_of(parrots)] == [
        ("PUT", "put_parrot"),
        ("GET", "get_parrots"),
    ]


def test_a_path_of_any_characters_is_told_as_a_uri(api: Api):
    answer = api.answer(event("GET", "/so è/<b>/%00?", claims=NOBODY), FakeContext())

    assert json.loads(answer["body"])["instance"] == "/so%20%C3%A8/%3Cb%3E/%00%3F"


@pytest.mark.parametrize(
    ("path", "matches"),
    [
        ("/parrots/polly", True),
        ("/parrots/", False),
        ("/parrots/a/b", False),
        ("/parrots", False),
        ("/x", False),
    ],
)
def test_a_path_matches_segment_by_segment(path: str, matches: bool):
    route = Route("GET", "/parrots/{id}", tag=Tag.LINES, summary="Read")

    assert route.matches(path) is matches
