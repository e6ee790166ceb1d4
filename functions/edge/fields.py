"""The fields that several routes share: shape and words for the API document. The rules are the domain's."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler.openapi.params import Path
from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from switchboard.domain.skills import MAX_ATTRIBUTES, MAX_LEVEL, MAX_VALUES
from switchboard.domain.texts import ID_PATTERN, MAX_VALUE_LENGTH

KEY_PATTERN = "[A-Z2-7]{26}"

_VALUE = {"type": "string", "minLength": 1, "maxLength": MAX_VALUE_LENGTH}
_VALUES = {"type": "array", "items": _VALUE, "minItems": 1, "maxItems": MAX_VALUES}
_LEVEL = {"type": "integer", "minimum": 1, "maximum": MAX_LEVEL}


def _one(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {name: schema},
        "required": [name],
        "additionalProperties": False,
    }


def _attributes(values: list[dict[str, Any]], description: str, example: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema(
        {
            "type": "object",
            "description": description,
            "propertyNames": {"type": "string", "pattern": f"^{ID_PATTERN}$"},
            "additionalProperties": {"anyOf": values},
            "maxProperties": MAX_ATTRIBUTES,
            "examples": [example],
        }
    )


ProfileJson = Annotated[
    dict[str, Any],
    _attributes(
        [_VALUE, _VALUES, _LEVEL],
        "What an agent can do: for each attribute its values, or a level. Equal profiles share a pool.",
        {"language": ["en", "es"], "gender": ["F"], "billing": 3, "channel": ["voice"]},
    ),
]
RequirementJson = Annotated[
    dict[str, Any],
    _attributes(
        [_VALUE, _VALUES, _one("any", _VALUES), _one("all", _VALUES), _one("min", _LEVEL)],
        "What a call needs, attributes and-ed: any of the values, `all` of them, or a level of at least `min`. "
        "An attribute left out may be anything. Equal requirements share a queue.",
        {"language": ["es", "fr"], "skills": {"all": ["loans", "tax"]}, "billing": {"min": 2}},
    ),
]
AgentId = Annotated[str, Path(pattern=f"^{ID_PATTERN}$", description="The agent's id")]
CallId = Annotated[str, Path(pattern=f"^{ID_PATTERN}$", description="The call's id")]
Key = Annotated[str, Path(pattern=f"^{KEY_PATTERN}$", description="The key of the line")]
Time = Annotated[
    str,
    Field(
        description="UTC, to the microsecond",
        json_schema_extra={"format": "date-time"},
        examples=["2026-11-21T13:00:00.123456Z"],
    ),
]


class Body(BaseModel):
    """What a request brings; a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid")
