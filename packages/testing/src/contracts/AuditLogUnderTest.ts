/** What the contract of `openAuditLog` needs, and what its tests have in common. */
import type { AuditEvent, AuditLog, Log } from "@cairn/core/audit-log"
import { assert } from "@effect/vitest"

/** What the suite needs. */
export interface AuditLogUnderTest {
  /**
   * Opens a log in a database of its own, or in the one with this name; `options` are added to those that
   * name the database.
   */
  readonly open: (name?: string, options?: Readonly<Record<string, unknown>>) => Promise<AuditLog>
  /**
   * Runs a separate program on the database with this name. It records events that the last argument
   * describes and is killed as soon as the last one is recorded. Returns their ids.
   */
  readonly recordAndDie: (name: string, events: number) => Promise<ReadonlyArray<string>>
  /** Runs statements on the database with this name, past the triggers that keep the log append-only. */
  readonly tamper: (name: string, statements: string) => Promise<void>
  /** The verdict of `cairn-verify` on a bundle, given a trusted key. */
  readonly verdict: (bundle: string, key: string) => string
}

/** An event that is told apart by a name. */
export const renamed = (name: string): AuditEvent => ({
  actor_id: "ada",
  action: "project.renamed",
  resource: "project",
  metadata: { name }
})

/** The error with which a promise rejects. */
export const rejection = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error: unknown) => error
  )

/** Everything that is iterated over. */
export const all = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const found: Array<A> = []
  for await (const value of values) found.push(value)
  return found
}

/** The names of all events in a log, newest first. */
export const namesIn = async (log: Log): Promise<ReadonlyArray<unknown>> =>
  (await all(log.events())).map(({ metadata }) => metadata?.name)
