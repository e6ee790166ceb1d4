"""The template, synthesised once per set of context and never bundled: no test here needs Docker, network or account."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from aws_cdk import App
from aws_cdk.assertions import Template

from infra.settings import Settings
from infra.stack import SwitchboardStack
from tests.infra.stack_template import StackTemplate

# The CLI hands them to the app.
FLAGS = json.loads((Path(__file__).parents[2] / "cdk.json").read_text())["context"]


@cache
def synthesise(context: str) -> StackTemplate:
    app = App(context={**FLAGS, "aws:cdk:bundling-stacks": [], **json.loads(context)})
    settings = Settings.from_context(app.node.try_get_context)
    return StackTemplate(
        Template.from_stack(SwitchboardStack(app, "Switchboard", settings=settings)).to_json()
    )


@pytest.fixture(scope="session")
def template_of() -> Callable[..., StackTemplate]:
    """`template_of(stage="local")`: the template for that context."""

    def template_of(**context: object) -> StackTemplate:
        return synthesise(json.dumps(context, sort_keys=True))

    return template_of


@pytest.fixture(scope="session")
def template(template_of: Callable[..., StackTemplate]) -> StackTemplate:
    """Of a real stage, with every setting left as it is."""
    return template_of()


@pytest.fixture(scope="session")
def local(template_of: Callable[..., StackTemplate]) -> StackTemplate:
    return template_of(stage="local")
