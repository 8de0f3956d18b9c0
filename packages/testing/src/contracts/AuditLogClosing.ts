/** What `openAuditLog` says of a log that `cairn workspace export-and-close` has ended. */
import { AuditLogClosed, AuditLogError, AuditLogUnavailable } from "@cairn/core/audit-log"
import { assert, it } from "@effect/vitest"
import type { TamperingTests } from "./AuditLogTampering.ts"
import { namesIn, rejection, renamed } from "./AuditLogUnderTest.ts"

/** In microseconds: 1 July 2026, 12:00. */
const CLOSED_AT = 1_782_907_200_000_000

/** Registers the tests. */
export const closingTests = ({ openLog, tamper }: Pick<TamperingTests, "openLog" | "tamper">): void => {
  it("refuses to record into a log that was closed for good, by its code, and goes on reading it", async () => {
    const log = await openLog("closed-for-good")
    const first = await log.record(renamed("Apollo"))
    await log.verify()
    await tamper("closed-for-good", `UPDATE workspace SET closed_at = ${CLOSED_AT} WHERE id = 'default'`)
    for (const again of [log, await openLog("closed-for-good")]) {
      for (const refused of [
        () => again.record(renamed("late")),
        () => again.recordAll([renamed("late"), renamed("later")])
      ]) {
        const error = await rejection(refused())
        assert.instanceOf(error, AuditLogError)
        // Neither is the handle closed, nor does it help to try again.
        assert.notInstanceOf(error, AuditLogClosed)
        assert.notInstanceOf(error, AuditLogUnavailable)
        assert.strictEqual(error.code, "workspace_closed")
        assert.include(error.message, "was closed at 2026-07-01T12:00:00Z: its log takes no more events")
      }
      assert.strictEqual((await again.get(first.id))?.id, first.id)
      assert.deepStrictEqual(await namesIn(again), ["Apollo"])
      assert.deepStrictEqual(await again.verify(), { valid: true, events_checked: 1, breaks: [] })
    }
    await log.of("other").record(renamed("elsewhere"))
    assert.deepStrictEqual(await namesIn(log.of("other")), ["elsewhere"])
  })
}
