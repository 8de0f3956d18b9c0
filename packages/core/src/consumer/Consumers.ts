/**
 * Port: the position of each consumer in the log, its state, and its effects.
 *
 * A consumer is a function `(state, batch of events) → (state, effects)`. The state is rows with keys; the
 * effects are alerts, and deliveries that are sent through the outbox. Position, rows and effects are
 * committed in one transaction, so that after a crash a batch is either done completely or done again from
 * the same position.
 */
import { Context, type Effect, type Option } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { Alert } from "./Alert.ts"
import type { NewDelivery } from "./Delivery.ts"

/**
 * The position before every possible event, including legacy events: where a consumer that wants all events
 * begins.
 */
export const BEFORE_FIRST_EVENT = -(2 ** 36)

/** One consumer of one log. */
export interface ConsumerKey {
  readonly workspaceId: string
  /** Such as `alerts`, or `stream:str_…`; at most 100 characters. */
  readonly consumer: string
}

/** The position of a consumer. */
export interface ConsumerPosition extends ConsumerKey {
  /** Every event up to this sequence was consumed. */
  readonly sequence: number
  /** It was paused at this position. */
  readonly paused: boolean
  /**
   * Increases with every commit and every command. A commit names the version that was read, so that the
   * slower of two changes nothing.
   */
  readonly version: number
  /** When it was last committed or changed by a command. */
  readonly updatedAt: Micros
}

/** One row of a consumer's state. */
export interface ConsumerRow {
  /** At most 700 characters. */
  readonly key: string
  /** Text of any length, usually JSON. */
  readonly value: string
  /** The row may be removed by any commit at or after this time; null keeps it. */
  readonly expiresAt: Micros | null
}

/** An alert and the messages about it. */
export interface RaisedAlert {
  readonly alert: Alert
  /** Stored only if the alert is new: a replay notifies nobody again. */
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/** The effects of a batch. */
export interface ConsumerCommit {
  /** The new position; the old one if only rows and effects are stored. */
  readonly sequence: number
  /** Rows that replace those with the same keys. */
  readonly rows: ReadonlyArray<ConsumerRow>
  readonly raised: ReadonlyArray<RaisedAlert>
  /** Deliveries that do not belong to an alert. */
  readonly deliveries: ReadonlyArray<NewDelivery>
  /** Rows that expire by this time of the log are removed; null removes none. */
  readonly expiredBy: Micros | null
  readonly at: Micros
}

/**
 * Contract:
 *
 * - `commit` stores everything or nothing, durably, and only if the position still has the given version and
 *   is not paused; otherwise it returns none and nothing is changed. So of two processes that read the same
 *   position, one commits. An alert or delivery whose id already exists is not changed.
 * - If rows that are read with `rows` after `open` or `hold` do not belong to that version, `commit` fails.
 * - `hold` gives a consumer to one holder until a given time, for work that must not be done twice at the
 *   same time but cannot be part of the transaction. It returns none while another process holds the
 *   consumer. A hold that would end more than `CLOCK_SLACK` after the requested one was taken with a clock
 *   that was ahead, and does not count. Taking over changes the version, so the former holder can no longer
 *   commit.
 * - `replay` moves a consumer to a sequence and removes all its rows; `pause` and `resume` change neither.
 *   Each takes effect at once: a batch that is being evaluated at that time cannot be committed.
 */
export interface ConsumersShape {
  /** The position; a new consumer begins after `sequence`. */
  readonly open: (
    key: ConsumerKey,
    sequence: number,
    at: Micros
  ) => Effect.Effect<ConsumerPosition, StorageUnavailable>
  /** The existing rows with these keys, in any order. */
  readonly rows: (
    key: ConsumerKey,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
  /**
   * At most `limit` rows whose keys follow `after`, in the order of their keys, which is the same each time.
   * Nothing precedes `""`.
   */
  readonly rowsAfter: (
    key: ConsumerKey,
    after: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
  readonly commit: (
    position: ConsumerPosition,
    commit: ConsumerCommit
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Takes or keeps the hold of a consumer that was opened. */
  readonly hold: (
    key: ConsumerKey,
    hold: { readonly holder: string; readonly at: Micros; readonly until: Micros }
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Releases a consumer that `holder` holds; otherwise it changes nothing. */
  readonly release: (key: ConsumerKey, holder: string) => Effect.Effect<void, StorageUnavailable>
  /** Of one log, by name. */
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<ConsumerPosition>, StorageUnavailable>
  /** Of one consumer over all logs. */
  readonly everywhere: (
    consumer: string
  ) => Effect.Effect<ReadonlyArray<ConsumerPosition>, StorageUnavailable>
  /** None if it was never opened. The same holds for the next two. */
  readonly pause: (
    key: ConsumerKey,
    at: Micros
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  readonly resume: (
    key: ConsumerKey,
    at: Micros
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Moves it so that the event after `sequence` is the next one. */
  readonly replay: (
    key: ConsumerKey,
    sequence: number,
    at: Micros
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Removes a consumer that no longer exists, with its rows. */
  readonly remove: (key: ConsumerKey) => Effect.Effect<void, StorageUnavailable>
}

/** The consumers' positions and rows. */
export class Consumers extends Context.Service<Consumers, ConsumersShape>()("@cairn/core/Consumers") {}
