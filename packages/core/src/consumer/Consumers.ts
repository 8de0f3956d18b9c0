/**
 * Port: how far each consumer of the log has come, what it remembers, and what it caused.
 *
 * A consumer is a function `(state, batch of events) → (state, effects)`. The state is keyed rows; the
 * effects are alerts, and deliveries that leave through the outbox. Position, rows and effects are committed
 * in one transaction, so that whatever a crash interrupts is either done whole or done again from the same
 * place.
 */
import { Context, type Effect, type Option } from "effect"
import type { Micros } from "../encoding/Micros.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { Alert } from "./Alert.ts"
import type { NewDelivery } from "./Delivery.ts"

/**
 * Before every event that there can be, legacy ones included: where a consumer that wants all of them begins.
 */
export const BEFORE_FIRST_EVENT = -(2 ** 36)

/** One consumer of one log. */
export interface ConsumerKey {
  readonly workspaceId: string
  /** Such as `alerts`, or `stream:str_…`; at most 100 characters. */
  readonly consumer: string
}

/** How far a consumer has come. */
export interface ConsumerPosition extends ConsumerKey {
  /** Every event up to this sequence is done. */
  readonly sequence: number
  /** It was told to stop where it stands. */
  readonly paused: boolean
  /**
   * Increases with every commit and every command. Who commits names the version that was read, so that the
   * slower of two changes nothing.
   */
  readonly version: number
  /** When it was last committed or commanded. */
  readonly updatedAt: Micros
}

/** One thing that a consumer remembers. */
export interface ConsumerRow {
  /** At most 700 characters. */
  readonly key: string
  /** Text of any length, usually JSON. */
  readonly value: string
  /** The row may be removed by any commit at or after this moment; null keeps it. */
  readonly expiresAt: Micros | null
}

/** An alert, and who is told of it. */
export interface RaisedAlert {
  readonly alert: Alert
  /** Stored only if the alert is new: a replay tells nobody again. */
  readonly deliveries: ReadonlyArray<NewDelivery>
}

/** What a batch led to. */
export interface ConsumerCommit {
  /** The new position; the old one's when only rows and effects are stored. */
  readonly sequence: number
  /** Rows to put in place of those with the same keys. */
  readonly rows: ReadonlyArray<ConsumerRow>
  readonly raised: ReadonlyArray<RaisedAlert>
  /** Deliveries that are not of an alert. */
  readonly deliveries: ReadonlyArray<NewDelivery>
  /** Rows that expire by this moment, on the log's clock, are removed; null removes none. */
  readonly expiredBy: Micros | null
  readonly at: Micros
}

/**
 * Contract:
 *
 * - `commit` stores all of it or none, durably, and only if the position still has the version that is named
 *   and is not paused; otherwise it answers none and nothing changed. So of two processes that read the same
 *   position, one commits. An alert or a delivery that is there already, by its id, stays as it was.
 * - Rows that `rows` reads after `open` or `hold` are those of that version, or `commit` will refuse.
 * - `hold` gives a consumer to one holder until a moment, for what must not be done twice at once although it
 *   cannot be part of the transaction. It answers none while another's hold lasts; one that would last longer
 *   than the hold that is asked for by more than `CLOCK_SLACK` was taken by a clock that ran ahead, and does
 *   not. Taking it over changes the version, so the former holder can commit nothing.
 * - `replay` moves a consumer to a sequence and forgets all its rows; `pause` and `resume` leave both. Each
 *   takes effect at once: what was being evaluated meanwhile cannot be committed.
 */
export interface ConsumersShape {
  /** The position, begun after `sequence` if there was none. */
  readonly open: (
    key: ConsumerKey,
    sequence: number,
    at: Micros
  ) => Effect.Effect<ConsumerPosition, StorageUnavailable>
  /** The rows of these keys, those that exist, in any order. */
  readonly rows: (
    key: ConsumerKey,
    keys: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<ConsumerRow>, StorageUnavailable>
  readonly commit: (
    position: ConsumerPosition,
    commit: ConsumerCommit
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Takes or keeps a consumer that was opened. */
  readonly hold: (
    key: ConsumerKey,
    hold: { readonly holder: string; readonly at: Micros; readonly until: Micros }
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Lets go of a consumer that `holder` holds; of another's it changes nothing. */
  readonly release: (key: ConsumerKey, holder: string) => Effect.Effect<void, StorageUnavailable>
  /** Of one log, by name. */
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<ConsumerPosition>, StorageUnavailable>
  /** Of one consumer over all logs. */
  readonly everywhere: (
    consumer: string
  ) => Effect.Effect<ReadonlyArray<ConsumerPosition>, StorageUnavailable>
  /** None when it was never opened, as for the next two. */
  readonly pause: (
    key: ConsumerKey,
    at: Micros
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  readonly resume: (
    key: ConsumerKey,
    at: Micros
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Moves it so that the event after `sequence` is its next. */
  readonly replay: (
    key: ConsumerKey,
    sequence: number,
    at: Micros
  ) => Effect.Effect<Option.Option<ConsumerPosition>, StorageUnavailable>
  /** Forgets a consumer that is no more, and its rows. */
  readonly remove: (key: ConsumerKey) => Effect.Effect<void, StorageUnavailable>
}

/** The consumers' positions and rows. */
export class Consumers extends Context.Service<Consumers, ConsumersShape>()("@cairn/core/Consumers") {}
