"""Who asks, and what they may do.

API Gateway has verified the token; here its claims become an `Asker`. Machines are authorised by scope, people by
group, and an agent by the agent id in its token, as which alone it may act.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self, cast


class Role(StrEnum):
    """What an asker is known as in logs and in the API document."""

    SUPERVISOR = "supervisor"
    AGENT = "agent"
    CALLER_APP = "caller app"
    OPERATOR = "operator"


HEAD_START = "head_start"
"""The scope without which no call gets a head start."""


@dataclass(frozen=True, slots=True)
class Asker:
    """Whoever sent the request. `client` is the token's subject: calls belong to the client that made them."""

    client: str
    scopes: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    agent_claim: str = field(default="", repr=False)

    @property
    def is_supervisor(self) -> bool:
        return "supervisors" in self.groups or "supervise" in self.scopes

    @property
    def is_operator(self) -> bool:
        return "operators" in self.groups or "operate" in self.scopes

    @property
    def is_caller_app(self) -> bool:
        return "calls" in self.scopes and bool(self.client)

    @property
    def agent_id(self) -> str | None:
        """As whom the asker may act; None for who is no agent."""
        return (self.agent_claim or None) if "agents" in self.groups else None

    @property
    def roles(self) -> list[Role]:
        held = {
            Role.SUPERVISOR: self.is_supervisor,
            Role.AGENT: self.agent_id is not None,
            Role.CALLER_APP: self.is_caller_app,
            Role.OPERATOR: self.is_operator,
        }
        return [role for role, has in held.items() if has]


@dataclass(frozen=True, slots=True)
class Right:
    """Who may take a route; `given` gets the asker and the `id` in the path. `roles` are for the API document."""

    words: str
    roles: tuple[Role, ...]
    given: Callable[[Asker, str], bool]


SUPERVISOR = Right("a supervisor", (Role.SUPERVISOR,), lambda asker, _: asker.is_supervisor)
THE_AGENT = Right(
    "the agent itself, or a supervisor",
    (Role.AGENT, Role.SUPERVISOR),
    lambda asker, agent_id: asker.is_supervisor or asker.agent_id == agent_id,
)
ANY_AGENT = Right(
    "an agent, or a supervisor",
    (Role.AGENT, Role.SUPERVISOR),
    lambda asker, _: asker.is_supervisor or asker.agent_id is not None,
)
CALLER_APP = Right("a caller app", (Role.CALLER_APP,), lambda asker, _: asker.is_caller_app)
ANYONE = Right("anyone with a valid token", (), lambda _asker, _id: True)


class NamedSettings(Protocol):
    """Where settings are read by name."""

    def __getitem__(self, name: str, /) -> str: ...


@dataclass(frozen=True, slots=True)
class Tokens:
    """How the issuer's tokens say who it is."""

    scope_prefix: str
    groups_claim: str
    agent_id_claim: str

    @classmethod
    def as_set(cls, settings: NamedSettings) -> Self:
        """Reads SCOPE_PREFIX, GROUPS_CLAIM, AGENT_ID_CLAIM."""
        return cls(settings["SCOPE_PREFIX"], settings["GROUPS_CLAIM"], settings["AGENT_ID_CLAIM"])

    def asker(self, event: Mapping[str, Any]) -> Asker | None:
        """Who sent the request of an HTTP API event; None where no authorizer has seen a token."""
        claims: Mapping[str, Any] = event
        for part in ("requestContext", "authorizer", "jwt", "claims"):
            if not (claims := claims.get(part, {})):
                return None
        scopes = str(claims.get("scope") or "").split()
        return Asker(
            client=str(claims.get("sub") or ""),
            scopes=frozenset(self._own(scopes)),
            groups=frozenset(_several(claims.get(self.groups_claim))),
            agent_claim=str(claims.get(self.agent_id_claim) or ""),
        )

    def _own(self, scopes: Iterable[str]) -> Iterable[str]:
        """Scopes of other resource servers mean nothing here."""
        prefix = self.scope_prefix
        return (scope.removeprefix(prefix) for scope in scopes if scope.startswith(prefix))


def _several(claim: object) -> list[str]:
    """The values of a claim that is a list in the token.

    HTTP APIs hand it on as the text `[one two]`, other gateways as `one,two` or as the list it was. In brackets
    only white space separates: a group may have a comma in its name, and must not become two groups by that.
    """
    if isinstance(claim, list | tuple):
        return [str(value) for value in cast("list[object]", claim)]
    text = str(claim or "").strip()
    if text.startswith("[") and text.endswith("]"):
        return text[1:-1].split()
    return [part.strip() for part in text.split(",") if part.strip()]
