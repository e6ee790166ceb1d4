"""Hints for listing: who is registered, who of a pool is signed in."""

from __future__ import annotations

from switchboard.ports import Floor
from tests.contract.lives import OTHER_POOL, POOL, agent


def enrol(floor: Floor, *agent_ids: str) -> None:
    for agent_id in agent_ids:
        floor.list_on_roster(agent_id)


def test_the_roster_lists_ids_in_order_each_once(floor: Floor) -> None:
    enrol(floor, "cy", "ann", "bea", "ann")
    assert floor.roster(10) == ["ann", "bea", "cy"]


def test_the_roster_is_read_page_by_page(floor: Floor) -> None:
    everybody = [f"agent-{number:02}" for number in range(7)]
    enrol(floor, *everybody)
    assert floor.roster(3) == everybody[:3]
    assert floor.roster(3, after="agent-02") == everybody[3:6]
    assert floor.roster(3, after="agent-05") == everybody[6:]
    assert floor.roster(3, after="agent-06") == []


def test_the_roster_goes_on_behind_an_id_that_was_struck(floor: Floor) -> None:
    enrol(floor, "ann", "bea", "cy")
    floor.strike_from_roster("bea")
    assert floor.roster(10, after="bea") == ["cy"]
    assert floor.roster(10) == ["ann", "cy"]


def test_striking_who_is_not_listed_is_no_error(floor: Floor) -> None:
    floor.strike_from_roster("nobody")
    assert floor.roster(10) == []


def test_agents_are_those_of_the_ids_who_exist_in_order(floor: Floor) -> None:
    registered = [agent(agent_id) for agent_id in ("cy", "ann", "bea")]
    for one in registered:
        floor.commit(None, one)
    assert floor.agents(["ann", "gone", "cy", "bea"]) == sorted(registered, key=lambda one: one.id)
    assert floor.agents(["gone"]) == []


def test_up_to_a_hundred_agents_are_read_at_once(floor: Floor) -> None:
    registered = [agent(f"agent-{number:02}") for number in range(100)]
    for one in registered:
        floor.commit(None, one)
    assert floor.agents([one.id for one in registered]) == registered


def test_somebody_of_a_pool_is_signed_in_until_the_last_one_signs_out(floor: Floor) -> None:
    assert not floor.anyone_signed_in(POOL)
    floor.sign_in(POOL, "ann", epoch=5)
    floor.sign_in(POOL, "bea", epoch=5)
    floor.sign_in(POOL, "bea", epoch=5)
    floor.sign_out(POOL, "bea", epoch=6)
    assert floor.anyone_signed_in(POOL)
    floor.sign_out(POOL, "ann", epoch=6)
    assert not floor.anyone_signed_in(POOL)


def test_pools_are_staffed_apart(floor: Floor) -> None:
    floor.sign_in(POOL, "ann", epoch=5)
    assert not floor.anyone_signed_in(OTHER_POOL)
    floor.sign_out(OTHER_POOL, "ann", epoch=6)
    assert floor.anyone_signed_in(POOL)


def test_signing_out_who_is_not_signed_in_is_no_error(floor: Floor) -> None:
    floor.sign_out(POOL, "nobody", epoch=6)
    assert not floor.anyone_signed_in(POOL)


def test_who_signed_in_again_since_stays_signed_in(floor: Floor) -> None:
    floor.sign_in(POOL, "ann", epoch=7)
    floor.sign_out(POOL, "ann", epoch=6)
    assert floor.anyone_signed_in(POOL)
    floor.sign_out(POOL, "ann", epoch=8)
    assert not floor.anyone_signed_in(POOL)
