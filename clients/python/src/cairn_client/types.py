# Made by `npm run generate:client` from the OpenAPI document; not to be edited.
"""Types of the interface, by the names of its OpenAPI document."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union


class _Accepted(TypedDict):
    id: str
    """Of the first event, for a duplicate"""
    status: Literal["queued", "duplicate"]
    """`queued`: it is recorded. `duplicate`: an event with its `idempotency_key` was there already"""


class Accepted(_Accepted, total=False):
    """What became of an event"""
    warnings: List[str]
    """Members that are not known and were left out, where the workspace's `unknown_fields` is `warn`"""


class Actor(TypedDict):
    """Who acted"""
    id: str
    """The actor's id in the client's system"""
    name: Union[str, None]
    """The actor's name at that time"""
    type: Union[str, None]
    """Usually `user`, `system` or `api_client`"""


class Alert(TypedDict):
    """A rule fired on an event"""
    id: str
    """The alert's id: `alt_` and a UUID"""
    rule_id: str
    """The rule that fired; it may be gone"""
    rule_name: str
    """The rule's name at that time"""
    rule_type: Literal[
        "new_country", "high_volume_destructive", "ingestion_spike", "repeated_action", "off_hours"
    ]
    """What the rule looks for"""
    event_id: str
    """The event that it fired on"""
    reason: str
    """Why it fired, in one sentence"""
    triggered_at: str
    """When it fired"""


class AlertRuleHighVolumeDestructive(TypedDict):
    """Where `rule_type` is `high_volume_destructive`"""
    name: str
    """The rule's name, which its alerts carry"""
    enabled: bool
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: int
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: Union[str, None]
    """The rule is evaluated only for this tenant's events; null for all"""
    action: Union[str, None]
    """The rule is evaluated only for events whose action matches this pattern; null for all"""
    rule_type: Literal["high_volume_destructive"]
    """What the rule looks for; it never changes"""
    parameters: HighVolumeDestructiveParameters
    id: str
    """The rule's id: `rul_` and a UUID"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _AlertRuleHighVolumeDestructiveInput(TypedDict):
    name: str
    """The rule's name, which its alerts carry"""
    rule_type: Literal["high_volume_destructive"]
    """What the rule looks for; it never changes"""


class AlertRuleHighVolumeDestructiveInput(_AlertRuleHighVolumeDestructiveInput, total=False):
    """Where `rule_type` is `high_volume_destructive`"""
    enabled: Union[bool, None]
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: Union[int, None]
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    action: str
    """Only events whose action matches this pattern; all where it is left out"""
    parameters: HighVolumeDestructiveParametersInput


class AlertRuleIngestionSpike(TypedDict):
    """Where `rule_type` is `ingestion_spike`"""
    name: str
    """The rule's name, which its alerts carry"""
    enabled: bool
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: int
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: Union[str, None]
    """The rule is evaluated only for this tenant's events; null for all"""
    action: Union[str, None]
    """The rule is evaluated only for events whose action matches this pattern; null for all"""
    rule_type: Literal["ingestion_spike"]
    """What the rule looks for; it never changes"""
    parameters: IngestionSpikeParameters
    id: str
    """The rule's id: `rul_` and a UUID"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _AlertRuleIngestionSpikeInput(TypedDict):
    name: str
    """The rule's name, which its alerts carry"""
    rule_type: Literal["ingestion_spike"]
    """What the rule looks for; it never changes"""


class AlertRuleIngestionSpikeInput(_AlertRuleIngestionSpikeInput, total=False):
    """Where `rule_type` is `ingestion_spike`"""
    enabled: Union[bool, None]
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: Union[int, None]
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    action: str
    """Only events whose action matches this pattern; all where it is left out"""
    parameters: IngestionSpikeParametersInput


class AlertRuleNewCountry(TypedDict):
    """Where `rule_type` is `new_country`"""
    name: str
    """The rule's name, which its alerts carry"""
    enabled: bool
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: int
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: Union[str, None]
    """The rule is evaluated only for this tenant's events; null for all"""
    action: Union[str, None]
    """The rule is evaluated only for events whose action matches this pattern; null for all"""
    rule_type: Literal["new_country"]
    """What the rule looks for; it never changes"""
    parameters: NewCountryParameters
    id: str
    """The rule's id: `rul_` and a UUID"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _AlertRuleNewCountryInput(TypedDict):
    name: str
    """The rule's name, which its alerts carry"""
    rule_type: Literal["new_country"]
    """What the rule looks for; it never changes"""


class AlertRuleNewCountryInput(_AlertRuleNewCountryInput, total=False):
    """Where `rule_type` is `new_country`"""
    enabled: Union[bool, None]
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: Union[int, None]
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    action: str
    """Only events whose action matches this pattern; all where it is left out"""
    parameters: NewCountryParametersInput


class AlertRuleOffHours(TypedDict):
    """Where `rule_type` is `off_hours`"""
    name: str
    """The rule's name, which its alerts carry"""
    enabled: bool
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: int
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: Union[str, None]
    """The rule is evaluated only for this tenant's events; null for all"""
    action: Union[str, None]
    """The rule is evaluated only for events whose action matches this pattern; null for all"""
    rule_type: Literal["off_hours"]
    """What the rule looks for; it never changes"""
    parameters: OffHoursParameters
    id: str
    """The rule's id: `rul_` and a UUID"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _AlertRuleOffHoursInput(TypedDict):
    name: str
    """The rule's name, which its alerts carry"""
    rule_type: Literal["off_hours"]
    """What the rule looks for; it never changes"""


class AlertRuleOffHoursInput(_AlertRuleOffHoursInput, total=False):
    """Where `rule_type` is `off_hours`"""
    enabled: Union[bool, None]
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: Union[int, None]
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    action: str
    """Only events whose action matches this pattern; all where it is left out"""
    parameters: OffHoursParametersInput


class AlertRulePatch(TypedDict, total=False):
    """What to change of a rule: fields that are left out stay, and so do parameters"""
    name: str
    """The rule's name, which its alerts carry"""
    rule_type: Literal[
        "new_country", "high_volume_destructive", "ingestion_spike", "repeated_action", "off_hours"
    ]
    """As it is: the type of a rule never changes"""
    enabled: bool
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: int
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: Union[str, None]
    """Replaced, never lifted: a rule for every tenant is another rule"""
    action: Union[str, None]
    """Replaced, never lifted; `*` is every action"""
    parameters: Dict[str, Any]
    """Those to change, of the rule's own type; the others stay"""


class AlertRuleRepeatedAction(TypedDict):
    """Where `rule_type` is `repeated_action`"""
    name: str
    """The rule's name, which its alerts carry"""
    enabled: bool
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: int
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: Union[str, None]
    """The rule is evaluated only for this tenant's events; null for all"""
    action: Union[str, None]
    """The rule is evaluated only for events whose action matches this pattern; null for all"""
    rule_type: Literal["repeated_action"]
    """What the rule looks for; it never changes"""
    parameters: RepeatedActionParameters
    id: str
    """The rule's id: `rul_` and a UUID"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _AlertRuleRepeatedActionInput(TypedDict):
    name: str
    """The rule's name, which its alerts carry"""
    rule_type: Literal["repeated_action"]
    """What the rule looks for; it never changes"""


class AlertRuleRepeatedActionInput(_AlertRuleRepeatedActionInput, total=False):
    """Where `rule_type` is `repeated_action`"""
    enabled: Union[bool, None]
    """Whether it is evaluated; it is unless said otherwise"""
    cooldown_seconds: Union[int, None]
    """
    After an alert, the same actor raises no further alert by this rule for this long, an hour
    unless given; 0 raises one for every event that qualifies
    """
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    action: str
    """Only events whose action matches this pattern; all where it is left out"""
    parameters: RepeatedActionParametersInput


class AlertRulesBacktestAnswer(TypedDict):
    """What it would have raised"""
    data: Backtest


class AlertRulesBacktestNewAnswer(TypedDict):
    """What it would have raised"""
    data: Backtest


class AlertRulesCreateAnswer(TypedDict):
    """The rule"""
    data: AlertRule


class AlertRulesDeleteAnswer(TypedDict):
    """The rule that was"""
    data: AlertRule


class AlertRulesGetAnswer(TypedDict):
    """The rule"""
    data: AlertRule


class AlertRulesUpdateAnswer(TypedDict):
    """The rule as it is now"""
    data: AlertRule


class AlertsAcknowledgeAnswer(TypedDict):
    """The alert, acknowledged"""
    data: ListedAlert


class Anchor(TypedDict):
    """The Merkle root of a period's events on a blockchain. Times have no fractional digits"""
    id: str
    """The anchor's id: `anc_` and a UUID"""
    merkle_root: str
    """Merkle root of the period's events"""
    previous_anchor_hash: Union[str, None]
    """The hash of the workspace's anchor before it; null for the first"""
    events_count: int
    """Events of the period"""
    period_start: str
    """The period begins here"""
    period_end: str
    """The period ends before this"""
    chain: Literal["base"]
    """The blockchain"""
    status: Literal["pending", "submitted", "confirmed"]
    """How far its transaction is: to be sent, sent, or in a block that stays"""
    tx_hash: Union[str, None]
    """Hash of the transaction that carries the root; null until it is sent"""
    block_number: Union[int, None]
    """The block that has the transaction; null until one has"""
    explorer_url: Union[str, None]
    """Where a block explorer shows the transaction; null until it is sent"""
    created_at: str
    """When the anchor was made"""


