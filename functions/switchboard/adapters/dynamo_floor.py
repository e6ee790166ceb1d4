"""The floor on DynamoDB. Item shapes and keys: see `items`.

One method is one request (`load_catalog` one per MB, `clear` one per 25 entries). Write units: 1 for each plain
write, 2 for each item of a transaction. Reads of STATE, lines and catalog are strongly consistent.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, cast

from switchboard.adapters import items
from switchboard.adapters.dynamo_table import DynamoTable, Refused
from switchboard.adapters.expressions import Change, change_of
from switchboard.adapters.items import Item
from switchboard.domain.agents import Agent, AgentStatus
from switchboard.domain.calls import Call, CallStatus
from switchboard.domain.catalog import Catalog, Pool, Queue
from switchboard.domain.lines import Entry, Line
from switchboard.domain.refusals import CatalogFull, Moved, NotFound
from switchboard.ports import Outcome, Pairing

if TYPE_CHECKING:
    from types_boto3_dynamodb import DynamoDBClient

AS_SEEN = "epoch = :seen_epoch AND #status = :seen_status"
ABSENT = "attribute_not_exists(pk)"
PRESENT = "attribute_exists(pk)"
NOT_LOOKED_AT = f"{ABSENT} OR (#status = :seen_status AND body = :seen_body)"
IN_LINE = "entry = :seen_entry"


class DynamoFloor:
    """Implements ports.Floor over one table."""

    def __init__(self, client: DynamoDBClient, table: str, *, ended_call_days: int) -> None:
        self._table = DynamoTable(client, table)
        self._ended_call_days = ended_call_days

    # --- the two truths

    def agent(self, agent_id: str) -> Agent | None:
        item = self._table.get(items.agent_key(agent_id))
        return items.agent_from(item) if item else None

    def call(self, call_id: str) -> Call | None:
        item = self._table.get(items.call_key(call_id))
        return items.call_from(item) if item else None

    def commit[T: (Agent, Call)](self, seen: T | None, new: T) -> None:
        try:
            self._table.update(self._transition(seen, new))
        except Refused as refused:
            raise Moved(_owner(refused.item)) from None

    def remove(self, agent: Agent) -> None:
        try:
            self._table.delete_if(Change(items.agent_key(agent.id), AS_SEEN, _seen(agent)))
        except Refused as refused:
            raise Moved(_owner(refused.item)) from None

    # --- lines

    def enter(self, entry: Entry) -> None:
        self._table.put(items.entry_item(entry))

    def clear(self, entries: Sequence[Entry]) -> None:
        self._table.delete_several([items.entry_key(entry) for entry in entries])

    def heads(
        self, line: Line, limit: int, *, newest_first: bool = False, after: Entry | None = None
    ) -> list[Entry]:
        start = items.entry_key(after) if after else None
        found = self._table.first_of(items.line_key(line), limit, newest_first=newest_first, after=start)
        return [items.entry_from(line, item) for item in found]

    def ahead_of(self, entry: Entry, limit: int) -> int:
        return self._table.count_before(items.entry_key(entry), limit)

    # --- pairs

    def claim(self, pairing: Pairing, *, at: int) -> Outcome:
        agent = Change(items.agent_key(pairing.agent.owner), IN_LINE, {":seen_entry": pairing.agent.key})
        call_id = pairing.call.owner if isinstance(pairing.call, Entry) else pairing.call.id
        agent.set(status=AgentStatus.ATTENDING.value, status_since=at, call=call_id)
        agent.add(epoch=1)
        agent.remove("entry", "wake")
        reasons = self._table.transact([agent, self._connection(pairing, at)])
        if reasons is None:
            return Outcome(won=True)
        agent_reason, call_reason = reasons
        return Outcome(
            agent_gone=agent_reason.refused,
            agent=cast(Agent | None, _owner(agent_reason.item)),
            call_gone=call_reason.refused,
            call=cast(Call | None, _owner(call_reason.item)),
        )

    def _connection(self, pairing: Pairing, at: int) -> Change:
        """The call's side of a claim; one that stands in no line may not have a STATE yet and is written whole."""
        agent_id, began, call = pairing.agent.owner, pairing.look_started_at, pairing.call
        if isinstance(call, Call):
            return self._transition(call, call.connected(agent_id, look_started_at=began, now=at))
        change = Change(items.call_key(call.owner), IN_LINE, {":seen_entry": call.key})
        change.set(
            status=CallStatus.CONNECTED.value,
            agent=agent_id,
            look_started_at=began,
            connected_at=at,
        )
        change.add(epoch=1)
        change.remove("entry")
        return change

    def part(self, agent: tuple[Agent, Agent], call: tuple[Call, Call]) -> None:
        reasons = self._table.transact([self._transition(*agent), self._transition(*call)])
        if reasons is not None:
            raise Moved(_owner(reasons[1].item if reasons[1].refused else reasons[0].item))

    # --- catalog

    def catalog_version(self) -> int:
        item = self._table.get(items.VERSION_KEY)
        return int(item["version"]) if item else 0

    def load_catalog(self, version: int) -> Catalog:
        pools: dict[str, Pool] = {}
        queues: dict[str, Queue] = {}
        for item in self._table.all_of(items.CATALOG):
            match str(item["sk"]).split("#"):
                case ["POOL", key]:
                    pools[key] = items.pool_from(item)
                case ["QUEUE", key]:
                    queues[key] = items.queue_from(item)
                case _:
                    pass
        return Catalog(version, pools, queues)

    def add_to_catalog(self, item: Pool | Queue, *, at_most: int) -> None:
        kind = "pools" if isinstance(item, Pool) else "queues"
        room = f"attribute_not_exists({kind}) OR {kind} < :at_most"
        version = Change(items.VERSION_KEY, room, {":at_most": at_most})
        version.add(version=1, **{kind: 1})
        new = Change(items.catalog_key(item), ABSENT, {})
        new.set(**items.catalog_item(item))
        reasons = self._table.transact([new, version])
        if reasons and not reasons[0].refused:
            raise CatalogFull(f"this floor has {at_most} distinct {kind} already, and may not have more")

    def change_in_catalog(self, item: Pool | Queue) -> None:
        version = Change(items.VERSION_KEY, PRESENT, {})
        version.add(version=1)
        changed = Change(items.catalog_key(item), PRESENT, {})
        changed.set(**items.catalog_item(item))
        if item.label is None:
            changed.remove("label")
        if self._table.transact([changed, version]) is not None:
            raise NotFound(f"there is no {type(item).__name__.lower()} {item.key}")

    # --- hints for listing

    def list_on_roster(self, agent_id: str) -> None:
        self._table.put(items.roster_key(agent_id))

    def strike_from_roster(self, agent_id: str) -> None:
        self._table.delete(items.roster_key(agent_id))

    def roster(self, limit: int, *, after: str | None = None) -> list[str]:
        start = items.roster_key(after) if after else None
        found = self._table.first_of(items.ROSTER, limit, after=start, consistent=False)
        return [str(item["sk"]) for item in found]

    def agents(self, agent_ids: Sequence[str]) -> list[Agent]:
        found = self._table.get_several([items.agent_key(agent_id) for agent_id in agent_ids])
        return sorted(map(items.agent_from, found), key=lambda agent: agent.id)

    def sign_in(self, pool: str, agent_id: str, *, epoch: int) -> None:
        self._table.put(items.staff_key(pool, agent_id) | {"epoch": epoch})

    def sign_out(self, pool: str, agent_id: str, *, epoch: int) -> None:
        with suppress(Refused):
            self._table.delete_if(
                Change(items.staff_key(pool, agent_id), "epoch < :epoch", {":epoch": epoch})
            )

    def anyone_signed_in(self, pool: str) -> bool:
        return bool(self._table.first_of(items.staff_of(pool), 1))

    # --- transitions

    def _transition(self, seen: Agent | Call | None, new: Agent | Call) -> Change:
        """From what was seen to what shall be; a call nobody has looked at may lack a STATE and is written whole."""
        after = self._item(new)
        if seen is None:
            return change_of({}, after, ABSENT, {})
        if isinstance(seen, Call) and seen.status is CallStatus.REQUESTED:
            as_asked: Item = {":seen_status": seen.status.value, ":seen_body": seen.body}
            return change_of({}, after, NOT_LOOKED_AT, as_asked)
        return change_of(self._item(seen), after, AS_SEEN, _seen(seen))

    def _item(self, owner: Agent | Call) -> Item:
        if isinstance(owner, Agent):
            return items.agent_item(owner)
        return items.call_item(owner, ended_call_days=self._ended_call_days)


def _seen(owner: Agent | Call) -> Item:
    return {":seen_epoch": owner.epoch, ":seen_status": owner.status.value}


def _owner(item: Item | None) -> Agent | Call | None:
    if not item:
        return None
    return items.agent_from(item) if str(item["pk"]).startswith("AGENT#") else items.call_from(item)
