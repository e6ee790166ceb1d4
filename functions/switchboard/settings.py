"""What the environment of a function says. Each is read when it is asked for; handlers ask as they are imported."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CallQueueAddress:
    """Where the calls of a channel come in, and where broken ones go."""

    arn: str
    url: str
    dead_letters: str


class Settings:
    """Settings by name. Raises KeyError naming the one that is missing."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment

    def __getitem__(self, name: str) -> str:
        return self._environment[name]

    def number(self, name: str) -> int:
        return int(self._environment[name])

    @property
    def channels(self) -> list[str]:
        return json.loads(self["CHANNELS"])

    @property
    def call_queues(self) -> dict[str, CallQueueAddress]:
        """By channel."""
        return {
            channel: CallQueueAddress(**address)
            for channel, address in json.loads(self["CALL_QUEUES"]).items()
        }