class AnchorDetail(TypedDict):
    """An anchor, with the hashes at both ends of its period. Times have no fractional digits"""
    id: str
    """The anchor's id: `anc_` and a UUID"""
    merkle_root: str
    """Merkle root of the period's events"""
    previous_anchor_hash: Union[str, None]
    """The hash of the workspace's anchor before it; null for the first"""
    events_count: int
    """Events of the period"""
    period_start: str
    """The period begins here"""
    period_end: str
    """The period ends before this"""
    chain: Literal["base"]
    """The blockchain"""
    status: Literal["pending", "submitted", "confirmed"]
    """How far its transaction is: to be sent, sent, or in a block that stays"""
    tx_hash: Union[str, None]
    """Hash of the transaction that carries the root; null until it is sent"""
    block_number: Union[int, None]
    """The block that has the transaction; null until one has"""
    explorer_url: Union[str, None]
    """Where a block explorer shows the transaction; null until it is sent"""
    created_at: str
    """When the anchor was made"""
    first_event_hash: str
    """The hash of the period's first event"""
    last_event_hash: str
    """The hash of its last event"""


class AnchorOnChain(TypedDict):
    """
    What the chain says. If it does not have the root, `valid` is false; any other difference makes
    `chain_valid` false
    """
    status: Literal["matches", "differs", "unreachable", "not_checked"]
    """
    `matches`: the chain has it as it is stored. `differs`: the chain has something else, or nothing
    in that block. `unreachable`: no node responded, so nothing is known. `not_checked`: the anchor
    is not confirmed, or no longer because the chain has dropped its block, or no chain is
    configured
    """
    detail: str
    """The same in one sentence"""


class AnchorSchedule(TypedDict):
    """When a workspace's periods end"""
    every_seconds: int
    """Seconds from one end to the next"""
    offset_seconds: int
    """Seconds from a multiple of that length, counted from the Unix epoch, to an end"""


class AnchorScheduleInput(TypedDict):
    """When a workspace's periods end"""
    every_seconds: int
    """From one end to the next"""
    offset_seconds: int
    """From a multiple of that length, counted from the Unix epoch, to an end; less than every_seconds"""


class _AnchorVerification(TypedDict):
    anchor_id: str
    """The anchor's id: `anc_` and a UUID"""
    merkle_root: str
    """Merkle root of the period's events"""
    valid: bool
    """Whether the root that is recomputed from the events equals the stored root"""
    chain_valid: bool
    """
    Whether `previous_anchor_hash` matches the anchor before; always true for a workspace's first
    anchor
    """
    expected: str
    """The root that is recomputed now"""
    actual: str
    """The root that was stored at creation"""
    events_count: int
    """Events of the period"""
    tx_hash: Union[str, None]
    """Hash of the transaction that carries the root; null until it is sent"""
    explorer_url: Union[str, None]
    """Where a block explorer shows the transaction; null until it is sent"""


class AnchorVerification(_AnchorVerification, total=False):
    """What verifying an anchor found"""
    on_chain: AnchorOnChain


class AnchoredEvent(TypedDict):
    """The proof that an event is in its anchor's tree"""
    anchor: AnchorDetail
    leaf_index: int
    """The event's index in the period, from 0"""
    hashes: List[str]
    """Siblings from the leaf up; the tree has the anchor's `events_count` leaves"""


class AnchorsClosePeriodAnswer(TypedDict):
    """The period that was closed; null when no event has come since the last one"""
    data: Union[ClosedPeriod, None]
    """The period; null if it has no event"""


class AnchorsGetAnswer(TypedDict):
    """The anchor"""
    data: AnchorDetail


class AnchorsVerifyAnswer(TypedDict):
    """What the verification found"""
    data: AnchorVerification


class ApiKey(TypedDict):
    """A key, without its secret"""
    id: str
    """The key's id: `key_` and a UUID"""
    prefix: str
    """The key's first characters, to recognise it by"""
    name: Union[str, None]
    """What it is for, in its owner's words; null for nothing"""
    scopes: List[Literal["ingest", "read", "export", "viewer", "admin"]]
    """What it may do"""
    created_by: Union[str, None]
    """Who made it: the id of a member, of a key, or `cairn-cli`; null where that is not known"""
    created_at: str
    """When it was made"""
    last_used_at: Union[str, None]
    """When it was last used; null for never"""
    expires_at: Union[str, None]
    """When it ends; null for never"""
    revoked_at: Union[str, None]
    """When it was revoked; null if it was not"""


class ApiKeyInput(TypedDict, total=False):
    """What a new key should be"""
    name: Union[str, None]
    """What it is for, in your words"""
    scopes: List[Literal["ingest", "read", "export", "viewer", "admin"]]
    """What it may do; all but `admin` unless given"""
    expires_at: str
    """ISO 8601, in the future; a key that never ends where it is left out"""


class ApiKeysCreateAnswer(TypedDict):
    """The key and its secret"""
    data: CreatedApiKey


class ApiKeysGetAnswer(TypedDict):
    """The key, without its secret"""
    data: ApiKey


class ApiKeysRevokeAnswer(TypedDict):
    """The key with the time of its revocation"""
    data: ApiKey


class Backtest(TypedDict):
    """What a rule would have raised over the whole log"""
    alerts: List[Alert]
    """Oldest first, at most 1,000; `triggered_at` is when the event was recorded"""
    events: int
    """Events that were looked at"""
    complete: bool
    """Whether it came to the end of the log; otherwise there were more alerts than are returned"""


class _BatchAccepted(TypedDict):
    accepted: int
    """How many are new"""
    duplicates: int
    """How many were there already, by their idempotency keys"""
    rejected: int
    """How many were not taken"""
    events: List[BatchItem]
    """One item for each that was submitted, in order"""


class BatchAccepted(_BatchAccepted, total=False):
    """One item for each that was submitted, in order"""
    warnings: List[str]
    """Members that are not known and were left out, where the workspace's `unknown_fields` is `warn`"""


class BatchInput(TypedDict):
    """Events that are recorded in this order"""
    events: List[EventInput]
    """1 to 100 events"""


class _BatchRejected(TypedDict):
    error: Literal["validation_failed"]
    """A stable code, to branch on"""
    message: str
    """What is wrong with the body, for a person"""


class BatchRejected(_BatchRejected, total=False):
    """The body is no batch, or every event of it is invalid; then `events` says why, one by one"""
    errors: List[BatchRejectedErrorsItem]
    """The wrong values; at most some twenty of each kind"""
    unknown_fields: List[str]
    """Members of the body that the server does not know, by their JSON paths; at most a hundred"""
    events: List[Rejected]
    """What is wrong with each, if every one was rejected"""


class BatchRejectedErrorsItem(TypedDict):
    field: str
    """The JSON path, such as `targets[0].type`"""
    message: str
    """What is wrong with it"""


class ChainBreak(TypedDict):
    """One place where the chain does not hold"""
    event_id: str
    """The event at which it shows"""
    type: Literal["hash_mismatch", "chain_break"]
    """
    `hash_mismatch`: the event was modified after ingestion. `chain_break`: an event was inserted or
    deleted before it, or, on the last one, after it
    """
    expected_hash: str
    """The hash that would hold there; empty if none"""
    actual_hash: str
    """The hash that is there instead; empty if none"""


class ChainVerification(TypedDict):
    """What verifying a chain, or a part of it, found"""
    valid: bool
    """
    No break in what was checked. Of the whole range only if `complete`, or after going on to the
    end
    """
    events_checked: int
    """Events of the chain that were checked; legacy events are skipped"""
    breaks: List[ChainBreak]
    """Where the chain does not hold; empty when it does"""
    complete: bool
    """Whether everything that was asked for was checked; without a `to`, up to the end of the log"""
    total: int
    """
    Events that the chain has in what was asked for, from `from` on: those whose content was
    removed, and places whose event is missing, too; legacy events not. Never less than
    `events_checked`
    """
    next: Union[str, None]
    """The `from` to go on with, with the same `to`; null when `complete`"""


class CheckpointsConsistencyAnswer(TypedDict):
    """The proof"""
    data: Consistency


class ClosedPeriod(TypedDict):
    """A period that was closed on demand"""
    id: str
    """The id of the anchor that it becomes: `anc_` and a UUID"""
    merkle_root: str
    """Merkle root of the period's events"""
    events_count: int
    """Events of the period"""
    period_start: str
    """The period begins here"""
    period_end: str
    """The period ends before this"""
    status: Literal["pending"]
    """It waits to be sent to the chain"""


class Consistency(TypedDict):
    """The proof that the log of one checkpoint begins with the log of an earlier one"""
    first_size: int
    """Events of the earlier log"""
    second_size: int
    """Events of the later one"""
    hashes: List[str]
    """The proof, in the order of RFC 9162 section 2.1.4.1"""


class CreatedApiKey(TypedDict):
    """A key with its secret"""
    id: str
    """The key's id: `key_` and a UUID"""
    prefix: str
    """The key's first characters, to recognise it by"""
    name: Union[str, None]
    """What it is for, in its owner's words; null for nothing"""
    scopes: List[Literal["ingest", "read", "export", "viewer", "admin"]]
    """What it may do"""
    created_by: Union[str, None]
    """Who made it: the id of a member, of a key, or `cairn-cli`; null where that is not known"""
    created_at: str
    """When it was made"""
    last_used_at: Union[str, None]
    """When it was last used; null for never"""
    expires_at: Union[str, None]
    """When it ends; null for never"""
    revoked_at: Union[str, None]
    """When it was revoked; null if it was not"""
    key: str
    """The key itself, for `Authorization: Bearer …`; it is not shown again"""


