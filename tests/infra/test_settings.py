"""What a deployment may be told, and what it is refused."""

from typing import Any

import pytest

from infra.settings import Settings


def settings(**context: Any) -> Settings:
    return Settings.from_context(context.get)


def test_what_is_not_said_is_left_as_it_is():
    assert settings() == Settings()


def test_the_command_line_says_lists_and_numbers_as_text():
    told = settings(
        channels="voice, video", max_pools="17", oidc_audience="floor", oidc_issuer="https://i.example.com"
    )
    assert (told.channels, told.max_pools, told.oidc_audience) == (("voice", "video"), 17, ("floor",))


@pytest.mark.parametrize(
    ("context", "named"),
    [
        ({"stage": "my stage"}, "stage"),
        ({"channels": ""}, "channels"),
        ({"channels": "voice,voice"}, "channels"),
        ({"channels": "a,b,c,d,e,f,g"}, "channels"),
        ({"channels": "Voice"}, "channels"),
        ({"caller_apps": "web"}, "caller_apps"),
        ({"cors_origins": "*"}, "cors_origins"),
        ({"ended_call_days": "18"}, "ended_call_days"),
        ({"architecture": "riscv"}, "architecture"),
        ({"oidc_issuer": "https://i.example.com"}, "oidc_audience"),
        ({"scope_prefix": "sb:"}, "scope_prefix"),
        ({"max_pools": "many"}, "max_pools"),
        ({"throttle_rate": "-1"}, "throttle_rate"),
    ],
)
def test_what_cannot_work_is_refused_by_name(context: dict[str, str], named: str):
    with pytest.raises(ValueError, match=named):
        settings(**context)


def test_functions_run_on_arm_unless_told_otherwise():
    assert settings().lambda_architecture == "arm64"
    assert settings(architecture="x86_64").lambda_architecture == "x86_64"


def test_functions_of_a_local_stage_run_on_the_host(monkeypatch: pytest.MonkeyPatch):
    for machine, architecture in (("x86_64", "x86_64"), ("aarch64", "arm64"), ("AMD64", "x86_64")):
        monkeypatch.setattr("platform.machine", lambda machine=machine: machine)
        assert settings(stage="local").lambda_architecture == architecture
