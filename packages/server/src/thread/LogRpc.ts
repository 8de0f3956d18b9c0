/** What the server's main thread asks of its log thread. */
import {
  ChainVerification,
  ConsistencyProof,
  LogNotAsSigned,
  MalformedHash,
  MissingNode,
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
 * Events cross as JSON text: they hold arbitrary JSON, whose keys (`__proto__` among them) a copy through a schema would have to
 * be trusted with.
 */
const EventJson = Schema.String

const DamagedTree = Schema.Union([MissingNode, MalformedHash])
const CheckpointError = Schema.Union([LogNotAsSigned, DamagedTree, SecretUnreadable, StorageUnavailable])

/** An `IssuedCheckpoint`. */
const Issued = Schema.Struct({
  size: Schema.Number,
  root: Schema.String,
  keyNumber: Schema.Number,
  note: Schema.String
})

/** The calls. */
export class LogRpcs extends RpcGroup.make(
  Rpc.make("Get", {
    payload: { workspaceId: Schema.String, eventId: Schema.String, visibleFrom: micros },
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
    payload: { workspaceId: Schema.String, eventIds: Schema.Array(Schema.String), visibleFrom: micros },
    success: EventJson,
    error: CheckpointError
  }),
  /** Answers once nothing waits to be sequenced. */
  Rpc.make("Drain", { error: StorageUnavailable })
) {}