class CreatedExport(TypedDict):
    """An export that was asked for"""
    id: str
    """The export's id: `exp_` and a UUID"""
    status: Literal["pending", "processing", "completed", "failed"]
    """`pending`, then `processing`, then `completed` or `failed`, which are final"""
    filters: ExportFilters


class DeliveriesGetAnswer(TypedDict):
    """The delivery and every attempt at it"""
    data: DeliveryDetail


class DeliveriesRedeliverAnswer(TypedDict):
    """The message on its way"""
    data: Delivery


class Delivery(TypedDict):
    """A message to one receiver"""
    id: str
    """The delivery's id: `dlv_` and a UUID"""
    channel: Literal["webhook", "mail", "stream"]
    """How it is sent; `stream`: a test of a log stream"""
    target: str
    """A webhook's id, a mail address, or a log stream's id"""
    type: str
    """What it tells, such as `alert.triggered`"""
    status: Literal["pending", "delivered", "failed"]
    """On its way, taken by its receiver, or given up"""
    attempts: int
    """Attempts since it was made, or last sent again by hand"""
    next_attempt_at: Union[str, None]
    """When it is tried next; null when it is not"""
    created_at: str
    """When it was made"""


class DeliveryAttempt(TypedDict):
    """The first attempt; missing if none ended within `wait`"""
    started_at: str
    """When it began"""
    duration_ms: int
    """How long it took, in milliseconds"""
    status: Union[int, None]
    """Of the HTTP answer; null without one"""
    answer: str
    """The first 1,024 bytes of the answer"""
    error: Union[str, None]
    """Why no answer came"""


class DeliveryDetail(TypedDict):
    """A message, what it says, and every attempt at it"""
    id: str
    """The delivery's id: `dlv_` and a UUID"""
    channel: Literal["webhook", "mail", "stream"]
    """How it is sent; `stream`: a test of a log stream"""
    target: str
    """A webhook's id, a mail address, or a log stream's id"""
    type: str
    """What it tells, such as `alert.triggered`"""
    status: Literal["pending", "delivered", "failed"]
    """On its way, taken by its receiver, or given up"""
    attempts: int
    """Attempts since it was made, or last sent again by hand"""
    next_attempt_at: Union[str, None]
    """When it is tried next; null when it is not"""
    created_at: str
    """When it was made"""
    payload: str
    """The body, byte for byte"""
    log: List[DeliveryAttempt]
    """Every attempt, first to last"""


class EndedOwnSessions(TypedDict):
    """How many sessions ended"""
    ended: int
    """How many ended"""


class EndedSessions(TypedDict):
    """How many sessions ended"""
    member_id: str
    """Whose sessions ended"""
    ended: int
    """How many had been used for this workspace"""


class _Error(TypedDict):
    error: Literal[
        "malformed_json", "invalid_parameter", "unauthenticated", "ip_not_allowed",
        "insufficient_scope", "cross_origin", "other_person", "plan_limit_reached", "not_found",
        "method_not_allowed", "conflict", "export_not_ready", "link_expired", "payload_too_large",
        "unsupported_media_type", "range_not_satisfiable", "validation_failed", "rate_limited",
        "quota_exceeded", "internal", "unavailable"
    ]
    """A stable code, to branch on"""
    message: str
    """For a person; it may be worded differently tomorrow"""


class Error(_Error, total=False):
    """What went wrong"""
    errors: List[FieldError]
    """The wrong values of a body, or the parameter that is not valid"""
    unknown_fields: List[str]
    """Members of a body that the server does not know, by their JSON paths"""


class Event(TypedDict):
    """One action by one actor, recorded for good. Times are UTC with six fractional digits"""
    id: str
    """UUID, generated at ingestion: version 4, or 8 if it costs nothing of the quota"""
    actor: Actor
    action: str
    """Typically `resource.verb`"""
    action_category: Union[str, None]
    """A kind of action by which to group, such as `authentication`"""
    resource: Resource
    targets: List[Target]
    """What else the action touched; often nothing"""
    metadata: Union[Dict[str, Any], None]
    """Whatever the client says of the event"""
    tenant_id: Union[str, None]
    """The client's own customer that the event belongs to"""
    session_id: Union[str, None]
    """The session in which the actor acted"""
    ip_country: Union[str, None]
    """Two-letter ISO 3166-1 country code of the end user's address"""
    ip_city: Union[str, None]
    """The city of the end user's address"""
    idempotency_key: Union[str, None]
    """The key that the client gave, so that the event is recorded once"""
    version: Union[int, None]
    """The version of the event's form, as the client counts it"""
    integrity: Integrity
    occurred_at: str
    """When it happened, as the client says; when it was recorded, if it does not"""
    created_at: str
    """When it was recorded; strictly increasing along the chain"""


class EventCount(TypedDict):
    """How many events there are"""
    total: int
    """The exact number of events on all pages of the list"""


class _EventInput(TypedDict):
    actor_id: str
    """Who acts: the actor's id in your system"""
    action: str
    """What is done, typically `resource.verb`; `cairn.` begins the service's own actions"""


class EventInput(_EventInput, total=False):
    """An event as a client sends it; null counts as left out"""
    actor_name: Union[str, None]
    """The actor's name at this time"""
    actor_type: Union[str, None]
    """Usually `user`, `system` or `api_client`"""
    action_category: Union[str, None]
    """A kind of action by which to group, such as `authentication`"""
    resource_id: Union[str, None]
    """The id of what is acted on, in your system"""
    resource_name: Union[str, None]
    """Its name at this time"""
    resource: Union[str, None]
    """Its type, such as `invoice`"""
    metadata: Union[Dict[str, Any], None]
    """Whatever else is to be said of the event"""
    targets: Union[List[TargetInput], None]
    """What else the action touches"""
    occurred_at: Union[str, None]
    """When it happened; when it is recorded, unless given"""
    session_id: Union[str, None]
    """The session in which the actor acts"""
    tenant_id: Union[str, None]
    """The customer of yours that the event belongs to"""
    idempotency_key: Union[str, None]
    """
    Events that share a key are recorded once; give one to repeat a request without harm. `cairn.`
    begins the keys of the service's own events
    """
    version: Union[int, None]
    """The version of the event's form, as you count it"""
    ip_address: Union[str, None]
    """
    IPv4 or IPv6 address of the end user, for callers that act on their behalf; used for
    `ip_country` and `ip_city`, then dropped
    """


class EventPagination(TypedDict):
    """The position of a page in a list whose total takes long"""
    has_more: bool
    """Whether there is a page after this one"""
    next_cursor: Union[str, None]
    """The `cursor` of the next page; null on the last one"""
    total: Union[int, None]
    """The exact number of results on all pages; null with `total=none`"""


class EventProof(TypedDict):
    """The proof of one event; it needs no other event"""
    header: ProofHeader
    content: Union[Dict[str, Any], None]
    """What the client sent, as it was hashed; null if it was removed"""
    salt: Union[str, None]
    """What is hashed with the content; null if the content is null"""
    inclusion: List[str]
    """Siblings from the leaf up; its index is `sequence - 1`, and the tree has the checkpoint's size"""
    anchored: Union[AnchoredEvent, None]
    """The way to the root of its anchor; null until the event's period is anchored"""
    checkpoint: str
    """The signed checkpoint (C2SP tlog-checkpoint), byte for byte"""


class EventProofs(TypedDict):
    """The proofs of some events under one checkpoint"""
    checkpoint: str
    """The signed checkpoint (C2SP tlog-checkpoint), byte for byte"""
    events: List[ProvenEvent]
    """Those that were asked for, are in the chain and may be seen"""


class EventsCountAnswer(TypedDict):
    """The number of events"""
    data: EventCount


class EventsFacetsAnswer(TypedDict):
    """The most frequent values"""
    data: Facets


class EventsHistogramAnswer(TypedDict):
    """Counts over time"""
    data: Histogram


class EventsVerificationAnswer(TypedDict):
    """How far it has come, and what it found"""
    data: LogVerificationStatus


class EventsVerifyAnswer(TypedDict):
    """What the verification found"""
    data: ChainVerification


class Export(TypedDict):
    """An export. Members that are known only at completion are null before"""
    id: str
    """The export's id: `exp_` and a UUID"""
    status: Literal["pending", "processing", "completed", "failed"]
    """`pending`, then `processing`, then `completed` or `failed`, which are final"""
    format: Literal["csv", "ndjson", "evidence"]
    """A table, one event a line, or the bundle that the offline verifier reads"""
    filters: ExportFilters
    progress: int
    """How much of the log was looked through, in percent"""
    total_rows: Union[int, None]
    """Events in the file; null until it is completed"""
    file_size: Union[int, None]
    """The file's size in bytes; null until it is completed"""
    download_url: Union[str, None]
    """
    A signed link to the file, which needs no API key and ends with the access of who has asked;
    null until it is completed
    """
    created_at: str
    """When it was asked for"""
    expires_at: Union[str, None]
    """When file and link end, seven days after creation; null until it is completed"""


