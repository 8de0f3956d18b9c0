/** What the server's main thread asks of its log thread. */
import {
  Alert,
  AlertRuleDefinition,
  AnchorVerification,
  ChainVerification,
  ClockAhead,
  ConsistencyProof,
  DeliveryAttempt,
  DeliveryChannel,
  DeliveryStatus,
  Histogram,
  LogDamaged,
  LogNotAsSigned,
  MalformedHash,
  MissingNode,
  Page,
  RuleType,
  SecretUnreadable,
  SizesOutOfRange,
  StorageUnavailable
} from "@cairn/core"
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

const text = Schema.optionalKey(Schema.String)
const micros = Schema.NullOr(Schema.Number)

/** An `EventFilter`. */
const Filter = Schema.Struct({
  action: text,
  actorId: text,
  resource: text,
  resourceId: text,
  tenantId: text,
  sessionId: text,
  search: text,
  targetType: text,
  targetId: text,
  from: Schema.optionalKey(Schema.Number),
  to: Schema.optionalKey(Schema.Number)
})

/**
 * Events cross as JSON text, and are answered as it: they hold arbitrary JSON, which may be expensive to parse, and whose keys
 * (`__proto__` among them) a copy through a schema would have to be trusted with.
 */
const EventJson = Schema.String

/** A `ViewerScope`, or everything. */
const Viewer = Schema.NullOr(
  Schema.Struct({ tenantId: Schema.NullOr(Schema.String), actorId: Schema.NullOr(Schema.String) })
)

const DamagedTree = Schema.Union([MissingNode, MalformedHash])
const CheckpointError = Schema.Union([LogNotAsSigned, DamagedTree, SecretUnreadable, StorageUnavailable])

/** An `IssuedCheckpoint`. */
const Issued = Schema.Struct({
  size: Schema.Number,
  root: Schema.String,
  keyNumber: Schema.Number,
  note: Schema.String
})

/** A `ClosedPeriod`. */
const Period = Schema.Struct({
  id: Schema.String,
  workspaceId: Schema.String,
  ordinal: Schema.Number,
  start: Schema.Number,
  end: Schema.Number,
  firstSequence: Schema.Number,
  lastSequence: Schema.Number,
  firstEventHash: Schema.String,
  lastEventHash: Schema.String,
  merkleRoot: Schema.String
})

/** An `AlertFilter`. */
const AlertCondition = Schema.Struct({
  from: Schema.optionalKey(Schema.Number),
  to: Schema.optionalKey(Schema.Number),
  ruleType: Schema.optionalKey(RuleType)
})

/** A `DeliveryFilter`. */
const DeliveryCondition = Schema.Struct({
  channel: Schema.optionalKey(DeliveryChannel),
  target: text,
  status: Schema.optionalKey(DeliveryStatus)
})

/** A `Delivery`. */
const Delivery = Schema.Struct({
  id: Schema.String,
  number: Schema.Number,
  workspaceId: Schema.String,
  channel: DeliveryChannel,
  target: Schema.String,
  type: Schema.String,
  payload: Schema.String,
  createdAt: Schema.Number,
  status: DeliveryStatus,
  attempts: Schema.Number,
  dueAt: micros
})

/** A page's place in its list. */
const place = { workspaceId: Schema.String, before: micros, limit: Schema.Number }

/** The calls. */
export class LogRpcs extends RpcGroup.make(
  Rpc.make("Get", {
    payload: { workspaceId: Schema.String, eventId: Schema.String, visibleFrom: micros, viewer: Viewer },
    success: Schema.NullOr(EventJson),
    error: StorageUnavailable
  }),
  Rpc.make("List", {
    payload: {
      workspaceId: Schema.String,
      filter: Filter,
      before: micros,
      limit: Schema.Number,
      visibleFrom: micros
    },
    success: EventJson,
    error: StorageUnavailable
  }),
  Rpc.make("Histogram", {
    payload: { workspaceId: Schema.String, filter: Filter, visibleFrom: micros, buckets: Schema.Number },
    success: Histogram,
    error: StorageUnavailable
  }),
  Rpc.make("Verify", {
    payload: {
      workspaceId: Schema.String,
      from: Schema.optionalKey(Schema.Number),
      to: Schema.optionalKey(Schema.Number),
      limit: Schema.Number
    },
    success: ChainVerification,
    error: StorageUnavailable
  }),
  Rpc.make("Checkpoint", {
    payload: { workspaceId: Schema.String },
    success: Issued,
    error: CheckpointError
  }),
  Rpc.make("Consistency", {
    payload: { workspaceId: Schema.String, from: Schema.Number, to: Schema.Number },
    success: ConsistencyProof,
    error: Schema.Union([SizesOutOfRange, DamagedTree, StorageUnavailable])
  }),
  Rpc.make("Prove", {
    payload: {
      workspaceId: Schema.String,
      eventIds: Schema.Array(Schema.String),
      visibleFrom: micros,
      viewer: Viewer
    },
    success: Schema.Struct({ checkpoint: Schema.String, events: Schema.Array(EventJson) }),
    error: CheckpointError
  }),
  Rpc.make("ClosePeriod", {
    payload: { workspaceId: Schema.String },
    success: Schema.NullOr(Period),
    error: Schema.Union([LogDamaged, ClockAhead, StorageUnavailable])
  }),
  Rpc.make("VerifyAnchor", {
    payload: { workspaceId: Schema.String, anchorId: Schema.String },
    success: Schema.NullOr(AnchorVerification),
    error: StorageUnavailable
  }),
  Rpc.make("Alerts", {
    payload: { ...place, filter: AlertCondition },
    success: Page(Alert),
    error: StorageUnavailable
  }),
  Rpc.make("Backtest", {
    payload: { workspaceId: Schema.String, ruleId: Schema.String, definition: AlertRuleDefinition },
    success: Schema.Struct({
      alerts: Schema.Array(Alert),
      events: Schema.Number,
      complete: Schema.Boolean
    }),
    error: StorageUnavailable
  }),
  Rpc.make("Deliveries", {
    payload: { ...place, filter: DeliveryCondition },
    success: Page(Delivery),
    error: StorageUnavailable
  }),
  Rpc.make("Delivery", {
    payload: { workspaceId: Schema.String, id: Schema.String },
    success: Schema.NullOr(Schema.Struct({ delivery: Delivery, attempts: Schema.Array(DeliveryAttempt) })),
    error: StorageUnavailable
  }),
  /** Answers once nothing waits to be sequenced. */
  Rpc.make("Drain", { error: StorageUnavailable })
) {}
