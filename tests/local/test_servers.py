"""Servers start on ports of their own, are found again, and end."""

from pathlib import Path

import boto3
import httpx
import pytest

from local.servers import DynamoDBLocal, LocalServer, MiniStack, ServerFailed


@pytest.mark.parametrize("kind", [MiniStack, DynamoDBLocal])
def test_a_server_answers_aws_clients_until_it_is_stopped(kind: type[LocalServer], tmp_path: Path):
    with kind(tmp_path) as server:
        tables = boto3.client("dynamodb", **server.client)
        assert tables.list_tables()["TableNames"] == []
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.endpoint, trust_env=False)


def test_another_process_finds_a_running_server_in_its_folder_and_stops_it(tmp_path: Path):
    with MiniStack(tmp_path) as server:
        found = MiniStack.running_in(tmp_path)
        assert found
        assert (found.pid, found.endpoint) == (server.pid, server.endpoint)
        found.stop()
        assert MiniStack.running_in(tmp_path) is None


def test_what_has_taken_the_process_id_of_a_dead_server_is_left_alone(tmp_path: Path):
    (tmp_path / "ministack.pid").write_text('{"pid": 1, "port": 4566}')
    assert MiniStack.running_in(tmp_path) is None


class Broken(MiniStack):
    def command(self) -> list[str]:
        return ["sh", "-c", "echo no room; exit 3"]


def test_a_server_that_cannot_start_says_why(tmp_path: Path):
    with pytest.raises(ServerFailed, match="no room"):
        Broken(tmp_path).start()


def test_a_server_is_not_mistaken_for_one_that_has_its_port(tmp_path: Path):
    with MiniStack(tmp_path / "one") as first, pytest.raises(ServerFailed, match="in use"):
        MiniStack(tmp_path / "two", port=first.port).start()


def test_servers_of_two_folders_do_not_meet(tmp_path: Path):
    with MiniStack(tmp_path / "one") as first, MiniStack(tmp_path / "two") as second:
        boto3.client("sqs", **first.client).create_queue(QueueName="calls")
        assert not boto3.client("sqs", **second.client).list_queues().get("QueueUrls")
