/** What `openAuditLog` notices of a database that was changed from outside. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { AuditLogError, type Log } from "@cairn/core/audit-log"
import { assert, it } from "@effect/vitest"
import { type AuditLogUnderTest, all, namesIn, rejection, renamed } from "./AuditLogUnderTest.ts"

/** What these tests need. */
export interface TamperingTests extends Pick<AuditLogUnderTest, "tamper"> {
  /** Opens a log that is closed after the test. */
  readonly openLog: AuditLogUnderTest["open"]
  /** A folder for files. */
  readonly folder: () => string
}

/** Statements that remove a log whole. */
const removed = (name: string): string => `
  DELETE FROM event WHERE workspace = (SELECT number FROM workspace WHERE id = '${name}');
  DELETE FROM head WHERE workspace = (SELECT number FROM workspace WHERE id = '${name}');
  DELETE FROM workspace WHERE id = '${name}'`

/** Statements that remove the events of the only log after a sequence, and set back its head. */
const cutAfter = (sequence: number): string => `
  DELETE FROM event WHERE sequence > ${sequence};
  UPDATE head SET sequence = ${sequence},
    event_hash = (SELECT event_hash FROM event WHERE sequence = ${sequence}),
    event_id = (SELECT id FROM event WHERE sequence = ${sequence}),
    created_at = (SELECT created_at FROM event WHERE sequence = ${sequence})`

/** Registers the tests. */
export const tamperingTests = ({ openLog, tamper, folder }: TamperingTests): void => {
  it.each(["tenant", "default"])(
    "says that the log %s was removed whole, after evidence of it was written",
    async (name) => {
      const database = `removed-${name}`
      const log = await openLog(database)
      await log.of(name).recordAll([renamed("a"), renamed("b")])
      await log.of(name).evidence(join(folder(), `${database}.gz`))
      await log.close()
      await tamper(database, removed(name))
      const again = (await openLog(database)).of(name)
      const { valid, events_checked, breaks } = await again.verify()
      assert.deepStrictEqual([valid, events_checked, breaks.length], [false, 0, 1])
      assert.strictEqual(breaks[0]?.type, "chain_break")
      assert.deepStrictEqual(await namesIn(again), [])
      // Nor can it begin again.
      await again.record(renamed("c"))
      assert.isFalse((await again.verify()).valid)
    }
  )

  it.each<readonly [string, (log: Log) => Promise<unknown>]>([
    ["appended", (log) => all(log.events({ action: "other.*" }))],
    ["read", (log) => all(log.events())],
    ["verified", (log) => log.verify()]
  ])("says that the end was cut off that this process has %s", async (seen, see) => {
    const database = `cut-${seen}`
    const one = await openLog(database)
    await one.recordAll(["a", "b", "c", "d", "e"].map(renamed))
    await see(one)
    if (seen !== "appended") await one.close()
    const log = seen === "appended" ? one : await openLog(database)
    await see(log)
    await tamper(database, cutAfter(3))
    const { valid, events_checked, breaks } = await log.verify()
    assert.deepStrictEqual([valid, events_checked, breaks.length], [false, 3, 1])
    assert.strictEqual(breaks[0]?.type, "chain_break")
    const bundle = join(folder(), `${database}.gz`)
    const error = await rejection(log.evidence(bundle))
    assert.instanceOf(error, AuditLogError)
    assert.strictEqual(error.code, "damaged")
    assert.include(error.message, "event 5")
    assert.isFalse(existsSync(bundle))
    // It is remembered however often it is asked.
    assert.deepStrictEqual((await log.verify()).breaks, breaks)
  })
}
