import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Event } from "@cairn/core/event"
import { openAuditLog } from "@cairn/storage-sqlite"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"

describe("openAuditLog on SQLite", () => {
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cairn-embed-"))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("records, reads, verifies and closes", async () => {
    const log = await openAuditLog({ file: join(folder, "audit.db") })
    const { id, duplicate } = await log.record({
      actor_id: "ada",
      action: "project.renamed",
      metadata: { name: "Apollo", at: new Date(0) }
    })
    assert.isFalse(duplicate)
    const events: Array<Event> = []
    for await (const event of log.events({ action: "project.*" })) events.push(event)
    assert.deepStrictEqual(
      events.map((event) => [event.id, event.actor.id, event.metadata]),
      [[id, "ada", { name: "Apollo", at: "1970-01-01T00:00:00.000Z" }]]
    )
    assert.match(events[0]?.integrity.event_hash ?? "", /^[0-9a-f]{64}$/)
    assert.deepStrictEqual(await log.verify(), { valid: true, events_checked: 1, breaks: [] })
    await log.close()
  })
})