class ExportsCreateAnswer(TypedDict):
    """The export, which is made in the background"""
    data: CreatedExport


class ExportsGetAnswer(TypedDict):
    """The export"""
    data: Export


class FacetValue(TypedDict):
    """A value, and how many events have it"""
    value: str
    """What a filter takes"""
    label: Union[str, None]
    """The newest name of the actor, the resource or the target; null where there is none"""
    type: Union[str, None]
    """The type of the resource or the target; null for other fields, and where there is none"""
    count: int
    """How many events have it"""


class Facets(TypedDict):
    """The most frequent values of a field"""
    field: Literal[
        "action", "actor", "resource", "resource_id", "resource_name", "target", "session_id",
        "country", "category", "tenant_id"
    ]
    """The field"""
    values: List[FacetValue]
    """The 20 most frequent, the most frequent first; equal ones in the order of their bytes"""
    events: int
    """How many events were looked at"""
    complete: bool
    """
    Whether these are all events that the filter selects; otherwise the newest that could be counted
    in time
    """


class FieldError(TypedDict):
    """What is wrong with one member of a body, or with a parameter"""
    field: str
    """Its JSON path, such as `targets[0].type`, or the parameter's name"""
    message: str
    """What is wrong with it"""


class FileDestination(TypedDict):
    """A file on the server"""
    type: Literal["file"]
    """Lines appended to a file, where the operator allows it"""
    path: str
    """The file, below the workspace's own folder"""


class FileDestinationInput(TypedDict):
    """A file on the server"""
    type: Literal["file"]
    """Lines appended to a file, where the operator allows it"""
    path: str
    """The file, below the workspace's own folder"""


class FileDestinationPatch(TypedDict):
    """A file on the server"""
    type: Literal["file"]
    """Lines appended to a file, where the operator allows it"""
    path: str
    """The file, below the workspace's own folder"""


class Finding(TypedDict):
    """A break that the service found by itself"""
    event_id: str
    """The event at which it shows"""
    type: Literal["hash_mismatch", "chain_break"]
    """
    `hash_mismatch`: the event was modified after ingestion. `chain_break`: an event was inserted or
    deleted before it, or, on the last one, after it
    """
    found_at: Union[str, None]
    """When the service found it first; null if a version before this field did"""


class HealthLiveAnswer(TypedDict):
    """The process is alive"""
    status: Literal["ok"]
    """Always `ok`"""


class _HealthReadyAnswer(TypedDict):
    status: Literal["ready"]
    """The server takes requests"""
    writes: str
    """
    `ok`, or why the store takes no writes: `disk full`, `read-only`, `damaged`, `I/O error`, `old
    primary`, `no standby`, `no connection`, `no answer`, `busy` or `failed`
    """


class HealthReadyAnswer(_HealthReadyAnswer, total=False):
    """The server takes requests"""
    clock: str
    """By how much the clock is behind the newest record, beyond a minute; absent otherwise"""


class HighVolumeDestructiveParameters(TypedDict):
    """What counts as many destructive actions"""
    actions: List[str]
    """Patterns of the actions that count; those that delete, remove or revoke unless given"""
    threshold: int
    """How many are needed for an alert; 10 unless given"""
    window_seconds: int
    """Within how many seconds; 300 unless given"""
    scope: Literal["actor", "workspace"]
    """Whether to count each actor's actions, as unless given, or the whole workspace's"""


class HighVolumeDestructiveParametersInput(TypedDict, total=False):
    """What counts as many destructive actions"""
    actions: Union[List[str], None]
    """Patterns of the actions that count; those that delete, remove or revoke unless given"""
    threshold: Union[int, None]
    """How many are needed for an alert; 10 unless given"""
    window_seconds: Union[int, None]
    """Within how many seconds; 300 unless given"""
    scope: Union[Literal["actor", "workspace"], None]
    """Whether to count each actor's actions, as unless given, or the whole workspace's"""


class Histogram(TypedDict):
    """Counts over time"""
    bucket_seconds: int
    """How long each bucket is, in seconds"""
    buckets: List[HistogramBucket]
    """Ascending; those without an event are left out"""


class HistogramBucket(TypedDict):
    """A bucket with an event in it"""
    start: str
    """The bucket begins here"""
    count: int
    """The events in it"""


class HttpsDestination(TypedDict):
    """An HTTPS endpoint"""
    type: Literal["https"]
    """Batches as the body of a POST; any 2xx acknowledges"""
    url: str
    """Where they go, `https://…`"""
    body: Literal["ndjson", "array"]
    """One record a line, as unless given, or one JSON array"""
    authorization: Union[str, None]
    """The value of the header `Authorization`, such as `Bearer …`; shown as `***`, and null for none"""


class _HttpsDestinationInput(TypedDict):
    type: Literal["https"]
    """Batches as the body of a POST; any 2xx acknowledges"""
    url: str
    """Where they go, `https://…`"""


class HttpsDestinationInput(_HttpsDestinationInput, total=False):
    """An HTTPS endpoint"""
    body: Union[Literal["ndjson", "array"], None]
    """One record a line, as unless given, or one JSON array"""
    authorization: Union[Union[str, None], None]
    """The value of the header `Authorization`, such as `Bearer …`; shown as `***`, and null for none"""


class _HttpsDestinationPatch(TypedDict):
    type: Literal["https"]
    """Batches as the body of a POST; any 2xx acknowledges"""
    url: str
    """Where they go, `https://…`"""


class HttpsDestinationPatch(_HttpsDestinationPatch, total=False):
    """An HTTPS endpoint"""
    body: Literal["ndjson", "array"]
    """One record a line, as unless given, or one JSON array"""
    authorization: Union[str, None]
    """The value of the header `Authorization`, such as `Bearer …`; shown as `***`, and null for none"""


class IngestionSpikeParameters(TypedDict):
    """What counts as a spike"""
    window_seconds: Literal[
        10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 40, 45, 48, 50, 60, 72, 75, 80, 90, 100, 120, 144,
        150, 180, 200, 225, 240, 300, 360, 400, 450, 600, 720, 900, 1200, 1800, 3600
    ]
    """The window's length in seconds, a divisor of an hour; 60 unless given"""
    factor: float
    """A spike is more than this many times the mean; 5 unless given"""
    minimum_events: int
    """Fewer than these in a window are never a spike; 100 unless given"""


class IngestionSpikeParametersInput(TypedDict, total=False):
    """What counts as a spike"""
    window_seconds: Union[
        Literal[10, 12, 15, 16, 18, 20, 24, 25, 30, 36, 40, 45, 48, 50, 60, 72, 75, 80, 90, 100,
        120, 144, 150, 180, 200, 225, 240, 300, 360, 400, 450, 600, 720, 900, 1200, 1800, 3600],
        None
    ]
    """The window's length in seconds, a divisor of an hour; 60 unless given"""
    factor: Union[float, None]
    """A spike is more than this many times the mean; 5 unless given"""
    minimum_events: Union[int, None]
    """Fewer than these in a window are never a spike; 100 unless given"""


class Integrity(TypedDict):
    """The event's place in its workspace's hash chain; lower-case hexadecimal SHA-256"""
    event_hash: Union[str, None]
    """The event's hash; null until the event has its place in the chain, and for legacy events"""
    previous_event_hash: Union[str, None]
    """The hash of the event before it; null for the first event of a chain, too"""


class ListedAlert(TypedDict):
    """An alert, and who has acknowledged it"""
    id: str
    """The alert's id: `alt_` and a UUID"""
    rule_id: str
    """The rule that fired; it may be gone"""
    rule_name: str
    """The rule's name at that time"""
    rule_type: Literal[
        "new_country", "high_volume_destructive", "ingestion_spike", "repeated_action", "off_hours"
    ]
    """What the rule looks for"""
    event_id: str
    """The event that it fired on"""
    reason: str
    """Why it fired, in one sentence"""
    triggered_at: str
    """When it fired"""
    acknowledged_at: Union[str, None]
    """When it was acknowledged; null until then"""
    acknowledged_by: Union[str, None]
    """The id of the API key that acknowledged it; null until then"""


class LogStream(TypedDict):
    """A stream, and its health"""
    id: str
    """The stream's id: `str_` and a UUID"""
    name: str
    """The stream's name"""
    enabled: bool
    """Whether it sends; it does unless said otherwise"""
    format: Literal["cairn", "ocsf", "cloudevents", "cef"]
    """How an event is written; `cairn` unless given"""
    action: Union[str, None]
    """Only events whose action matches this pattern; null sends all"""
    tenant_id: Union[str, None]
    """Only this tenant's events; null sends all"""
    batch_events: Union[int, None]
    """A batch is sent when it has this many events; null for the destination's default"""
    batch_seconds: Union[int, None]
    """Or when its first event has waited this many seconds; null for the destination's default"""
    checkpoints: Union[bool, None]
    """
    Whether the log's checkpoints are sent too, if the destination has a form for them; null sends
    them unless the stream is for one tenant
    """
    destination: Destination
    status: Literal["healthy", "retrying", "down", "paused", "disabled"]
    """
    `retrying`: the last attempt failed. `down`: it has failed for long. `paused`: by hand.
    `disabled`: `enabled` is false
    """
    last_error: Union[str, None]
    """Why the last attempt failed; null after a success"""
    failing_since: Union[str, None]
    """Since when every attempt has failed; null after a success"""
    last_success_at: Union[str, None]
    """When the destination last took something; null for never"""
    sequence: int
    """
    Every event of the chain up to this one was sent, or is not one of the stream's events; 0 before
    the first
    """
    lag: int
    """Events of the log after that"""
    checkpoint_size: int
    """Size of the last checkpoint that was sent, or of the log where the stream began"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _LogStreamInput(TypedDict):
    name: str
    """The stream's name"""
    destination: DestinationInput


