/** What the log thread is started with. */
import { ClockReading } from "@cairn/core/log"
import { Schema } from "effect"
import { ChainSettings } from "../settings/AnchorSettings.ts"
import { Database } from "../settings/Database.ts"
import { LogLevelName } from "../settings/LogLevel.ts"
import { OtlpTarget } from "../settings/TelemetrySettings.ts"

/** Crosses as structured clone. */
export const ThreadConfig = Schema.Struct({
  database: Database,
  /** Whether the thread sequences and indexes by itself, or only does what it is called for. */
  works: Schema.Boolean,
  inboxCapacity: Schema.Number,
  /** Most connections to a PostgreSQL database, for each of the process's three threads. */
  connections: Schema.Number,
  /** Seconds that the database is waited for, should it be away at the start; without them it is not. */
  waitSeconds: Schema.optionalKey(Schema.Number),
  /** Keys that seal secrets at rest, newest first, each the base64 of 32 bytes. */
  secretKeys: Schema.Array(Schema.String),
  /** The chain that anchors go to; null for none. */
  chain: Schema.NullOr(ChainSettings),
  /** Seconds between the ends of two periods, counted from midnight UTC. */
  anchorEverySeconds: Schema.Number,
  /** `.mmdb` files; null looks for an installed package. */
  geoipFiles: Schema.NullOr(Schema.Array(Schema.String)),
  logLevel: LogLevelName,
  /** Shared by the process's threads: what they have seen of a PostgreSQL database, see `SeenHeads`. */
  seen: Schema.optionalKey(Schema.instanceOf(SharedArrayBuffer)),
  /** What the clocks read when the process began to serve. */
  clock: Schema.optionalKey(ClockReading),
  /** Name of the channel on which the log thread sends the ids of logs that have grown. */
  growth: Schema.String,
  /** Name of the channel on which the threads report what they have metered. */
  metrics: Schema.String,
  /** Where spans are pushed to, and the channel that says which of them accepted an event; null for none. */
  traces: Schema.NullOr(Schema.Struct({ target: OtlpTarget, channel: Schema.String }))
})
export type ThreadConfig = typeof ThreadConfig.Type
