/**
 * How far the service itself has verified a log, and what it found: read from what {@link SelfVerification}
 * stores. Nothing is verified here.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { type ConsumerKey, type ConsumerRow, Consumers } from "../consumer/Consumers.ts"
import * as Field from "../encoding/FieldSchemas.ts"
import * as Micros from "../encoding/Micros.ts"
import { EventLog } from "../log/EventLog.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { readBreakKey, readBreakRow, STATE_KEY, VERIFICATION_CONSUMER } from "./BreakRows.ts"
import { headOf } from "./LogWitnesses.ts"
import { decodeState, type PassState } from "./PassState.ts"
import { ChainBreak } from "./Verification.ts"

/** Most findings that are listed. */
export const MAX_LISTED_FINDINGS = 100
/** Rows that are read at once. */
const PAGE_ROWS = 1_000

/** A break that the service found and that stands. */
export const Finding = Schema.Struct({
  event_id: ChainBreak.fields.event_id,
  type: ChainBreak.fields.type,
  found_at: Field.nullable(
    Field.timestamp(),
    "When the service found it first; null if a version before this field did"
  )
}).annotate({ identifier: "Finding", description: "A break that the service found by itself" })
export type Finding = typeof Finding.Type

/** How far the service itself has verified a log, and what it found. */
export const LogVerificationStatus = Schema.Struct({
  valid: Schema.Boolean.annotate({
    description: "No finding stands. It says something of the whole log only if `complete`"
  }),
  complete: Schema.Boolean.annotate({
    description: "Whether the pass in progress has checked every event that the log has now"
  }),
  sequence: Field.count("The last event that the pass has checked; 0 before the first of the chain"),
  events_checked: Field.count("Events of the chain that the pass has checked; legacy events are not counted"),
  total: Field.count("The sequence of the newest event of the log"),
  began_at: Field.nullable(Field.timestamp(), "When the pass began; null before the first pass"),
  reached_end_at: Field.nullable(
    Field.timestamp(),
    "When this pass or one before it last checked events up to the end of the log; null if none has. It does not move while no event comes"
  ),
  paused: Schema.Boolean.annotate({ description: "The operator has paused it" }),
  findings: Schema.Array(Finding).annotate({
    description: `The first ${MAX_LISTED_FINDINGS} findings that stand. One that a whole pass did not find again is repaired, and is not listed`
  }),
  findings_total: Field.count("Findings that stand, listed or not")
}).annotate({
  identifier: "LogVerificationStatus",
  description: "How far the service itself has verified the log, and what it found"
})
export type LogVerificationStatus = typeof LogVerificationStatus.Type

/**
 * Whether a finding of `pass` stands: the pass in progress found it, or the pass before found it and the one
 * in progress may not have come to its event yet.
 */
const stands = (state: PassState, pass: number): boolean =>
  pass >= (state.ended ? state.pass : state.pass - 1)

/** The findings that stand. Costs as much as reading the rows of all that were ever found. */
const findingsOf = Effect.fnUntraced(function* (
  { rowsAfter }: Consumers["Service"],
  key: ConsumerKey,
  state: PassState
) {
  const listed: Array<Finding> = []
  let total = 0
  let after: string | undefined = ""
  while (after !== undefined) {
    const rows: Effect.Success<ReturnType<typeof rowsAfter>> = yield* rowsAfter(key, after, PAGE_ROWS)
    for (const row of rows) {
      const found = readBreakKey(row.key)
      if (found === undefined) continue
      const { pass, foundAt } = readBreakRow(row.value)
      if (!stands(state, pass)) continue
      total++
      if (listed.length < MAX_LISTED_FINDINGS) {
        listed.push({ ...found, found_at: foundAt === null ? null : Micros.format(foundAt) })
      }
    }
    after = rows.length < PAGE_ROWS ? undefined : rows.at(-1)?.key
  }
  return { listed, total }
})

/** What the stored rows of a log's verification tell; undefined before its first pass. */
export const readVerification = (
  rows: ReadonlyArray<Pick<ConsumerRow, "key" | "value">>
): { readonly beganAt: Micros.Micros; readonly breaks: number } | undefined => {
  const state = Option.getOrUndefined(decodeState(rows.find(({ key }) => key === STATE_KEY)?.value))
  if (state === undefined) return undefined
  const standing = rows.filter(
    ({ key, value }) => readBreakKey(key) !== undefined && stands(state, readBreakRow(value).pass)
  )
  return { beganAt: state.began_at, breaks: standing.length }
}

const whenOf = (at: number | null): string | null => (at === null ? null : Micros.format(at))

/** The use case *how far is the service's own verification*. */
export class VerificationStatus extends Context.Service<
  VerificationStatus,
  { readonly of: (workspaceId: string) => Effect.Effect<LogVerificationStatus, StorageUnavailable> }
>()("@cairn/core/VerificationStatus") {
  static readonly layer = Layer.effect(
    VerificationStatus,
    Effect.gen(function* () {
      const consumers = yield* Consumers
      const log = yield* EventLog
      return VerificationStatus.of({
        of: Effect.fn("VerificationStatus.of")(function* (workspaceId) {
          const key = { workspaceId, consumer: VERIFICATION_CONSUMER }
          const position = (yield* consumers.list(workspaceId)).find(
            ({ consumer }) => consumer === VERIFICATION_CONSUMER
          )
          const [row] = yield* consumers.rows(key, [STATE_KEY])
          const state = Option.getOrUndefined(decodeState(row?.value))
          // Read last, so that no event is verified which the log is not said to have.
          const { sequence: total } = yield* headOf(log, workspaceId)
          const sequence = Math.max(0, position?.sequence ?? 0)
          const { listed, total: standing } =
            state === undefined ? { listed: [], total: 0 } : yield* findingsOf(consumers, key, state)
          return {
            valid: standing === 0,
            complete: state?.ended === true && sequence >= total,
            sequence,
            events_checked: state?.checked ?? 0,
            total,
            began_at: whenOf(state?.began_at ?? null),
            reached_end_at: whenOf(state?.reached_end_at ?? null),
            paused: position?.paused ?? false,
            findings: listed,
            findings_total: standing
          }
        })
      })
    })
  )
}
