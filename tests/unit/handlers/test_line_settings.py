"""Queues and pools over HTTP."""

from typing import Any

import pytest

from tests.unit.handlers.front_desk import CALLER_APP, FrontDesk

pytestmark = pytest.mark.filterwarnings("ignore:No application metrics")


@pytest.fixture
def floor(desk: FrontDesk) -> FrontDesk:
    """Two pools and two queues; who speaks Spanish serves both."""
    for name, languages in (("ana", ["en", "es"]), ("ben", ["en"])):
        desk.ask("PUT", f"/agents/{name}", {"name": name, "profile": {"language": languages}})
    for language in ("en", "es"):
        desk.ask("POST", "/calls", {"requirement": {"language": [language]}}, claims=CALLER_APP)
    return desk


def lines(desk: FrontDesk, kind: str) -> dict[str, Any]:
    """By their languages, as in `en es`."""
    found = desk.ask("GET", f"/{kind}").json[kind]
    return {" ".join((one.get("profile") or one["requirement"])["language"]): one for one in found}


def test_a_queue_names_its_requirement_and_the_pools_that_serve_it(floor: FrontDesk):
    pools, queues = lines(floor, "pools"), lines(floor, "queues")

    assert queues["es"] == {
        "key": queues["es"]["key"],
        "label": None,
        "order": "longest_idle",
        "channel": "voice",
        "requirement": {"language": ["es"]},
        "pools": [pools["en es"]["key"]],
    }
    assert set(queues["en"]["pools"]) == {pools["en es"]["key"], pools["en"]["key"]}
    assert floor.ask("GET", f"/queues/{queues['es']['key']}").json == queues["es"]


def test_a_pool_names_its_profile_and_the_queues_it_serves(floor: FrontDesk):
    pools, queues = lines(floor, "pools"), lines(floor, "queues")

    assert pools["en"] == {
        "key": pools["en"]["key"],
        "label": None,
        "profile": {"channel": ["chat", "voice"], "language": ["en"]},
        "queues": [queues["en"]["key"]],
    }
    assert set(pools["en es"]["queues"]) == {one["key"] for one in queues.values()}
    assert floor.ask("GET", f"/pools/{pools['en']['key']}").json == pools["en"]


def test_a_queue_gets_a_label_and_an_order(floor: FrontDesk):
    path = f"/queues/{lines(floor, 'queues')['es']['key']}"

    changed = floor.ask("PUT", path, {"label": "  Spanish   loans ", "order": "latest_idle"})

    assert changed.status == 200
    assert (changed.json["label"], changed.json["order"]) == ("Spanish loans", "latest_idle")
    assert floor.ask("GET", path).json == changed.json
    before = floor.contents()
    assert floor.ask("PUT", path, {"label": "Spanish loans", "order": "latest_idle"}).json == changed.json
    assert floor.contents() == before


def test_what_is_left_out_of_a_queues_settings_gets_its_default(floor: FrontDesk):
    path = f"/queues/{lines(floor, 'queues')['es']['key']}"
    floor.ask("PUT", path, {"label": "Spanish", "order": "latest_idle"})

    changed = floor.ask("PUT", path, {}).json

    assert (changed["label"], changed["order"]) == (None, "longest_idle")


def test_a_pool_gets_a_label(floor: FrontDesk):
    path = f"/pools/{lines(floor, 'pools')['en']['key']}"

    changed = floor.ask("PUT", path, {"label": "Night shift"})

    assert (changed.status, changed.json["label"]) == (200, "Night shift")
    assert floor.ask("GET", path).json == changed.json


@pytest.mark.parametrize("verb", ["GET", "PUT"])
@pytest.mark.parametrize("kind", ["queues", "pools"])
def test_a_line_that_is_not_there_is_404(floor: FrontDesk, kind: str, verb: str):
    before = floor.contents()

    refused = floor.ask(verb, f"/{kind}/{'A' * 26}", {} if verb == "PUT" else None)

    assert (refused.status, refused.json["type"]) == (404, "/problems/not-found")
    assert floor.contents() == before