class LogStreamInput(_LogStreamInput, total=False):
    """A new stream; what is left out or null has its default"""
    enabled: Union[bool, None]
    """Whether it sends; it does unless said otherwise"""
    format: Union[Literal["cairn", "ocsf", "cloudevents", "cef"], None]
    """How an event is written; `cairn` unless given"""
    batch_events: Union[int, None]
    """A batch is sent when it has this many events; null for the destination's default"""
    batch_seconds: Union[int, None]
    """Or when its first event has waited this many seconds; null for the destination's default"""
    checkpoints: Union[bool, None]
    """
    Whether the log's checkpoints are sent too, if the destination has a form for them; null sends
    them unless the stream is for one tenant
    """
    action: str
    """Only events whose action matches this pattern; all where it is left out"""
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    start: Union[Literal["now", "beginning"], None]
    """`now`, the default, sends what is recorded from now on; `beginning` sends the whole log first"""


class LogStreamPatch(TypedDict, total=False):
    """What to change of a stream; fields that are left out stay"""
    name: str
    """The stream's name"""
    enabled: bool
    """Whether it sends; it does unless said otherwise"""
    format: Literal["cairn", "ocsf", "cloudevents", "cef"]
    """How an event is written; `cairn` unless given"""
    batch_events: Union[int, None]
    """A batch is sent when it has this many events; null for the destination's default"""
    batch_seconds: Union[int, None]
    """Or when its first event has waited this many seconds; null for the destination's default"""
    checkpoints: Union[bool, None]
    """
    Whether the log's checkpoints are sent too, if the destination has a form for them; null sends
    them unless the stream is for one tenant
    """
    action: Union[str, None]
    """Replaced, never lifted; `*` is every action"""
    tenant_id: Union[str, None]
    """Replaced, never lifted: a stream of every tenant is another stream"""
    destination: DestinationPatch


class LogStreamsCreateAnswer(TypedDict):
    """The stream"""
    data: LogStream


class LogStreamsDeleteAnswer(TypedDict):
    """The stream that was"""
    data: LogStream


class LogStreamsGetAnswer(TypedDict):
    """The stream and how it does"""
    data: LogStream


class LogStreamsPauseAnswer(TypedDict):
    """The stream, paused"""
    data: LogStream


class LogStreamsResumeAnswer(TypedDict):
    """The stream, on its way again"""
    data: LogStream


class LogStreamsTestAnswer(TypedDict):
    """The test, and what the destination answered"""
    data: TestDelivery


class LogStreamsUpdateAnswer(TypedDict):
    """The stream as it is now"""
    data: LogStream


class LogVerificationStatus(TypedDict):
    """How far the service itself has verified the log, and what it found"""
    valid: bool
    """No finding stands. It says something of the whole log only if `complete`"""
    complete: bool
    """Whether the pass in progress has checked every event that the log has now"""
    sequence: int
    """The last event that the pass has checked; 0 before the first of the chain"""
    events_checked: int
    """Events of the chain that the pass has checked; legacy events are not counted"""
    total: int
    """The sequence of the newest event of the log"""
    began_at: Union[str, None]
    """When the pass began; null before the first pass"""
    reached_end_at: Union[str, None]
    """
    When this pass or one before it last checked events up to the end of the log; null if none has.
    It does not move while no event comes
    """
    paused: bool
    """The operator has paused it"""
    findings: List[Finding]
    """
    The first 100 findings that stand. One that a whole pass did not find again is repaired, and is
    not listed
    """
    findings_total: int
    """Findings that stand, listed or not"""


class Member(TypedDict):
    """A person of the workspace"""
    id: str
    """The member's id: `mem_` and a UUID"""
    email: str
    """The person's address"""
    name: Union[str, None]
    """What the person is called; null for nothing"""
    role: Literal["owner", "admin", "developer", "auditor", "member"]
    """What the person may do; owners and admins get mail once the address is confirmed"""
    confirmed_at: Union[str, None]
    """When the person first showed to read the address's mail; null until then"""
    signed_in_at: Union[str, None]
    """
    When the person first came into the workspace with a session; null until then. The last owner
    who has stays one
    """
    expires_at: Union[str, None]
    """When the person's access ends; null for never"""
    managed_by: Union[Literal["oidc"], None]
    """`oidc` if the identity provider decides on role and membership; null if people do"""
    created_at: str
    """When it was added"""
    updated_at: str
    """When it was last changed"""


class _MemberInput(TypedDict):
    email: str
    """The person's address; no two members share one"""


class MemberInput(_MemberInput, total=False):
    """A new member"""
    name: Union[str, None]
    """What the person is called; null for nothing"""
    role: Union[Literal["owner", "admin", "developer", "auditor", "member"], None]
    """
    What the person may do; `member` unless given. `owner` may do everything, `admin` everything but
    what concerns owners, `developer` keeps keys, rules, webhooks and log streams, `auditor` reads,
    verifies and exports, `member` reads the log. Owners and admins get mail once their address is
    confirmed
    """
    expires_at: str
    """
    When the person's access ends, ISO 8601, in the future; never where it is left out. Not for
    owners and admins
    """


class MemberPatch(TypedDict, total=False):
    """What to change of a member; fields that are left out stay"""
    name: Union[str, None]
    """What the person is called; null for nothing"""
    role: Literal["owner", "admin", "developer", "auditor", "member"]
    """
    What the person may do. `owner` may do everything, `admin` everything but what concerns owners,
    `developer` keeps keys, rules, webhooks and log streams, `auditor` reads, verifies and exports,
    `member` reads the log. Owners and admins get mail once their address is confirmed
    """
    expires_at: Union[str, None]
    """
    When the person's access ends instead, ISO 8601, in the future. One that is there is moved and
    not lifted, but for who becomes an owner or admin
    """


class MemberSession(TypedDict):
    """A session that was used for the workspace"""
    id: str
    """The session's id: `ses_` and a UUID"""
    method: Literal["mail", "oidc", "operator"]
    """
    How the person signed in: by a link in a mail, by the identity provider, or by a link of the
    operator
    """
    client_address: Union[str, None]
    """The address it began from; null for none"""
    user_agent: Union[str, None]
    """The browser, as it names itself; null if it does not"""
    created_at: str
    """When the person signed in"""
    expires_at: str
    """When it ends, however much it is used"""
    member_id: str
    """Whose it is"""
    entered_at: str
    """When it was first used for this workspace"""


class MembersCreateAnswer(TypedDict):
    """The member"""
    data: Member


class MembersDeleteAnswer(TypedDict):
    """The member that was"""
    data: Member


class MembersEndSessionsAnswer(TypedDict):
    """How many sessions ended"""
    data: EndedSessions


class MembersGetAnswer(TypedDict):
    """The member"""
    data: Member


class MembersInviteAnswer(TypedDict):
    """The member, whose invitation is on its way"""
    data: Member


class MembersUpdateAnswer(TypedDict):
    """The member as it is now"""
    data: Member


class Membership(TypedDict):
    """A workspace that the person is a member of"""
    workspace: MembershipWorkspace
    """The workspace"""
    member_id: str
    """The person as a member of it"""
    name: Union[str, None]
    """What the person is called there; null for nothing"""
    role: Literal["owner", "admin", "developer", "auditor", "member"]
    """The person's role"""
    expires_at: Union[str, None]
    """When the person's access ends; null for never"""
    permissions: List[
        Literal["events:write", "events:read", "log:verify", "anchors:close", "alerts:read",
        "alerts:acknowledge", "exports:read", "exports:create", "viewer_tokens:create",
        "alert_rules:read", "alert_rules:write", "webhooks:read", "webhooks:write",
        "log_streams:read", "log_streams:write", "api_keys:read", "api_keys:write", "members:read",
        "members:write", "owners:write", "sessions:read", "sessions:end", "workspace:read",
        "viewer_key:rotate", "workspace:write", "usage:read"]
    ]
    """What the role may do"""


class MembershipWorkspace(TypedDict):
    """The workspace"""
    id: str
    """The workspace's id, for `X-Cairn-Workspace`"""
    name: str
    """Its name"""


class OffHoursParameters(TypedDict):
    """When people work, local to `timezone`, daylight saving included"""
    timezone: str
    """A name of the IANA time-zone database, such as `Europe/Berlin`; `UTC` unless given"""
    days: List[int]
    """
    Working days, from 1 (Monday) to 7 (Sunday), Monday to Friday unless given; if there are none,
    every action is off hours
    """
    start: str
    """The first minute of work, as `HH:MM`; `09:00` unless given"""
    end: str
    """The first minute after work; at or before `start` it is on the next day; `18:00` unless given"""


