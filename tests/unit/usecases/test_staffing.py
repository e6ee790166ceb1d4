"""Agents: registered by supervisors, available when they say so, and twice asked is once asked."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest

from switchboard import staffing
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.refusals import CatalogFull, Conflict, Contention, IllegalMove, Moved, NotFound
from switchboard.domain.skills import Profile
from switchboard.patience import TRIES
from switchboard.world import World
from tests.support.faults import Crash, CrashAfter
from tests.unit.usecases.faulty import Contended, Meanwhile, sent_twice
from tests.unit.usecases.scene import BOTH, FRENCH, SPANISH, Data, Scene, place_of

OFFLINE, AWAY, AVAILABLE, ATTENDING, WRAP_UP = AgentStatus
CHOICES = (OFFLINE, AWAY, AVAILABLE)
NO_CALL = (OFFLINE, AWAY, AVAILABLE, WRAP_UP)


def register(
    scene: Scene,
    profile: Data = SPANISH,
    *,
    name: str = "Ann",
    world: World | None = None,
    max_pools: int = 9,
) -> tuple[Agent, bool]:
    return staffing.register(world or scene.world, "ann", name, Profile.parse(profile), max_pools=max_pools)


def set_status(scene: Scene, wanted: AgentStatus, world: World | None = None) -> Agent:
    return staffing.set_status(world or scene.world, "ann", wanted)


def signed_in(scene: Scene, profile: Data = SPANISH) -> bool:
    return scene.floor.anyone_signed_in(Profile.parse(profile).key)


def complete(scene: Scene) -> None:
    ann, call = scene.agent("ann"), scene.call("call")
    scene.floor.part((ann, ann.freed(now=scene.clock())), (call, call.completed(now=scene.clock())))


TO: dict[AgentStatus, Callable[[Scene], object]] = {
    OFFLINE: lambda scene: scene.registered("ann"),
    AWAY: lambda scene: scene.away("ann"),
    AVAILABLE: lambda scene: scene.idle("ann"),
    ATTENDING: lambda scene: scene.connected(),
    WRAP_UP: lambda scene: (scene.connected(), complete(scene)),
}


# --- registering


def test_a_new_agent_is_offline_listed_and_of_a_pool_of_the_catalog(scene: Scene) -> None:
    agent, is_new = register(scene)
    assert is_new
    assert scene.agent("ann") == agent
    assert (agent.name, agent.status, agent.entry) == ("Ann", OFFLINE, None)
    assert scene.floor.roster(9) == ["ann"]
    assert scene.world.catalog.fresh().pools[agent.pool].profile == Profile.parse(SPANISH)
    assert not signed_in(scene)


def test_an_agent_is_listed_and_the_pool_catalogued_before_the_agent_is_there(scene: Scene) -> None:
    world, requests = scene.counted()
    register(scene, world=world)
    writes = [name for name in requests if name in ("add_to_catalog", "list_on_roster", "commit")]
    assert writes == ["add_to_catalog", "list_on_roster", "commit"]


@pytest.mark.parametrize("status", AgentStatus)
def test_registering_twice_is_registering_once(scene: Scene, status: AgentStatus) -> None:
    TO[status](scene)
    before = scene.agent("ann")
    world, requests = scene.counted()
    assert register(scene, world=world) == (before, False)
    assert requests[-1] == "agent"
    assert scene.agent("ann") == before


def test_of_two_who_register_the_same_agent_at_once_both_succeed(scene: Scene) -> None:
    world = scene.disturbed(before=Meanwhile("commit", lambda: register(scene)))
    agent, is_new = register(scene, world=world)
    assert not is_new
    assert scene.agent("ann") == agent


def test_registering_survives_the_loss_of_the_first_answer(scene: Scene) -> None:
    register(scene, world=scene.another_world(sent_twice(scene.floor, "commit", "list_on_roster")))
    register(scene, FRENCH, name="Anna", world=scene.another_world(sent_twice(scene.floor, "commit")))
    assert (scene.agent("ann").name, scene.agent("ann").pool) == ("Anna", Profile.parse(FRENCH).key)


def test_one_profile_too_many_is_refused_and_changes_nothing(scene: Scene) -> None:
    scene.registered("bea", FRENCH)
    world, requests = scene.counted()
    with pytest.raises(CatalogFull):
        register(scene, world=world, max_pools=1)
    assert {"list_on_roster", "commit"}.isdisjoint(requests)
    assert scene.floor.agent("ann") is None
    assert scene.floor.roster(9) == ["bea"]


def test_a_change_to_one_profile_too_many_is_refused_and_changes_nothing(scene: Scene) -> None:
    entry = scene.idle("ann")
    before = scene.agent("ann")
    with pytest.raises(CatalogFull):
        register(scene, FRENCH, max_pools=1)
    assert scene.agent("ann") == before
    assert scene.floor.heads(entry.line, 9) == [entry]


@pytest.mark.parametrize("status", AgentStatus)
def test_a_new_name_changes_nothing_else(scene: Scene, status: AgentStatus) -> None:
    TO[status](scene)
    before = scene.agent("ann")
    renamed, is_new = register(scene, name="Anna")
    assert not is_new
    assert scene.agent("ann") == renamed
    assert (renamed.name, renamed.epoch) == ("Anna", before.epoch + 1)
    assert (renamed.status, renamed.pool, renamed.entry, renamed.call) == (
        before.status,
        before.pool,
        before.entry,
        before.call,
    )


def test_who_changes_profile_in_line_moves_to_the_other_line_and_keeps_idle_since(scene: Scene) -> None:
    entry = scene.idle("ann")
    scene.later()
    scene.idle("bea", BOTH)
    register(scene, BOTH)
    assert (scene.idle_line(SPANISH), scene.idle_line(BOTH)) == ([], ["ann", "bea"])
    assert place_of(scene.agent("ann")).time == entry.time
    assert scene.match("call", requirement=FRENCH)[0].agent_id == "ann"


def test_who_changes_profile_in_line_has_a_look_of_her_own_on_the_way(scene: Scene) -> None:
    """The entry is new, so the stream tells of it."""
    entry = scene.idle("ann")
    scene.waits("french", FRENCH)
    register(scene, BOTH)
    assert place_of(scene.agent("ann")).joined_at > entry.joined_at
    assert scene.look("ann")
    assert scene.served_by("french") == "ann"


@pytest.mark.parametrize("status", [ATTENDING, WRAP_UP])
def test_who_changes_profile_at_work_joins_the_other_line_next_time(
    scene: Scene, status: AgentStatus
) -> None:
    TO[status](scene)
    register(scene, FRENCH)
    assert scene.agent("ann").status is status
    if status is ATTENDING:
        complete(scene)
    set_status(scene, AVAILABLE)
    assert (scene.idle_line(SPANISH), scene.idle_line(FRENCH)) == ([], ["ann"])


def test_who_is_claimed_while_the_profile_changes_keeps_the_call_and_gets_the_profile(scene: Scene) -> None:
    scene.idle("ann")
    world = scene.disturbed(before=Meanwhile("commit", lambda: scene.match("call")))
    agent, _ = register(scene, FRENCH, world=world)
    assert (agent.status, agent.call, agent.pool) == (ATTENDING, "call", Profile.parse(FRENCH).key)
    assert scene.agent("ann") == agent
    assert (scene.idle_line(SPANISH), scene.idle_line(FRENCH)) == ([], [])


@pytest.mark.parametrize("status", AgentStatus)
def test_the_hint_of_who_is_signed_in_follows_the_profile(scene: Scene, status: AgentStatus) -> None:
    TO[status](scene)
    is_signed_in = status is not OFFLINE
    assert signed_in(scene) == is_signed_in
    register(scene, FRENCH)
    assert (signed_in(scene, SPANISH), signed_in(scene, FRENCH)) == (False, is_signed_in)


# --- status


@pytest.mark.parametrize(
    ("status", "wanted"),
    [(status, wanted) for status in NO_CALL for wanted in CHOICES if status is not wanted],
)
def test_an_agent_who_has_no_call_can_be_all_she_asks_for(
    scene: Scene, status: AgentStatus, wanted: AgentStatus
) -> None:
    TO[status](scene)
    agent = set_status(scene, wanted)
    assert agent.status is wanted
    assert scene.agent("ann") == agent
    assert scene.idle_line() == (["ann"] if wanted is AVAILABLE else [])
    assert signed_in(scene) == (wanted is not OFFLINE)


@pytest.mark.parametrize("wanted", CHOICES)
def test_asking_twice_is_asking_once(scene: Scene, wanted: AgentStatus) -> None:
    scene.registered("ann")
    once = set_status(scene, wanted)
    world, requests = scene.counted()
    assert set_status(scene, wanted, world) == once == scene.agent("ann")
    # A crash may have come before the hint of who is signed in was taken back.
    assert requests == ["agent", *(["sign_out"] if wanted is OFFLINE else [])]
    assert scene.idle_line() == (["ann"] if wanted is AVAILABLE else [])


def test_who_comes_back_while_their_signing_out_is_under_way_is_known_to_be_signed_in(scene: Scene) -> None:
    scene.idle("ann")
    back = Meanwhile("sign_out", lambda: set_status(scene, AVAILABLE))
    set_status(scene, OFFLINE, scene.disturbed(before=back))
    assert scene.agent("ann").status is AVAILABLE
    assert signed_in(scene)


def test_signing_out_again_takes_back_a_hint_that_a_crash_left(scene: Scene) -> None:
    scene.idle("ann")
    seen = scene.agent("ann")
    scene.floor.commit(seen, seen.offline(now=scene.clock()))
    assert signed_in(scene)
    set_status(scene, OFFLINE)
    assert not signed_in(scene)


def test_registering_again_lists_an_agent_whom_a_removal_has_struck(scene: Scene) -> None:
    scene.registered("ann")
    scene.floor.strike_from_roster("ann")
    scene.registered("ann")
    assert scene.floor.roster(10) == ["ann"]


@pytest.mark.parametrize("wanted", CHOICES)
def test_who_attends_a_call_stays_until_it_has_ended(scene: Scene, wanted: AgentStatus) -> None:
    scene.connected()
    before = scene.agent("ann")
    with pytest.raises(IllegalMove, match=f"is attending and cannot become {wanted}") as refusal:
        set_status(scene, wanted)
    assert refusal.value.status == ATTENDING
    assert scene.agent("ann") == before


@pytest.mark.parametrize("wanted", [ATTENDING, WRAP_UP])
def test_nobody_chooses_what_only_a_call_brings(scene: Scene, wanted: AgentStatus) -> None:
    scene.idle("ann")
    before = scene.agent("ann")
    with pytest.raises(Conflict, match=f"nobody can choose to be {wanted}"):
        set_status(scene, wanted)
    assert scene.agent("ann") == before


def test_nobody_by_that_name_has_a_status(scene: Scene) -> None:
    with pytest.raises(NotFound, match="ann"):
        set_status(scene, AVAILABLE)
    assert scene.floor.agent("ann") is None


def test_who_comes_back_stands_at_the_end(scene: Scene) -> None:
    for agent_id in ("ann", "bea"):
        scene.idle(agent_id)
    set_status(scene, AWAY)
    set_status(scene, AVAILABLE)
    assert scene.idle_line() == ["bea", "ann"]


def test_who_is_claimed_before_she_has_left_hears_it(scene: Scene) -> None:
    scene.idle("ann")
    world = scene.disturbed(before=Meanwhile("commit", lambda: scene.match("call")))
    with pytest.raises(IllegalMove, match="attending"):
        set_status(scene, OFFLINE, world)
    assert scene.agent("ann").call == "call"
    assert signed_in(scene)


def test_who_is_available_twice_at_once_stands_in_line_once(scene: Scene) -> None:
    scene.away("ann")
    world = scene.disturbed(before=Meanwhile("commit", lambda: set_status(scene, AVAILABLE)))
    assert set_status(scene, AVAILABLE, world) == scene.agent("ann")
    assert scene.idle_line() == ["ann"]


@pytest.mark.parametrize("wanted", CHOICES)
def test_a_status_whose_first_answer_was_lost_is_set_once(scene: Scene, wanted: AgentStatus) -> None:
    scene.idle("ann") if wanted is not AVAILABLE else scene.away("ann")
    epoch = scene.agent("ann").epoch
    world = scene.another_world(sent_twice(scene.floor, "commit", "enter", "clear", "sign_in", "sign_out"))
    agent = set_status(scene, wanted, world)
    assert scene.agent("ann") == agent
    assert (agent.status, agent.epoch) == (wanted, epoch + 1)
    assert scene.idle_line() == (["ann"] if wanted is AVAILABLE else [])


def test_where_others_stay_at_the_same_item_it_is_said_so(scene: Scene) -> None:
    scene.away("ann")
    before = scene.agent("ann")
    with pytest.raises(Contention):
        set_status(scene, AVAILABLE, scene.disturbed(before=Contended("commit", TRIES**2)))
    assert scene.agent("ann") == before


def test_who_keeps_moving_cannot_be_decided_about(scene: Scene) -> None:
    scene.away("ann")
    names = iter(range(99))

    def renamed(name: str) -> None:
        if name == "commit":
            register(scene, name=f"Ann {next(names)}")

    with pytest.raises(Moved):
        set_status(scene, OFFLINE, scene.disturbed(before=renamed))
    assert scene.agent("ann").status is AWAY


# --- who is signed in: a hint that may say too much after a crash, never too little


def test_who_signs_in_is_known_to_be_before_she_is(scene: Scene) -> None:
    scene.registered("ann")
    world, requests = scene.counted()
    set_status(scene, AVAILABLE, world)
    assert requests == ["agent", "sign_in", "enter", "commit"]


def test_who_signs_out_is_known_to_be_until_she_is(scene: Scene) -> None:
    scene.idle("ann")
    world, requests = scene.counted()
    set_status(scene, OFFLINE, world)
    assert requests == ["agent", "commit", "clear", "sign_out"]


def test_between_breaks_no_hint_is_written(scene: Scene) -> None:
    scene.away("ann")
    world, requests = scene.counted()
    for status in (AVAILABLE, AWAY):
        set_status(scene, status, world)
    assert {"sign_in", "sign_out"}.isdisjoint(requests)


@pytest.mark.parametrize("wanted", CHOICES)
@pytest.mark.parametrize("before", [OFFLINE, AWAY, AVAILABLE])
def test_a_crash_never_leaves_a_signed_in_agent_unknown(before: AgentStatus, wanted: AgentStatus) -> None:
    fired: list[bool] = []
    while not fired or fired[-1]:
        scene = Scene()
        TO[before](scene)
        crash = CrashAfter(len(fired))
        with suppress(Crash):
            set_status(scene, wanted, scene.disturbed(after=crash))
        fired.append(crash.fired)
        assert signed_in(scene) or not scene.agent("ann").signed_in
    assert len(fired) > 1


# --- removing and listing


def test_who_is_offline_is_removed_and_listed_no_more(scene: Scene) -> None:
    scene.registered("ann")
    scene.registered("bea")
    staffing.remove(scene.world, "ann")
    assert scene.floor.agent("ann") is None
    assert scene.floor.roster(9) == ["bea"]
    with pytest.raises(NotFound):
        staffing.find(scene.world, "ann")


@pytest.mark.parametrize("status", [AWAY, AVAILABLE, ATTENDING, WRAP_UP])
def test_who_is_signed_in_cannot_be_removed(scene: Scene, status: AgentStatus) -> None:
    TO[status](scene)
    before = scene.agent("ann")
    with pytest.raises(IllegalMove, match=f"is {status}; only who is offline") as refusal:
        staffing.remove(scene.world, "ann")
    assert refusal.value.status == status
    assert scene.agent("ann") == before
    assert scene.floor.roster(9) == ["ann"]


def test_who_signs_in_meanwhile_is_not_removed(scene: Scene) -> None:
    scene.registered("ann")
    world = scene.disturbed(before=Meanwhile("remove", lambda: set_status(scene, AVAILABLE)))
    with pytest.raises(Moved):
        staffing.remove(world, "ann")
    assert scene.agent("ann").status is AVAILABLE
    assert scene.floor.roster(9) == ["ann"]


def test_who_was_removed_before_is_not_found(scene: Scene) -> None:
    scene.registered("ann")
    staffing.remove(scene.world, "ann")
    with pytest.raises(NotFound):
        staffing.remove(scene.world, "ann")


def test_a_removal_whose_first_answer_was_lost_is_a_removal(scene: Scene) -> None:
    scene.registered("ann")
    staffing.remove(scene.another_world(sent_twice(scene.floor, "remove", "strike_from_roster")), "ann")
    assert scene.floor.agent("ann") is None
    assert scene.floor.roster(9) == []


def test_who_is_registered_again_has_a_later_epoch_than_ever(scene: Scene) -> None:
    scene.idle("ann")
    before = set_status(scene, OFFLINE)
    staffing.remove(scene.world, "ann")
    scene.later()
    again, is_new = register(scene)
    assert is_new
    assert again.epoch > before.epoch


def test_agents_are_listed_page_by_page(scene: Scene) -> None:
    registered = [scene.registered(f"agent-{number}") for number in range(5)]
    first, after_first = staffing.listed(scene.world, 2, after=None)
    second, after_second = staffing.listed(scene.world, 2, after=after_first)
    third, after_third = staffing.listed(scene.world, 2, after=after_second)
    assert [*first, *second, *third] == registered
    assert (len(first), len(second), after_third) == (2, 2, None)


def test_a_page_that_is_just_full_may_be_followed_by_an_empty_one(scene: Scene) -> None:
    ann = scene.registered("ann")
    assert staffing.listed(scene.world, 1, after=None) == ([ann], "ann")
    assert staffing.listed(scene.world, 1, after="ann") == ([], None)


def test_who_is_on_the_roster_only_is_not_listed(scene: Scene) -> None:
    ann = scene.registered("ann")
    scene.floor.list_on_roster("bea")
    assert staffing.listed(scene.world, 9, after=None) == ([ann], None)
