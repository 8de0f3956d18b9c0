/** A step of the service's own verification of a log: it only reads. */
import { Effect } from "effect"
import { Sha256 } from "../hashing/Sha256.ts"
import { EventLog, type Head, type LogEntry } from "../log/EventLog.ts"
import { mayGoOn } from "../log/ReadingBound.ts"
import { type FoundRecords, removalLookup } from "../log/RemovalRecords.ts"
import { Replicas } from "../log/Replicas.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { ChainCheck } from "./ChainCheck.ts"
import { furthestWitness, headOf, type Witness, witnessReader } from "./LogWitnesses.ts"
import { type PassState, toHead, toHistory } from "./PassState.ts"
import type { ChainBreak } from "./Verification.ts"

/** Events of one step, so that no step is long. */
export const VERIFICATION_STEP = 1_000

/** What a step found, before anything of it is stored. */
export interface Step {
  readonly state: PassState
  /** The last event that was checked. */
  readonly sequence: number
  readonly count: number
  readonly more: boolean
  readonly breaks: ReadonlyArray<ChainBreak>
  /** Events of the chain that are left for the steps after it. */
  readonly left: number
}

/** Where a step begins. */
export interface StepStart {
  /** The number of the pass that continues or begins. */
  readonly state: PassState
  /** The event that precedes the step. */
  readonly after: number
}

/** The records of removals in the log of the last step: the next step is usually in the same log. */
interface Known {
  readonly workspaceId: string
  readonly records: FoundRecords | undefined
}

/** What a step needs. */
interface StepContext {
  readonly log: EventLog["Service"]
  readonly sha256: Sha256["Service"]
}

/** What is remembered of a log outside of it. */
type Remembered = Effect.Success<ReturnType<Effect.Success<typeof witnessReader>>>

/** A check that continues where the last step ended, and the rows of this step. */
const begin = Effect.fnUntraced(function* (
  { log, sha256 }: StepContext,
  workspaceId: string,
  { head, state, after, before }: StepStart & { readonly head: Head; readonly before: Known }
) {
  // Includes the event before, to which the first row links. That event itself was checked in the last step.
  const [first] = yield* log.entries(workspaceId, after, 1)
  const preceding = first?.sequence === after ? first : undefined
  const [from, wanted] =
    preceding === undefined ? [after, VERIFICATION_STEP + 1] : [after + 1, VERIFICATION_STEP]
  const rows = yield* log.entries(workspaceId, from, wanted)
  const found = preceding === undefined ? rows : [preceding, ...rows]
  // Also read again in each pass: a new record may keep a content that another record says was removed.
  const readBefore = before.workspaceId === workspaceId && after >= 1 ? before.records : undefined
  const { know, isRemoved, records } = removalLookup(log, sha256, workspaceId, readBefore)
  yield* know(rows)
  const check = new ChainCheck(sha256, workspaceId, after < 1 ? undefined : preceding, isRemoved)
  check.continueHistory(toHead(state.history))
  check.expectHistory(head)
  return { check, preceding, found, rows, records, more: mayGoOn(rows, wanted) }
})

const checkRow = (check: ChainCheck, row: LogEntry) =>
  row.sequence < 1 && row.eventHash === null ? check.checkLegacy(row) : check.check(row)

/** The log must end at its head: not before the head that was read first, and not after the head now. */
const checkEnd = Effect.fnUntraced(function* (
  log: EventLog["Service"],
  workspaceId: string,
  check: ChainCheck,
  head: Head,
  witnesses: ReadonlyArray<Witness>
) {
  check.finish(furthestWitness(head, witnesses), head.eventId)
  const now = yield* headOf(log, workspaceId)
  if (check.last !== undefined && check.last.sequence > now.sequence) check.beyond(now)
})

/** Does a step, given what is remembered of the log. */
const lookAgainst = Effect.fnUntraced(function* (
  context: StepContext,
  workspaceId: string,
  { state, after }: StepStart,
  remembered: Remembered,
  before: Known
) {
  const { log } = context
  const witnesses = [...remembered.witnesses]
  // Events whose loss the operator has accepted are no longer missing, and other events may be in their
  // place.
  const furthest =
    state.furthest !== null && state.furthest.sequence <= remembered.lostUpTo ? null : state.furthest
  if (furthest !== null) witnesses.push({ sequence: furthest.sequence, eventHash: furthest.hash })
  const head = yield* headOf(log, workspaceId)
  const { check, preceding, found, rows, records, more } = yield* begin(context, workspaceId, {
    head,
    state,
    after,
    before
  })
  for (const row of rows) checkRow(check, row)
  for (const row of found) {
    for (const witness of [head, ...witnesses]) check.checkWitness(witness, row)
  }
  if (!more) yield* checkEnd(log, workspaceId, check, head, witnesses)
  const last = rows.at(-1) ?? preceding
  const sequence = last?.sequence ?? after
  const step: Step = {
    sequence,
    count: rows.length,
    more,
    breaks: check.breaks,
    left: more ? Math.max(1, head.sequence - Math.max(0, sequence)) : 0,
    state: {
      ...state,
      ended: state.ended || !more,
      checked: state.checked + check.checked,
      history: sequence < 1 ? toHistory(check.history) : null,
      furthest:
        last !== undefined && sequence > Math.max(0, furthest?.sequence ?? 0)
          ? { sequence, hash: last.eventHash }
          : furthest
    }
  }
  return { step, known: { workspaceId, records: records() } satisfies Known }
})

/** Does a step in the log of a workspace. */
export type StepLook = (workspaceId: string, start: StepStart) => Effect.Effect<Step, StorageUnavailable>

/** Makes what does steps. */
export const makeStepLook = Effect.gen(function* () {
  const context: StepContext = { log: yield* EventLog, sha256: yield* Sha256 }
  const witnessesOf = yield* witnessReader
  const replicas = yield* Replicas
  let known: Known = { workspaceId: "", records: undefined }
  const look: StepLook = Effect.fnUntraced(function* (workspaceId, start) {
    // Read before the rows: otherwise an append in between would look as if events were missing.
    const remembered = yield* witnessesOf(workspaceId)
    // A break is one only if the store itself has it.
    const found = yield* replicas.reading(
      "now",
      Effect.suspend(() => lookAgainst(context, workspaceId, start, remembered, known)),
      ({ step }) => step.breaks.length === 0
    )
    known = found.known
    return found.step
  })
  return look
})