class OffHoursParametersInput(TypedDict, total=False):
    """When people work, local to `timezone`, daylight saving included"""
    timezone: Union[str, None]
    """A name of the IANA time-zone database, such as `Europe/Berlin`; `UTC` unless given"""
    days: Union[List[int], None]
    """
    Working days, from 1 (Monday) to 7 (Sunday), Monday to Friday unless given; if there are none,
    every action is off hours
    """
    start: Union[str, None]
    """The first minute of work, as `HH:MM`; `09:00` unless given"""
    end: Union[str, None]
    """The first minute after work; at or before `start` it is on the next day; `18:00` unless given"""


class OwnSession(TypedDict):
    """A session of the person's own"""
    id: str
    """The session's id: `ses_` and a UUID"""
    method: Literal["mail", "oidc", "operator"]
    """
    How the person signed in: by a link in a mail, by the identity provider, or by a link of the
    operator
    """
    client_address: Union[str, None]
    """The address it began from; null for none"""
    user_agent: Union[str, None]
    """The browser, as it names itself; null if it does not"""
    created_at: str
    """When the person signed in"""
    expires_at: str
    """When it ends, however much it is used"""
    last_used_at: str
    """When it was last used, to the minute"""
    current: bool
    """Whether it is the one that asks"""


class Pagination(TypedDict):
    """The position of a page in its list"""
    has_more: bool
    """Whether there is a page after this one"""
    next_cursor: Union[str, None]
    """The `cursor` of the next page; null on the last one"""
    total: int
    """The exact number of results on all pages"""


class _PendingRetention(TypedDict):
    retention_days: int
    """Days that contents are kept then"""
    takes_effect_at: str
    """From when on this counts"""


class PendingRetention(_PendingRetention, total=False):
    """A shorter retention that does not count yet"""
    followed_by: PendingRetentionFollowedBy
    """
    A further shortening that is pending, later: the plan's figure and the workspace's own may
    shrink at two moments
    """


class PendingRetentionFollowedBy(TypedDict):
    """
    A further shortening that is pending, later: the plan's figure and the workspace's own may
    shrink at two moments
    """
    retention_days: int
    """Days that contents are kept then"""
    takes_effect_at: str
    """From when on this counts"""


class Person(TypedDict):
    """Who has signed in"""
    id: str
    """The person's id: `per_` and a UUID"""
    email: str
    """The person's address"""
    session: OwnSession
    sign_in: SignInWays
    memberships: List[Membership]
    """The oldest first"""


class PlanLimits(TypedDict):
    """What the plan and the overrides together allow"""
    requests_per_minute: Union[int, None]
    """Requests a minute; null is unlimited"""
    alert_rules: Union[int, None]
    """Alert rules at a time; null is unlimited"""
    events_per_month: Union[int, None]
    """Events a calendar month (UTC); null is unlimited"""
    exports_per_month: Union[int, None]
    """Exports a calendar month (UTC); null is unlimited"""
    retention_days: Union[int, None]
    """Days that contents are kept; null is unlimited"""


class PlanOverrides(TypedDict, total=False):
    """Figures of the workspace that differ from its plan's; the operator's to change"""
    requests_per_minute: Union[int, None]
    """Requests a minute; null is unlimited"""
    alert_rules: Union[int, None]
    """Alert rules at a time; null is unlimited"""
    events_per_month: Union[int, None]
    """Events a calendar month (UTC); null is unlimited"""
    exports_per_month: Union[int, None]
    """Exports a calendar month (UTC); null is unlimited"""
    retention_days: Union[int, None]
    """Days that contents are kept; null is unlimited"""


class _Problem(TypedDict):
    type: Literal["about:blank"]
    """The status says it all"""
    title: str
    """The status in words"""
    status: int
    """The status"""
    detail: str
    """The same as `message`"""
    error: Literal[
        "malformed_json", "invalid_parameter", "unauthenticated", "ip_not_allowed",
        "insufficient_scope", "cross_origin", "other_person", "plan_limit_reached", "not_found",
        "method_not_allowed", "conflict", "export_not_ready", "link_expired", "payload_too_large",
        "unsupported_media_type", "range_not_satisfiable", "validation_failed", "rate_limited",
        "quota_exceeded", "internal", "unavailable"
    ]
    """A stable code, to branch on"""
    message: str
    """For a person; it may be worded differently tomorrow"""


class Problem(_Problem, total=False):
    """The same as problem details (RFC 9457), with `Accept: application/problem+json`"""
    errors: List[FieldError]
    """The wrong values of a body, or the parameter that is not valid"""
    unknown_fields: List[str]
    """Members of a body that the server does not know, by their JSON paths"""


class ProofHeader(TypedDict):
    """What an event's hash commits to: its members as canonical JSON, after the line `cairn.event.v1`"""
    content_hash: str
    """SHA-256 over the salt and the canonical content"""
    created_at: str
    """When the event was recorded"""
    id: str
    """The event's id"""
    previous_event_hash: Union[str, None]
    """The hash of the event before it; null for the first"""
    sequence: int
    """The event's place in the chain, from 1"""
    v: Literal[1]
    """The version of the header's form"""
    workspace_id: str
    """The workspace whose log it is"""


class ProofsInput(TypedDict):
    """The events whose proofs are asked for"""
    ids: List[str]
    """1 to 100 event ids"""


class ProvenEvent(TypedDict):
    """One event and its place in a checkpoint's tree, without the checkpoint"""
    header: ProofHeader
    content: Union[Dict[str, Any], None]
    """What the client sent, as it was hashed; null if it was removed"""
    salt: Union[str, None]
    """What is hashed with the content; null if the content is null"""
    inclusion: List[str]
    """Siblings from the leaf up; its index is `sequence - 1`, and the tree has the checkpoint's size"""
    anchored: Union[AnchoredEvent, None]
    """The way to the root of its anchor; null until the event's period is anchored"""


class _Rejected(TypedDict):
    id: None
    """It has none"""
    status: Literal["rejected"]
    """It was not recorded"""
    error: Literal["validation_failed", "quota_exceeded"]
    """A stable code, to branch on"""
    message: str
    """What is wrong with it, for a person"""


class Rejected(_Rejected, total=False):
    """An event of a batch that was refused on its own"""
    errors: List[RejectedErrorsItem]
    """The wrong values; at most some twenty of each kind"""
    unknown_fields: List[str]
    """Members of the body that the server does not know, by their JSON paths; at most a hundred"""


class RejectedErrorsItem(TypedDict):
    field: str
    """The JSON path, such as `targets[0].type`"""
    message: str
    """What is wrong with it"""


class RepeatedActionParameters(TypedDict):
    """What counts as repeated rapidly"""
    threshold: int
    """How many repetitions are needed for an alert; 20 unless given"""
    window_seconds: int
    """Within how many seconds; 60 unless given"""


class RepeatedActionParametersInput(TypedDict, total=False):
    """What counts as repeated rapidly"""
    threshold: Union[int, None]
    """How many repetitions are needed for an alert; 20 unless given"""
    window_seconds: Union[int, None]
    """Within how many seconds; 60 unless given"""


class Resource(TypedDict):
    """What was acted on"""
    type: Union[str, None]
    """The resource's type, such as `invoice`"""
    id: Union[str, None]
    """The resource's id in the client's system"""
    name: Union[str, None]
    """The resource's name at that time"""


class RotatedViewerKey(TypedDict):
    """The key that signs viewer tokens from now on"""
    id: str
    """`vky_` and a UUID: the `kid` of new tokens"""


class S3Destination(TypedDict):
    """A bucket of an S3-compatible store"""
    type: Literal["s3"]
    """Gzip objects of one record a line; `200` acknowledges"""
    endpoint: Union[str, None]
    """
    The store, such as `https://minio.example.com:9000`; the bucket is then part of the path. Null
    is AWS
    """
    region: str
    """The store's region; `us-east-1` unless given"""
    bucket: str
    """The bucket that objects are put into"""
    prefix: str
    """What keys begin with, without parts that are `..`; nothing unless given"""
    access_key_id: str
    """The id of the access key"""
    secret_access_key: str
    """The access key's secret; shown as `***`"""


class _S3DestinationInput(TypedDict):
    type: Literal["s3"]
    """Gzip objects of one record a line; `200` acknowledges"""
    bucket: str
    """The bucket that objects are put into"""
    access_key_id: str
    """The id of the access key"""
    secret_access_key: str
    """The access key's secret; shown as `***`"""


class S3DestinationInput(_S3DestinationInput, total=False):
    """A bucket of an S3-compatible store"""
    endpoint: Union[Union[str, None], None]
    """
    The store, such as `https://minio.example.com:9000`; the bucket is then part of the path. Null
    is AWS
    """
    region: Union[str, None]
    """The store's region; `us-east-1` unless given"""
    prefix: Union[str, None]
    """What keys begin with, without parts that are `..`; nothing unless given"""


class _S3DestinationPatch(TypedDict):
    type: Literal["s3"]
    """Gzip objects of one record a line; `200` acknowledges"""
    bucket: str
    """The bucket that objects are put into"""
    access_key_id: str
    """The id of the access key"""
    secret_access_key: str
    """The access key's secret; shown as `***`"""


class S3DestinationPatch(_S3DestinationPatch, total=False):
    """A bucket of an S3-compatible store"""
    endpoint: Union[str, None]
    """
    The store, such as `https://minio.example.com:9000`; the bucket is then part of the path. Null
    is AWS
    """
    region: str
    """The store's region; `us-east-1` unless given"""
    prefix: str
    """What keys begin with, without parts that are `..`; nothing unless given"""


class SessionsDeleteAnswer(TypedDict):
    """The session that was"""
    data: MemberSession


