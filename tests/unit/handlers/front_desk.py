"""The HTTP API without AWS: the four handlers behind what API Gateway does, on a floor in memory."""

from __future__ import annotations

import base64
import copy
import importlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
from aws_lambda_powertools.utilities.typing import LambdaContext

from edge.document import all_routes
from switchboard import bootstrap
from switchboard.adapters.memory_floor import MemoryFloor
from switchboard.domain.calls import Call
from switchboard.domain.catalog import Queue
from switchboard.domain.skills import Requirement
from switchboard.matching import Incoming, match
from switchboard.ports import CallQueues
from switchboard.world import World
from tests.support.worlds import Clock, world_on

ENVIRONMENT = {
    "agent_availability": {
        "TABLE_NAME": "floor",
        "CHANNELS": '["voice", "chat"]',
        "MAX_POOLS": "5",
        "JOIN_GRACE_SECONDS": "60",
        "ENDED_CALL_DAYS": "21",
    },
    "calls_api": {
        "TABLE_NAME": "floor",
        "CALL_QUEUES": json.dumps(
            {
                channel: {
                    "arn": f"arn:aws:sqs:eu-west-1:123456789012:{channel}.fifo",
                    "url": f"https://sqs.eu-west-1.amazonaws.com/123456789012/{channel}.fifo",
                    "dead_letters": f"https://sqs.eu-west-1.amazonaws.com/123456789012/{channel}-dead.fifo",
                }
                for channel in ("voice", "chat")
            }
        ),
        "MAX_QUEUES": "3",
        "MAX_HEAD_START_SECONDS": "3600",
        "JOIN_GRACE_SECONDS": "60",
        "ENDED_CALL_DAYS": "21",
    },
    "line_settings": {"TABLE_NAME": "floor", "JOIN_GRACE_SECONDS": "60", "ENDED_CALL_DAYS": "21"},
    "api_document": {},
}
AUTHORIZATION = {
    "SCOPE_PREFIX": "switchboard/",
    "GROUPS_CLAIM": "cognito:groups",
    "AGENT_ID_CLAIM": "username",
}
LAMBDA = {
    "AWS_DEFAULT_REGION": "eu-west-1",
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "POWERTOOLS_SERVICE_NAME": "test",
    "POWERTOOLS_METRICS_NAMESPACE": "Switchboard",
    "POWERTOOLS_TRACE_DISABLED": "true",
}
OWNERS = {
    "agents": "agent_availability",
    "calls": "calls_api",
    "queues": "line_settings",
    "pools": "line_settings",
}

type Claims = Mapping[str, str]

SUPERVISOR: Claims = {"sub": "6f0c", "username": "sue", "cognito:groups": "[supervisors]"}
SUPERVISING_APP: Claims = {"sub": "machine-1", "scope": "switchboard/supervise switchboard/operate"}
CALLER_APP: Claims = {"sub": "machine-2", "scope": "switchboard/calls"}
OTHER_CALLER_APP: Claims = {"sub": "machine-3", "scope": "switchboard/calls"}
VIP_APP: Claims = {"sub": "machine-2", "scope": "switchboard/calls switchboard/head_start"}
OPERATOR: Claims = {"sub": "77aa", "username": "oda", "cognito:groups": "[operators]"}
NOBODY: Claims = {"sub": "91bd", "username": "ned", "scope": "openid profile"}


def agent(agent_id: str) -> Claims:
    return {
        "sub": f"sub-{agent_id}",
        "username": agent_id,
        "cognito:groups": "[staff agents]",
        "scope": "openid",
    }


class FakeContext(LambdaContext):
    """What Lambda tells a function of the invocation."""

    def __init__(self) -> None:
        self._function_name = "function"
        self._memory_limit_in_mb = 1024
        self._invoked_function_arn = "arn:aws:lambda:eu-west-1:123456789012:function:function"
        self._aws_request_id = "52fdfc07-2182-154f-163f-5f0f9a621d72"


