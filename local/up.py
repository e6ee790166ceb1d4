"""`make up`: the whole of Switchboard on this machine, ready to be called."""

import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from local.cdk import DeployFailed
from local.servers import ServerFailed, client_environment
from local.stack import BROWSER_ORIGIN, DeployedStack, deploy
from local.steps import Steps

RUN_DIR = Path(__file__).resolve().parent.parent / ".local"

NEXT = """
Switchboard runs at {url}

Try it:
  . .local/env
  # an agent comes,
  curl -X PUT "$SWITCHBOARD_URL/agents/ana" -H "Authorization: Bearer $SWITCHBOARD_SUPERVISOR_TOKEN" \\
       -H 'Content-Type: application/json' -d '{agent}'
  curl -X PUT "$SWITCHBOARD_URL/agents/ana/status" -H "Authorization: Bearer $SWITCHBOARD_AGENT_TOKEN" \\
       -H 'Content-Type: application/json' -d '{{"status": "available"}}'
  # and a caller who needs Spanish gets her
  curl -X POST "$SWITCHBOARD_URL/calls" -H "Authorization: Bearer $SWITCHBOARD_CALLER_TOKEN" \\
       -H 'Content-Type: application/json' -d '{call}'

make demo shows a busy floor, make down stops it all.
"""
EXAMPLE = {
    "agent": '{"name": "Ana", "profile": {"channel": ["voice"], "language": ["en", "es"]}}',
    "call": '{"channel": "voice", "requirement": {"language": ["es"]}}',
}


def main() -> None:
    steps = Steps()
    try:
        stack = deploy(RUN_DIR, steps)
    except (ServerFailed, DeployFailed) as failure:
        sys.exit(str(failure))
    with steps.step("signing in"):
        write_environment(RUN_DIR / "env", environment(stack))
    steps.console.print(NEXT.format(url=stack.url, **EXAMPLE), highlight=False, markup=False, soft_wrap=True)


def environment(stack: DeployedStack) -> dict[str, str]:
    """All that a shell needs to use it; the tokens live for a day."""
    queues = {f"SWITCHBOARD_{name.upper()}_QUEUE_URL": url for name, url in stack.call_queue_urls.items()}
    return {
        "SWITCHBOARD_URL": stack.url,
        "SWITCHBOARD_TOKEN_URL": stack.token_url,
        "SWITCHBOARD_CALLER_CLIENT_ID": stack.caller.client_id,
        "SWITCHBOARD_CALLER_CLIENT_SECRET": stack.caller.client_secret,
        "SWITCHBOARD_CALLER_TOKEN": stack.caller.token,
        "SWITCHBOARD_SUPERVISOR_CLIENT_ID": stack.supervisor.client_id,
        "SWITCHBOARD_SUPERVISOR_CLIENT_SECRET": stack.supervisor.client_secret,
        "SWITCHBOARD_SUPERVISOR_TOKEN": stack.supervisor.token,
        "SWITCHBOARD_AGENT_TOKEN": stack.people.token("ana", "agents"),
        "SWITCHBOARD_WEB_CLIENT_ID": stack.people.client_id,
        "SWITCHBOARD_BROWSER_ORIGIN": BROWSER_ORIGIN,
        "SWITCHBOARD_TABLE_NAME": stack.table_name,
        **queues,
        **client_environment(stack.aws),
    }


def write_environment(path: Path, values: Mapping[str, str]) -> None:
    """`KEY=value` lines that a shell can source; they hold secrets, if only the embedded AWS's."""
    lines = [f"export {name}={shlex.quote(value)}\n" for name, value in values.items()]
    path.touch(mode=0o600)
    path.write_text("".join(lines))


if __name__ == "__main__":
    main()
