"""The servers that stand in for AWS: real processes on free loopback ports, each in a folder of its own.

with MiniStack(tmp_path) as aws, DynamoDBLocal(tmp_path) as database:
    sqs = boto3.client("sqs", **aws.client)
    dynamodb = boto3.client("dynamodb", **database.client)
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import ClassVar, Self, TypedDict

import httpx

REGION = "us-east-1"
ACCESS_KEY = "test"
EMULATOR_JAR = Path(__file__).resolve().parent.parent / "node_modules/amplify-dynamodb-simulator/emulator"
MINISTACK_SERVICES = "apigateway,cloudformation,cognito-idp,dynamodb,dynamodbstreams,ecr,iam,lambda,logs,s3,scheduler,sqs,ssm,sts"


class ClientArguments(TypedDict):
    """What `boto3.client` needs to reach a local server, and nothing else."""

    endpoint_url: str
    region_name: str
    aws_access_key_id: str
    aws_secret_access_key: str


def client_environment(client: ClientArguments) -> dict[str, str]:
    """The same for whatever takes its settings from the environment."""
    return {
        "AWS_ENDPOINT_URL": client["endpoint_url"],
        "AWS_REGION": client["region_name"],
        "AWS_DEFAULT_REGION": client["region_name"],
        "AWS_ACCESS_KEY_ID": client["aws_access_key_id"],
        "AWS_SECRET_ACCESS_KEY": client["aws_secret_access_key"],
    }


class ServerFailed(Exception):
    """A server ended, or did not answer in time; the message closes with the end of its log."""


class LocalServer(ABC):
    """Started by `start` or `with`, and stopped by process id, also by another process than the one that started it."""

    name: ClassVar[str]
    shows_as: ClassVar[str]
    """What its command line, as `ps` shows it, contains."""

    def __init__(self, run_dir: Path, port: int | None = None) -> None:
        self.run_dir = run_dir.resolve()
        self.port = port or free_port()
        self._pid_file = self.run_dir / f"{self.name}.pid"
        self._log = self.run_dir / f"{self.name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @classmethod
    def running_in(cls, run_dir: Path) -> Self | None:
        """The server that someone started earlier in this folder, if it still runs."""
        pid_file = run_dir / f"{cls.name}.pid"
        if not pid_file.exists():
            return None
        server = cls(run_dir, port=json.loads(pid_file.read_text())["port"])
        return None if server._has_ended() else server

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def client(self) -> ClientArguments:
        return {
            "endpoint_url": self.endpoint,
            "region_name": REGION,
            "aws_access_key_id": ACCESS_KEY,
            "aws_secret_access_key": ACCESS_KEY,
        }

    @property
    def pid(self) -> int | None:
        if self._process:
            return self._process.pid
        return json.loads(self._pid_file.read_text())["pid"] if self._pid_file.exists() else None

    def start(self) -> Self:
        if is_taken(self.port):
            raise ServerFailed(f"{self.name}: port {self.port} is in use")
        self.run_dir.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                self.command(),
                # Not ours: what is in a server's environment reaches the functions that run in it.
                env={"PATH": os.environ["PATH"], "LANG": "C.UTF-8", **self.environment()},
                cwd=self.run_dir,
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._pid_file.write_text(json.dumps({"pid": self._process.pid, "port": self.port}))
        if not _within(30, lambda: self.is_ready() or self._has_ended()) or self._has_ended():
            self.stop()
            raise ServerFailed(f"{self.name} did not start:\n{self._log.read_text()[-2000:]}")
        return self

    def stop(self) -> None:
        """SIGKILL follows where SIGTERM does not help: MiniStack has been seen to hang on it."""
        for signal_ in (signal.SIGTERM, signal.SIGKILL):
            if self.pid is None or self._has_ended():
                break
            os.kill(self.pid, signal_)
            _within(5, self._has_ended)
        self._pid_file.unlink(missing_ok=True)

    def _has_ended(self) -> bool:
        if self._process:
            return self._process.poll() is not None
        return self.shows_as not in _command_line(self.pid)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    @abstractmethod
    def command(self) -> list[str]: ...

    @abstractmethod
    def environment(self) -> dict[str, str]: ...

    @abstractmethod
    def is_ready(self) -> bool: ...


class MiniStack(LocalServer):
    """The embedded AWS. Functions run in the Python that runs it, hence in this environment."""

    name = "ministack"
    shows_as = "-m ministack"

    def command(self) -> list[str]:
        return [sys.executable, "-m", "ministack"]

    def environment(self) -> dict[str, str]:
        scratch = self.run_dir / "tmp"
        scratch.mkdir(exist_ok=True)
        return {
            "HOME": str(self.run_dir),
            "TMPDIR": str(scratch),
            "S3_DATA_DIR": str(self.run_dir / "s3"),
            "STATE_DIR": str(self.run_dir / "state"),
            "GATEWAY_PORT": str(self.port),
            "BIND_HOST": "127.0.0.1",
            "MINISTACK_HOST": "localhost",
            "SERVICES": MINISTACK_SERVICES,
            # A function may do what its role allows: a grant that is missing is missed here already.
            "AUTH": "true",
            # Both would listen on every interface.
            "IOT_MTLS_ENABLED": "0",
            "SFTP_ENABLED": "0",
            # It would tidy away the containers of another MiniStack.
            "DOCKER_HOST": f"unix://{self.run_dir}/no-docker.sock",
        }

    def is_ready(self) -> bool:
        return _answers(f"{self.endpoint}/_ministack/ready") == 200

    def stop(self) -> None:
        super().stop()
        shutil.rmtree(self.run_dir / "tmp", ignore_errors=True)


class DynamoDBLocal(LocalServer):
    """AWS's own engine, in memory. It has no option to listen on loopback only."""

    name = "dynamodb-local"
    shows_as = "DynamoDBLocal.jar"

    def command(self) -> list[str]:
        libraries = f"-Djava.library.path={EMULATOR_JAR / 'DynamoDBLocal_lib'}"
        jar = ["-jar", str(EMULATOR_JAR / "DynamoDBLocal.jar")]
        return ["java", "-Xmx512m", libraries, *jar, "-port", str(self.port), "-inMemory", "-sharedDb"]

    def environment(self) -> dict[str, str]:
        return {"HOME": str(self.run_dir)}

    def is_ready(self) -> bool:
        # An unsigned request is refused, but by the engine.
        return _answers(self.endpoint) == 400


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_taken(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def _answers(url: str) -> int | None:
    with suppress(httpx.TransportError):
        return httpx.get(url, timeout=2, trust_env=False).status_code
    return None


def _within(seconds: float, condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return met


def _command_line(pid: int | None) -> str:
    return subprocess.run(
        ["ps", "-ww", "-o", "command=", "-p", str(pid)], capture_output=True, text=True
    ).stdout
