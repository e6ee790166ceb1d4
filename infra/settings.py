"""What a deployment can be told, and what differs between a real stage and the embedded AWS.

Every field of `Settings` is CDK context: a value in `cdk.json`, or `cdk deploy --context channels=voice,chat`.
"""

import platform
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from typing import Any, Self, cast

LOCAL_STAGE = "local"

DAYS_A_MESSAGE_CAN_LIVE = 4 + 14
"""Four days in a call queue, then fourteen in its dead-letter queue."""

NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")

MOST_CHANNELS = 6
"""A function's environment may hold 4 KB, and the addresses of one channel take about 500 bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Timeouts:
    """How long each function may run, in seconds."""

    http: int = 10
    match_calls: int = 30
    look: int = 30
    sweep: int = 50

    @property
    def longest(self) -> int:
        return max(self.http, self.match_calls, self.look, self.sweep)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything in which one deployment may differ from another."""

    stage: str = "prod"
    channels: tuple[str, ...] = ("voice", "chat")
    max_pools: int = 200
    max_queues: int = 200
    max_head_start_seconds: int = 3600
    ended_call_days: int = 21
    cors_origins: tuple[str, ...] = ()
    throttle_rate: int = 500
    throttle_burst: int = 1000
    log_level: str = "INFO"
    alarm_email: str = ""
    architecture: str = ""
    """`arm64` or `x86_64`. Left empty: arm64 on AWS, the host's own where the functions run on the host."""
    oidc_issuer: str = ""
    """The issuer's URL. Left empty: a Cognito user pool is made."""
    oidc_audience: tuple[str, ...] = ()
    scope_prefix: str = "switchboard/"
    groups_claim: str = "cognito:groups"
    agent_id_claim: str = "username"
    caller_apps: tuple[str, ...] = ("caller",)
    """Each gets a client of its own in the user pool; a call belongs to the client that made it."""
    priority_apps: tuple[str, ...] = ()
    """Those of them that may give their calls a head start."""

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise ValueError(problem)

    @classmethod
    def from_context(cls, context: Callable[[str], Any]) -> Self:
        """`context` is an app's `node.try_get_context`."""
        given = ((f, context(f.name)) for f in fields(cls))
        return cls(**{f.name: _like(f.default, f.name, raw) for f, raw in given if raw is not None})

    @property
    def local(self) -> bool:
        """On the embedded AWS: short timeouts, nothing retained, neither alarms nor tracing."""
        return self.stage == LOCAL_STAGE

    @property
    def tls_only(self) -> bool:
        """Not on the embedded AWS: it speaks plain HTTP, and would take its own rule at its word."""
        return not self.local

    @property
    def timeouts(self) -> Timeouts:
        # A killed matcher's messages come back after six times its timeout: locally, soon enough to watch.
        return Timeouts(match_calls=5, look=5, sweep=10) if self.local else Timeouts()

    @property
    def join_grace_seconds(self) -> int:
        """After this long nobody can still be between the two writes of a join."""
        return 2 * self.timeouts.longest

    @property
    def lambda_architecture(self) -> str:
        host_is_arm = platform.machine() in ("arm64", "aarch64")
        return self.architecture or ("x86_64" if self.local and not host_is_arm else "arm64")

    def _problems(self) -> Iterator[str]:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,63}", self.stage):
            yield f"stage {self.stage!r}: letters, digits and hyphens"
        if not 1 <= len(self.channels) <= MOST_CHANNELS:
            yield f"channels {self.channels}: 1 to {MOST_CHANNELS} names"
        for setting, names in (("channels", self.channels), ("caller_apps", self.caller_apps)):
            if len(set(names)) < len(names) or not all(NAME.fullmatch(name) for name in names):
                yield f"{setting} {names}: different names of small letters, digits, _ and -"
        if taken := {"web", "supervising"}.intersection(self.caller_apps):
            yield f"caller_apps: {taken} are clients already"
        if strangers := set(self.priority_apps).difference(self.caller_apps):
            yield f"priority_apps: {strangers} are not among caller_apps"
        if "*" in self.cors_origins:
            yield "cors_origins: name each origin, for any page of it acts with its users' tokens"
        if self.ended_call_days <= DAYS_A_MESSAGE_CAN_LIVE:
            # A message must still meet its ended call, or it would start it again.
            yield f"ended_call_days {self.ended_call_days}: more than {DAYS_A_MESSAGE_CAN_LIVE}"
        if self.architecture not in ("", "arm64", "x86_64"):
            yield f"architecture {self.architecture!r}: arm64 or x86_64"
        if bool(self.oidc_issuer) != bool(self.oidc_audience):
            yield "oidc_issuer and oidc_audience: both or neither"
        if not self.oidc_issuer and not self.scope_prefix.endswith("/"):
            yield f"scope_prefix {self.scope_prefix!r}: ends in / in a user pool"


def _like(default: object, name: str, raw: Any) -> Any:
    """The command line can only give text: `voice,chat`, `300`."""
    match default:
        case tuple():
            parts = raw.split(",") if isinstance(raw, str) else cast("list[object]", raw)
            return tuple(str(part).strip() for part in parts)
        case int() if not re.fullmatch(r"[0-9]{1,9}", str(raw)):
            raise ValueError(f"{name} {raw!r}: a whole number")
        case int():
            return int(raw)
        case _:
            return str(raw)
