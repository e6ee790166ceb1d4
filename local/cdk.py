"""The plain CDK CLI, pointed at a local endpoint: it cannot reach a real account from here."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from infra.settings import LOCAL_STAGE
from local.servers import REGION, MiniStack, client_environment

ROOT = Path(__file__).resolve().parent.parent
SOURCES = (
    "app.py",
    "cdk.json",
    "infra/**/*.py",
    "functions/**/*.py",
    "functions/requirements.txt",
    "local/stack.py",
)
STACK = f"Switchboard-{LOCAL_STAGE}"
ACCOUNT = "000000000000"
"""The embedded AWS's, for the access key `test`."""


class DeployFailed(Exception):
    """The CDK CLI ended with an error; the message closes with the end of what it said."""


class Cdk:
    """`synth`, `bootstrap` and `deploy`, with logs and an assembly of its own in the server's folder."""

    def __init__(self, server: MiniStack) -> None:
        self._server = server
        self._assembly = server.run_dir / "cdk.out"
        self._outputs = server.run_dir / "outputs.json"
        self._deployed = server.run_dir / "deployed"

    def is_up_to_date(self) -> bool:
        """Whether this very server has been given just these sources."""
        return self._deployed.exists() and self._deployed.read_text() == self._fingerprint()

    def synth(self, context: dict[str, str]) -> None:
        pairs = [f"{name}={value}" for name, value in {"stage": LOCAL_STAGE, **context}.items()]
        options = [option for pair in pairs for option in ("--context", pair)]
        self._run("synth", "--quiet", "--output", str(self._assembly), *options)

    def bootstrap(self) -> None:
        """By CDK's own template, less its rule against plain HTTP: there is no TLS on loopback."""
        folder = self._server.run_dir  # away from cdk.json, or it would synthesise the app too
        template = self._run("bootstrap", "--show-template", folder=folder)
        lenient = folder / "bootstrap.yaml"
        lenient.write_text(template.replace('aws:SecureTransport: "false"', 'aws:SecureTransport: "never"'))
        self._run("bootstrap", "--template", str(lenient), f"aws://{ACCOUNT}/{REGION}", folder=folder)

    def deploy(self) -> None:
        """Deploys what `synth` made."""
        # Without a change set: here is nobody to review one.
        how = ["--method", "direct", "--require-approval", "never", "--outputs-file", str(self._outputs)]
        self._run("deploy", "--app", str(self._assembly), *how)
        self._deployed.write_text(self._fingerprint())

    @property
    def outputs(self) -> dict[str, str]:
        return json.loads(self._outputs.read_text())[STACK]

    @property
    def template(self) -> dict[str, Any]:
        return json.loads((self._assembly / f"{STACK}.template.json").read_text())

    def _fingerprint(self) -> str:
        digest = hashlib.sha256(str(self._server.pid).encode())
        for path in sorted(path for pattern in SOURCES for path in ROOT.glob(pattern)):
            digest.update(str(path).encode() + path.read_bytes())
        return digest.hexdigest()

    def _run(self, *arguments: str, folder: Path = ROOT) -> str:
        """Answers what the CLI printed."""
        log = self._server.run_dir / f"cdk-{arguments[0]}.log"
        command = [str(ROOT / "node_modules/.bin/cdk"), *arguments]
        with log.open("wb") as errors:
            done = subprocess.run(
                command, cwd=folder, env=self._environment(), stdout=subprocess.PIPE, stderr=errors, text=True
            )
        if done.returncode:
            said = f"{done.stdout}{log.read_text()}"[-3000:]
            raise DeployFailed(f"cdk {arguments[0]} ended with {done.returncode}:\n{said}")
        return done.stdout

    def _environment(self) -> dict[str, str]:
        """The caller's, less everything that leads to an AWS account."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return {
            **kept,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            **client_environment(self._server.client),
            "AWS_EC2_METADATA_DISABLED": "true",
            "CDK_DISABLE_CLI_TELEMETRY": "true",
            "JSII_SILENCE_WARNING_END_OF_LIFE_NODE_VERSION": "20",
        }