class SignInWays(TypedDict):
    """The ways to sign in that the service offers"""
    mail: bool
    """Whether the service sends mail: links to sign in, and invitations of new members"""
    provider: Union[str, None]
    """What people call the identity provider; null if there is none"""


class SignedCheckpoint(TypedDict):
    """A checkpoint that the service signed unasked"""
    origin: str
    """The log id: the first line of the note"""
    size: int
    """Events of the chain that it is about"""
    root: str
    """The RFC 6962 Merkle root over their hashes"""
    signed_at: str
    """By the service's clock; a note has no time"""
    note: str
    """The signed checkpoint (C2SP tlog-checkpoint), byte for byte"""


class SplunkHecDestination(TypedDict):
    """Splunk's HTTP Event Collector"""
    type: Literal["splunk_hec"]
    """`200` with code 0 acknowledges"""
    url: str
    """The collector, such as `https://splunk.example.com:8088`"""
    token: str
    """The collector's token; shown as `***`"""
    index: Union[str, None]
    """The index to write to; null for the token's own"""
    source: str
    """`source` of the events; `cairn` unless given"""
    sourcetype: str
    """`sourcetype` of the events; `cairn:audit` unless given"""


class _SplunkHecDestinationInput(TypedDict):
    type: Literal["splunk_hec"]
    """`200` with code 0 acknowledges"""
    url: str
    """The collector, such as `https://splunk.example.com:8088`"""
    token: str
    """The collector's token; shown as `***`"""


class SplunkHecDestinationInput(_SplunkHecDestinationInput, total=False):
    """Splunk's HTTP Event Collector"""
    index: Union[Union[str, None], None]
    """The index to write to; null for the token's own"""
    source: Union[str, None]
    """`source` of the events; `cairn` unless given"""
    sourcetype: Union[str, None]
    """`sourcetype` of the events; `cairn:audit` unless given"""


class _SplunkHecDestinationPatch(TypedDict):
    type: Literal["splunk_hec"]
    """`200` with code 0 acknowledges"""
    url: str
    """The collector, such as `https://splunk.example.com:8088`"""
    token: str
    """The collector's token; shown as `***`"""


class SplunkHecDestinationPatch(_SplunkHecDestinationPatch, total=False):
    """Splunk's HTTP Event Collector"""
    index: Union[str, None]
    """The index to write to; null for the token's own"""
    source: str
    """`source` of the events; `cairn` unless given"""
    sourcetype: str
    """`sourcetype` of the events; `cairn:audit` unless given"""


class SyslogDestination(TypedDict):
    """A syslog receiver"""
    type: Literal["syslog"]
    """RFC 5424 over TLS (RFC 5425) or plain TCP (RFC 6587)"""
    host: str
    """The receiver's name or address"""
    port: int
    """The receiver's port; 6514 unless given"""
    tls: bool
    """Whether over TLS, as unless given; plain TCP is readable by anyone on the network path"""
    facility: int
    """The facility of RFC 5424; 13, log audit, unless given"""
    hostname: str
    """HOSTNAME of the messages; `cairn` unless given"""
    app_name: str
    """APP-NAME of the messages; `cairn` unless given"""


class _SyslogDestinationInput(TypedDict):
    type: Literal["syslog"]
    """RFC 5424 over TLS (RFC 5425) or plain TCP (RFC 6587)"""
    host: str
    """The receiver's name or address"""


class SyslogDestinationInput(_SyslogDestinationInput, total=False):
    """A syslog receiver"""
    port: Union[int, None]
    """The receiver's port; 6514 unless given"""
    tls: Union[bool, None]
    """Whether over TLS, as unless given; plain TCP is readable by anyone on the network path"""
    facility: Union[int, None]
    """The facility of RFC 5424; 13, log audit, unless given"""
    hostname: Union[str, None]
    """HOSTNAME of the messages; `cairn` unless given"""
    app_name: Union[str, None]
    """APP-NAME of the messages; `cairn` unless given"""


class _SyslogDestinationPatch(TypedDict):
    type: Literal["syslog"]
    """RFC 5424 over TLS (RFC 5425) or plain TCP (RFC 6587)"""
    host: str
    """The receiver's name or address"""


class SyslogDestinationPatch(_SyslogDestinationPatch, total=False):
    """A syslog receiver"""
    port: int
    """The receiver's port; 6514 unless given"""
    tls: bool
    """Whether over TLS, as unless given; plain TCP is readable by anyone on the network path"""
    facility: int
    """The facility of RFC 5424; 13, log audit, unless given"""
    hostname: str
    """HOSTNAME of the messages; `cairn` unless given"""
    app_name: str
    """APP-NAME of the messages; `cairn` unless given"""


class _Target(TypedDict):
    type: str
    """The target's type, such as `user`"""


class Target(_Target, total=False):
    """Something else that the action touched. A field that the client omitted stays omitted"""
    id: str
    """The target's id in the client's system"""
    name: str
    """The target's name at that time"""
    metadata: Dict[str, Any]
    """Whatever the client says of it"""


class _TargetInput(TypedDict):
    type: str
    """The target's type, such as `user`"""


class TargetInput(_TargetInput, total=False):
    """Something else that the action touches"""
    id: Union[str, None]
    """The target's id in your system"""
    name: Union[str, None]
    """The target's name at this time"""
    metadata: Union[Dict[str, Any], None]
    """Whatever else is to be said of it"""


class _TestDelivery(TypedDict):
    id: str
    """The delivery's id: `dlv_` and a UUID"""
    channel: Literal["webhook", "mail", "stream"]
    """How it is sent; `stream`: a test of a log stream"""
    target: str
    """A webhook's id, a mail address, or a log stream's id"""
    type: str
    """What it tells, such as `alert.triggered`"""
    status: Literal["pending", "delivered", "failed"]
    """On its way, taken by its receiver, or given up"""
    attempts: int
    """Attempts since it was made, or last sent again by hand"""
    next_attempt_at: Union[str, None]
    """When it is tried next; null when it is not"""
    created_at: str
    """When it was made"""


class TestDelivery(_TestDelivery, total=False):
    """A test message, and what its receiver answered"""
    attempt: DeliveryAttempt


class Usage(TypedDict):
    """Accepted events, without duplicates, and exports of a calendar month (UTC)"""
    period_start: str
    """The beginning of the month"""
    period_end: str
    """The beginning of the next month, when the counts start again"""
    events: UsageFigure
    exports: UsageFigure


class UsageFigure(TypedDict):
    """One figure of a plan"""
    used: int
    """How many there were"""
    limit: Union[int, None]
    """How many there may be; null is unlimited"""


class ViewerKeyRotation(TypedDict, total=False):
    """How to replace the key that signs viewer tokens"""
    revoke: bool
    """Whether the tokens of the older keys end at once; otherwise they live as long as they would have"""


class ViewerSettings(TypedDict):
    """How the viewer of the workspace tells events"""
    sentences: Dict[str, Dict[str, str]]
    """
    By action, or `prefix.*` for all actions below a prefix, and by language (`en`, `de`, `ja`): a
    sentence such as `{actor} deleted {resource}`. It is filled with `{actor}`, `{action}`,
    `{resource}`, `{resource_type}`, `{target}` and `{tenant}`
    """


class ViewerSettingsInput(TypedDict):
    """How the viewer of the workspace tells events"""
    sentences: Dict[str, Dict[str, str]]
    """
    By action, or `prefix.*` for all actions below a prefix, and by language (`en`, `de`, `ja`): a
    sentence such as `{actor} deleted {resource}`. It is filled with `{actor}`, `{action}`,
    `{resource}`, `{resource_type}`, `{target}` and `{tenant}`
    """


class ViewerToken(TypedDict):
    """The token and when it ends"""
    token: str
    """A JWT (HS256), for `Authorization: Bearer …` or the page at `/viewer`"""
    expires_at: int
    """When it ends, in Unix seconds"""
    tenant_id: Union[str, None]
    """The only tenant whose events it shows; null for every one"""
    actor_id: Union[str, None]
    """The only actor whose events it shows; null for every one"""


class ViewerTokenAlias(TypedDict):
    """The token, by both names, and when it ends"""
    viewer_token: str
    """A JWT (HS256), for `Authorization: Bearer …` or the page at `/viewer`"""
    token: str
    """The same token"""
    expires_at: int
    """When it ends, in Unix seconds"""
    tenant_id: Union[str, None]
    """The only tenant whose events it shows; null for every one"""
    actor_id: Union[str, None]
    """The only actor whose events it shows; null for every one"""


class ViewerTokenInput(TypedDict, total=False):
    """What a token is to allow"""
    tenant_id: str
    """Only this tenant's events; every tenant's where it is left out"""
    actor_id: str
    """Only this actor's events; every actor's where it is left out"""
    ttl: int
    """Lifetime in seconds; 3600 unless given"""
    export: bool
    """
    Whether it also exports what it shows, by `GET /api/v1/events/export`; false unless given. Who
    makes such a token must be allowed to export: a key needs the scope `export`
    """


