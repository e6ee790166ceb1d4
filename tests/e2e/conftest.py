"""One stack for all end-to-end tests, deployed by the plain CDK CLI to an embedded AWS of its own."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from local.stack import DeployedStack, deployed_stack
from tests.e2e.asker import Asker
from tests.e2e.backstage import Backstage
from tests.e2e.floor import Floor

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One stack is enough: under pytest-xdist (`--dist loadgroup`) these tests share a worker."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.xdist_group("e2e"))


@pytest.fixture(scope="session")
def run_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the embedded AWS keeps all its files."""
    return tmp_path_factory.mktemp("stack")


@pytest.fixture(scope="session")
def stack(run_dir: Path) -> Iterator[DeployedStack]:
    with deployed_stack(run_dir) as stack:
        yield stack


@pytest.fixture(scope="session")
def backstage(stack: DeployedStack) -> Backstage:
    return Backstage(stack)


@pytest.fixture(scope="session", autouse=True)
def few_at_once(backstage: Backstage) -> None:
    """Each more process of a function costs a cold start; whoever is sent away comes again, as clients have to."""
    for job in ("agent_availability", "calls_api"):
        backstage.functions.put_function_concurrency(
            FunctionName=backstage.function(job), ReservedConcurrentExecutions=4
        )


@pytest.fixture(scope="session")
def http(stack: DeployedStack) -> Iterator[httpx.Client]:
    limits = httpx.Limits(max_connections=64)
    with httpx.Client(base_url=stack.url, trust_env=False, timeout=30, limits=limits) as client:
        yield client


@pytest.fixture(scope="session")
def supervisor(stack: DeployedStack, http: httpx.Client) -> Asker:
    return Asker(http, stack.supervisor.bearer)


@pytest.fixture(scope="session")
def caller(stack: DeployedStack, http: httpx.Client) -> Asker:
    return Asker(http, stack.caller.bearer)


@pytest.fixture(scope="session")
def neighbour(stack: DeployedStack, http: httpx.Client) -> Asker:
    """Another caller app."""
    return Asker(http, stack.neighbour.bearer)


@pytest.fixture
def floor(supervisor: Asker, caller: Asker) -> Floor:
    return Floor(supervisor, caller, team=uuid.uuid4().hex[:8])