@dataclass(frozen=True)
class Answer:
    """A response, as the client sees it."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass
class SentCalls:
    """Call queues that only remember."""

    sent: list[tuple[Call, str]] = field(default_factory=list[tuple[Call, str]])

    def send(self, call: Call, requirement_text: str) -> None:
        self.sent.append((call, requirement_text))


def event(
    verb: str,
    path: str,
    *,
    body: str | bytes | None = None,
    claims: Claims | None = None,
    headers: Mapping[str, str] | None = None,
    query: Mapping[str, str] | None = None,
    route_key: str = "$default",
) -> dict[str, Any]:
    """A request as API Gateway hands it to a function, payload 2.0; bytes are a body that it took for binary."""
    known = {"host": "api.example.com", "user-agent": "test", "x-forwarded-for": "203.0.113.9"}
    context: dict[str, Any] = {
        "accountId": "123456789012",
        "apiId": "a1b2c3",
        "domainName": "a1b2c3.execute-api.eu-west-1.amazonaws.com",
        "http": {
            "method": verb,
            "path": path,
            "protocol": "HTTP/1.1",
            "sourceIp": "203.0.113.9",
            "userAgent": "test",
        },
        "requestId": "JKJaXmPLvHcESHA=",
        "routeKey": route_key,
        "stage": "$default",
        "time": "21/Nov/2026:13:00:00 +0000",
        "timeEpoch": 1795266000000,
    }
    if claims is not None:
        context["authorizer"] = {"jwt": {"claims": dict(claims), "scopes": None}}
    request: dict[str, Any] = {
        "version": "2.0",
        "routeKey": route_key,
        "rawPath": path,
        "rawQueryString": "&".join(f"{name}={value}" for name, value in (query or {}).items()),
        "headers": {**known, **(headers or {})},
        "requestContext": context,
        "isBase64Encoded": isinstance(body, bytes),
    }
    if query:
        request["queryStringParameters"] = dict(query)
    if body is not None:
        request["body"] = encoded(body) if isinstance(body, bytes) else body
    return request


def encoded(body: bytes) -> str:
    return base64.b64encode(body).decode()


class FrontDesk:
    """Sends requests to the function that owns the route, and sees what they leave behind."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.floor = MemoryFloor()
        self.clock = Clock()
        self.world = world_on(self.floor, clock=self.clock)
        self.queues = SentCalls()
        patch.setattr(bootstrap, "world", self._world)
        patch.setattr(bootstrap, "call_queues", self._call_queues)
        self._handlers = {job: load(job, patch) for job in ENVIRONMENT}

    def _world(self, *_: object) -> World:
        return self.world

    def _call_queues(self, *_: object, **__: object) -> CallQueues:
        return self.queues

    def ask(self, verb: str, path: str, body: object = None, **request: Any) -> Answer:
        """`body` is sent as JSON unless it is text or bytes. Without `claims` it is a supervisor who asks."""
        if body is not None and not isinstance(body, str | bytes):
            body = json.dumps(body)
        known = next((r for r in all_routes() if r.verb == verb and r.matches(path)), None)
        job = OWNERS.get(path.split("/")[1], "api_document") if known else "api_document"
        sent = event(
            verb,
            path,
            body=body,
            claims=request.pop("claims", SUPERVISOR),
            headers={"content-type": "application/json", **request.pop("headers", {})},
            route_key=f"{verb} {known.path}" if known else "$default",
            **request,
        )
        answer = self._handlers[job].handler(sent, FakeContext())
        assert answer["isBase64Encoded"] is False
        return Answer(answer["statusCode"], answer["headers"], answer["body"])

    def match_sent(self) -> None:
        """What the matcher does with the calls that were sent."""
        for call, text in self.queues.sent:
            match(self.world, Queue(Requirement.from_text(text)), [Incoming(call)], max_queues=200)
        self.queues.sent.clear()

    def contents(self) -> object:
        """All that is stored and sent."""
        stored: dict[str, Any] = {name: kept for name, kept in vars(self.floor).items() if name != "_lock"}
        for name in ("_lines", "_staff"):  # one that was only looked at stays behind empty
            stored[name] = {key: some for key, some in stored[name].items() if some}
        return copy.deepcopy((stored, self.queues.sent))


def load(job: str, patch: pytest.MonkeyPatch) -> ModuleType:
    """The handler's module, imported as in a new Lambda environment."""
    for name, value in {**LAMBDA, **AUTHORIZATION, **ENVIRONMENT[job]}.items():
        patch.setenv(name, value)
    return reloaded(job)


def reloaded(job: str) -> ModuleType:
    sys.modules.pop(f"handlers.{job}", None)
    return importlib.import_module(f"handlers.{job}")
