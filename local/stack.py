"""The stack, deployed to the embedded AWS, and all that is needed to use it.

with deployed_stack(tmp_path) as stack:
    call = httpx.post(f"{stack.url}/calls", headers=stack.caller.bearer, json=...)
    sqs = boto3.client("sqs", **stack.aws)
"""

from collections.abc import Generator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import boto3

from infra.names import pascal
from infra.settings import Settings
from local.cdk import STACK, Cdk
from local.emulator_gaps import close_gaps
from local.servers import ClientArguments, MiniStack
from local.sign_in import MachineClient, People
from local.steps import QUIET, Steps

BROWSER_ORIGIN = "http://localhost:3000"
CONTEXT = {
    # Two, so that one can be shown not to see the other's calls.
    "caller_apps": "caller,neighbour",
    "priority_apps": "caller",
    "cors_origins": BROWSER_ORIGIN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeployedStack:
    """Where it answers, who may use it, and what lies behind."""

    url: str
    token_url: str
    aws: ClientArguments
    """`boto3.client("sqs", **stack.aws)`"""
    table_name: str
    call_queue_urls: Mapping[str, str]
    """by channel"""
    caller: MachineClient
    neighbour: MachineClient
    """Another caller app, which may not give head starts."""
    supervisor: MachineClient
    people: People


@contextmanager
def deployed_stack(run_dir: Path, steps: Steps = QUIET) -> Generator[DeployedStack]:
    """A stack of its own, on servers of its own, for as long as the block lasts; all its files are in `run_dir`."""
    server = _server(run_dir, steps)
    try:
        yield _deployed_to(server, steps)
    finally:
        server.stop()


def deploy(run_dir: Path, steps: Steps = QUIET) -> DeployedStack:
    """Starts the embedded AWS unless it runs, deploys what has changed, and leaves it running."""
    return _deployed_to(_server(run_dir, steps), steps)


def _server(run_dir: Path, steps: Steps) -> MiniStack:
    if running := MiniStack.running_in(run_dir):
        return running
    with steps.step("starting the embedded AWS"):
        return MiniStack(run_dir).start()


def _deployed_to(server: MiniStack, steps: Steps) -> DeployedStack:
    cdk = Cdk(server)
    if not cdk.is_up_to_date():
        _deploy(cdk, server.client, steps)
    return _describe(server, cdk.outputs)


def _deploy(cdk: Cdk, aws: ClientArguments, steps: Steps) -> None:
    with steps.step("synthesising the stack, bootstrapping"), ThreadPoolExecutor() as pool:
        bootstrapped = pool.submit(cdk.bootstrap)
        cdk.synth(CONTEXT)
        bootstrapped.result()
    with steps.step("deploying"):
        cdk.deploy()
        close_gaps(aws, cdk.template, STACK)


def _describe(server: MiniStack, outputs: Mapping[str, str]) -> DeployedStack:
    # The host name that CDK puts out is one that Python does not resolve.
    api_id = (urlsplit(outputs["ApiUrl"]).hostname or "").split(".")[0]
    token_url = f"{server.endpoint}/oauth2/token"
    secrets = _client_secrets(server.client, outputs["UserPoolId"])

    def machine(name: str, *scopes: str) -> MachineClient:
        client_id = outputs[f"{pascal(name)}ClientId"]
        return MachineClient(token_url, client_id, secrets[client_id], scopes)

    return DeployedStack(
        url=f"{server.endpoint}/_aws/execute-api/{api_id}",
        token_url=token_url,
        aws=server.client,
        table_name=outputs["TableName"],
        call_queue_urls={name: outputs[f"{pascal(name)}CallQueueUrl"] for name in Settings().channels},
        caller=machine("caller", "calls", "head_start"),
        neighbour=machine("neighbour", "calls"),
        supervisor=machine("supervising", "supervise", "operate"),
        people=People(server.client, outputs["UserPoolId"], outputs["WebClientId"]),
    )


def _client_secrets(aws: ClientArguments, user_pool_id: str) -> dict[str, str]:
    users = boto3.client("cognito-idp", **aws)
    clients = users.list_user_pool_clients(UserPoolId=user_pool_id, MaxResults=60)["UserPoolClients"]
    return {
        client_id: users.describe_user_pool_client(UserPoolId=user_pool_id, ClientId=client_id)[
            "UserPoolClient"
        ].get("ClientSecret", "")
        for client_id in (client["ClientId"] for client in clients)
    }
