/**
 * What the clients of a log know of it, and whether the log agrees: for checking a log that was written
 * through crashes, lost responses and restarts.
 */

import { InvalidInput } from "@cairn/core/event"
import { type BatchOutcome, type LogEntry, QuotaReached } from "@cairn/core/log"
import { assert } from "@effect/vitest"
import { contentOf } from "./StoredContent.ts"

/** A request as its client knows it. */
export interface Attempt {
  readonly workspaceId: string
  /** A unique text for each event, which is its session. */
  readonly marks: ReadonlyArray<string>
  /** The idempotency key of each event. */
  readonly keys: ReadonlyArray<string | null>
  readonly begun: number
  /** The response; undefined if it was lost. */
  outcomes?: ReadonlyArray<{ readonly id: string; readonly duplicate: boolean }>
  ended?: number
}

/** Sends the bodies of events as one request; rejects if the outcome is unknown. */
export type Sender = (
  workspaceId: string,
  bodies: ReadonlyArray<object>
) => Promise<ReadonlyArray<BatchOutcome>>

/** The clients of a log. */
export interface LogModel {
  readonly attempts: ReadonlyArray<Attempt>
  /** Sends a request with one event for each key, and records the outcome. */
  readonly send: (sender: Sender, workspaceId: string, keys: ReadonlyArray<string | null>) => Promise<void>
  /** Compares a whole log, from its first event, with what its clients know. */
  readonly check: (workspaceId: string, log: ReadonlyArray<LogEntry>) => void
}

/** What was acknowledged before another request was sent comes before it. */
const checkOrder = (attempts: ReadonlyArray<Attempt>, byMark: ReadonlyMap<string, LogEntry>): void => {
  const placed = attempts
    .map(({ begun, ended, marks }) => {
      const sequences = marks.flatMap((mark) => byMark.get(mark)?.sequence ?? [])
      return { begun, ended, first: Math.min(...sequences), last: Math.max(...sequences) }
    })
    .filter(({ first }) => Number.isFinite(first))
  for (const before of placed) {
    for (const after of placed) {
      if (before.ended !== undefined && before.ended < after.begun) {
        assert.isBelow(before.last, after.first, "events are in the order in which they were accepted")
      }
    }
  }
}

/** The event that holds each idempotency key. */
const holdersOf = (log: ReadonlyArray<LogEntry>): ReadonlyMap<string, string> => {
  const holders = new Map<string, string>()
  for (const { content, id } of log) {
    const { idempotency_key: held } = JSON.parse(content ?? "{}")
    if (held === null) continue
    assert.isFalse(holders.has(held), `two events have ${held}`)
    holders.set(held, id)
  }
  return holders
}

/** What an answer has said to a client must be true. */
const checkAttempt = (
  { marks, keys, outcomes }: Attempt,
  byMark: ReadonlyMap<string, LogEntry>,
  holders: ReadonlyMap<string, string>
): void => {
  const arrived = marks.map((mark) => byMark.get(mark))
  if (outcomes === undefined) {
    // It is unknown whether it was accepted, but it must be complete or absent.
    const alone = arrived.filter((_, index) => keys[index] === null)
    assert.isTrue(
      alone.every((event) => event === undefined) || alone.every((event) => event !== undefined),
      "half of a request arrived"
    )
    return
  }
  for (const [index, { id, duplicate }] of outcomes.entries()) {
    const held = keys[index] ?? null
    assert.strictEqual(arrived[index]?.id, duplicate ? undefined : id)
    if (held !== null) assert.strictEqual(holders.get(held), id, `${held} is the event that was answered`)
  }
}

/** Clients that know nothing yet. */
export const makeLogModel = (): LogModel => {
  const attempts: Array<Attempt> = []
  let marked = 0
  return {
    attempts,
    send: async (sender, workspaceId, keys) => {
      const marks = keys.map(() => `mark-${marked++}`)
      const attempt: Attempt = { workspaceId, marks, keys, begun: performance.now() }
      attempts.push(attempt)
      const bodies = keys.map((idempotency_key, index) => ({
        actor_id: "a",
        action: "story.told",
        session_id: marks[index],
        ...(idempotency_key === null ? {} : { idempotency_key })
      }))
      const outcomes = await sender(workspaceId, bodies).catch(() => undefined)
      if (outcomes === undefined) return
      attempt.outcomes = outcomes.map((outcome) => {
        if (outcome instanceof InvalidInput || outcome instanceof QuotaReached) throw outcome
        return outcome
      })
      attempt.ended = performance.now()
    },
    check: (workspaceId, log) => {
      assert.deepStrictEqual(
        log.map(({ sequence }) => sequence),
        log.map((_, index) => index + 1)
      )
      const byMark = new Map(log.map((event) => [contentOf(event)?.session_id ?? "", event]))
      assert.strictEqual(byMark.size, log.length, "no event is there twice")
      const holders = holdersOf(log)
      const own = attempts.filter((attempt) => attempt.workspaceId === workspaceId)
      for (const attempt of own) checkAttempt(attempt, byMark, holders)
      checkOrder(own, byMark)
    }
  }
}