class Webhook(TypedDict):
    """A webhook, without its secret"""
    id: str
    """The webhook's id: `whk_` and a UUID"""
    url: str
    """Where messages go"""
    description: Union[str, None]
    """What it is for, in its owner's words; null for nothing"""
    types: List[
        Literal["alert.triggered", "anchor.confirmed", "checkpoint.signed", "export.completed",
        "export.failed", "chain.broken", "webhook.test"]
    ]
    """The types of messages that it gets"""
    enabled: bool
    """Whether it is sent anything"""
    disabled_reason: Union[Literal["gone", "failing"], None]
    """
    Why Cairn switched it off: it answered `410`, or failed for days; null while it is on, or when
    it was switched off by hand
    """
    failing_since: Union[str, None]
    """Since when every attempt has failed; null after a success"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""


class _WebhookInput(TypedDict):
    url: str
    """Where messages go, `https://…`"""


class WebhookInput(_WebhookInput, total=False):
    """A new webhook; without `types` it gets messages of every type"""
    description: Union[str, None]
    """What it is for, in your words; null for nothing"""
    types: List[
        Literal["alert.triggered", "anchor.confirmed", "checkpoint.signed", "export.completed",
        "export.failed", "chain.broken"]
    ]
    """The types of messages that it gets"""
    enabled: Union[bool, None]
    """Whether it is sent anything; it is unless said otherwise"""


class WebhookPatch(TypedDict, total=False):
    """What to change of a webhook; fields that are left out stay. Of `types` give the whole list"""
    url: str
    """Where messages go, `https://…`"""
    description: Union[str, None]
    """What it is for, in your words; null for nothing"""
    types: List[
        Literal["alert.triggered", "anchor.confirmed", "checkpoint.signed", "export.completed",
        "export.failed", "chain.broken"]
    ]
    """The types of messages that it gets"""
    enabled: bool
    """Whether it is sent anything; it is unless said otherwise"""


class WebhookWithSecret(TypedDict):
    """A webhook with its secret"""
    id: str
    """The webhook's id: `whk_` and a UUID"""
    url: str
    """Where messages go"""
    description: Union[str, None]
    """What it is for, in its owner's words; null for nothing"""
    types: List[
        Literal["alert.triggered", "anchor.confirmed", "checkpoint.signed", "export.completed",
        "export.failed", "chain.broken", "webhook.test"]
    ]
    """The types of messages that it gets"""
    enabled: bool
    """Whether it is sent anything"""
    disabled_reason: Union[Literal["gone", "failing"], None]
    """
    Why Cairn switched it off: it answered `410`, or failed for days; null while it is on, or when
    it was switched off by hand
    """
    failing_since: Union[str, None]
    """Since when every attempt has failed; null after a success"""
    created_at: str
    """When it was made"""
    updated_at: str
    """When it was last changed"""
    secret: str
    """What its messages are signed with, `whsec_…`; it is not shown again"""


class WebhooksCreateAnswer(TypedDict):
    """The webhook and its secret"""
    data: WebhookWithSecret


class WebhooksDeleteAnswer(TypedDict):
    """The webhook that was"""
    data: Webhook


class WebhooksGetAnswer(TypedDict):
    """The webhook, without its secret"""
    data: Webhook


class WebhooksRotateSecretAnswer(TypedDict):
    """The webhook and its new secret"""
    data: WebhookWithSecret


class WebhooksTestAnswer(TypedDict):
    """The message, and what the receiver answered"""
    data: TestDelivery


class WebhooksUpdateAnswer(TypedDict):
    """The webhook as it is now"""
    data: Webhook


class Workspace(TypedDict):
    """A workspace's settings, and what its plan allows"""
    id: str
    """The workspace's id, such as `wsp_` and a UUID"""
    name: str
    """The workspace's name"""
    log_origin: str
    """
    The log's origin: the first line of its checkpoints, by which witnesses know it, such as
    `audit.example.com/wsp_…`
    """
    plan: Literal["free", "starter", "pro", "enterprise"]
    """The operator's to change, as is what follows from it"""
    limits: PlanLimits
    overrides: PlanOverrides
    retention_days: Union[int, None]
    """
    How long the workspace wants contents kept, at most its plan's figure; null leaves it to the
    plan
    """
    effective_retention_days: Union[int, None]
    """How long they are kept at this moment; null is for ever"""
    pending_retention: Union[PendingRetention, None]
    """
    A shorter retention that was announced and does not count yet, the next one; null when there is
    none
    """
    ip_allowlist: List[str]
    """Addresses and CIDRs that keys may be used from; empty for any"""
    viewer_frame_ancestors: Union[List[str], None]
    """
    Those whose pages may embed the viewer, as in CSP's `frame-ancestors`, and read the answers to
    its tokens (CORS); null leaves it to the service
    """
    anchor_schedule: Union[AnchorSchedule, None]
    """When the periods of its anchors end; null leaves it to the service"""
    unknown_fields: Literal["reject", "warn"]
    """
    What becomes of an event with a member that the service does not know: `reject` (422), or
    `warn`: it is recorded without the member, and the answer says so in `warnings`
    """
    key_access_events: bool
    """
    Whether what API keys read is recorded in the log, as what people and viewers read always is
    (`cairn.access.*`)
    """
    viewer: Union[ViewerSettings, None]
    """How its viewer tells events; null leaves it to the viewer"""
    created_at: str
    """When it was made"""


class WorkspaceGetAnswer(TypedDict):
    """The workspace"""
    data: Workspace


class WorkspacePatch(TypedDict, total=False):
    """What to change of the workspace; fields that are left out stay"""
    name: str
    """The workspace's name"""
    retention_days: Union[int, None]
    """At most the plan's figure, `limits.retention_days`; null leaves it to the plan"""
    ip_allowlist: List[str]
    """
    Addresses and CIDRs that keys may be used from. One that has members is not emptied: `0.0.0.0/0`
    and `::/0` let everyone in
    """
    viewer_frame_ancestors: Union[List[str], None]
    """
    Those whose pages may embed the viewer, as in CSP's `frame-ancestors`; null leaves it to the
    service
    """
    anchor_schedule: Union[AnchorScheduleInput, None]
    """When the periods of its anchors end; null leaves it to the service"""
    unknown_fields: Literal["reject", "warn"]
    """What becomes of an event with an unknown member: `reject`, the default, or `warn`"""
    key_access_events: bool
    """Whether what API keys read is recorded in the log; not unless set"""
    viewer: Union[ViewerSettingsInput, None]
    """How its viewer tells events, replaced as a whole; null leaves it to the viewer"""


class WorkspaceRotateViewerKeyAnswer(TypedDict):
    """The new key's id"""
    data: RotatedViewerKey


class WorkspaceUpdateAnswer(TypedDict):
    """The workspace as it is now"""
    data: Workspace


class WorkspaceUsageAnswer(TypedDict):
    """This month's figures"""
    data: Usage


class WorkspaceViewerSettingsAnswer(TypedDict):
    """The workspace's own sentences"""
    data: ViewerSettings


AlertRule = Union["AlertRuleNewCountry", "AlertRuleHighVolumeDestructive", "AlertRuleIngestionSpike", "AlertRuleRepeatedAction", "AlertRuleOffHours"]


AlertRuleInput = Union["AlertRuleNewCountryInput", "AlertRuleHighVolumeDestructiveInput", "AlertRuleIngestionSpikeInput", "AlertRuleRepeatedActionInput", "AlertRuleOffHoursInput"]


BatchItem = Union["Accepted", "Rejected"]


Destination = Union["HttpsDestination", "SyslogDestination", "S3Destination", "SplunkHecDestination", "FileDestination"]


DestinationInput = Union["HttpsDestinationInput", "SyslogDestinationInput", "S3DestinationInput", "SplunkHecDestinationInput", "FileDestinationInput"]


DestinationPatch = Union["HttpsDestinationPatch", "SyslogDestinationPatch", "S3DestinationPatch", "SplunkHecDestinationPatch", "FileDestinationPatch"]


ExportFilters = TypedDict(
    "ExportFilters",
    {
        "from": "str",
        "to": "str",
        "time": "Literal[\"recorded\", \"occurred\"]",
        "actor_id": "Union[str, List[str]]",
        "action": "Union[str, List[str]]",
        "category": "Union[str, List[str]]",
        "resource": "Union[str, List[str]]",
        "resource_id": "Union[str, List[str]]",
        "resource_name": "Union[str, List[str]]",
        "target_type": "Union[str, List[str]]",
        "target_id": "Union[str, List[str]]",
        "tenant_id": "Union[str, List[str]]",
        "session_id": "Union[str, List[str]]",
        "country": "Union[str, List[str]]",
        "search": "Union[str, List[str]]",
    },
    total=False,
)


ExportInput = TypedDict(
    "ExportInput",
    {
        "from": "str",
        "to": "str",
        "time": "Literal[\"recorded\", \"occurred\"]",
        "actor_id": "Union[str, List[str]]",
        "action": "Union[str, List[str]]",
        "category": "Union[str, List[str]]",
        "resource": "Union[str, List[str]]",
        "resource_id": "Union[str, List[str]]",
        "resource_name": "Union[str, List[str]]",
        "target_type": "Union[str, List[str]]",
        "target_id": "Union[str, List[str]]",
        "tenant_id": "Union[str, List[str]]",
        "session_id": "Union[str, List[str]]",
        "country": "Union[str, List[str]]",
        "search": "Union[str, List[str]]",
        "format": "Union[Literal[\"csv\", \"ndjson\", \"evidence\"], None]",
    },
    total=False,
)


NewCountryParameters = Dict[str, Any]


NewCountryParametersInput = Dict[str, Any]
