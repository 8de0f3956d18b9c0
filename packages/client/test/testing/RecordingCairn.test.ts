import { assert, describe, expect, it } from "@effect/vitest"
import { CairnTimeoutError, EventRefusedError } from "../../src/index.ts"
import { type CairnMatchers, cairnMatchers, RecordingCairn } from "../../src/testing/index.ts"

expect.extend(cairnMatchers)

declare module "vitest" {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown>
    extends CairnMatchers<R, T> {}
}

/** What an application has: a function that is given something to record with. */
const payInvoice = async (cairn: RecordingCairn, id: string) => {
  await cairn.enqueue({ actor_id: "ada", action: "invoice.opened", resource: "invoice", resource_id: id })
  await cairn.record({
    actor_id: "ada",
    action: "invoice.paid",
    resource: "invoice",
    resource_id: id,
    metadata: { amount: { value: 12, currency: "EUR" }, tags: ["a", "b"] }
  })
}

const messageOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    return (error as Error).message
  }
  return "nothing was thrown"
}

describe("a recorder", () => {
  it("says that an event was recorded, whatever else it has", async () => {
    const cairn = new RecordingCairn()
    await payInvoice(cairn, "42")
    const paid = cairn.assertRecorded({ action: "invoice.paid", metadata: { amount: { value: 12 } } })
    assert.strictEqual(paid.resource_id, "42")
    assert.lengthOf(paid.idempotency_key, 36)
    cairn.assertRecorded({ action: /^invoice\./, resource_id: (id: unknown) => id === "42" }, { times: 2 })
    cairn.assertRecorded({ metadata: { tags: ["a", "b"], note: undefined } })
    cairn.assertNothingRecorded({ action: "invoice.deleted" })
    assert.lengthOf(cairn.find({ actor_id: "ada" }), 2)
  })

  it("shows the nearest event where none is as expected", async () => {
    const cairn = new RecordingCairn()
    assert.strictEqual(
      messageOf(() => cairn.assertRecorded({})),
      "no event was recorded"
    )
    await payInvoice(cairn, "42")
    const lines = messageOf(() =>
      cairn.assertRecorded({ action: "invoice.paid", actor_id: "eve", metadata: { tags: ["a"] } })
    ).split("\n")
    assert.strictEqual(lines[0], "none of 2 recorded events is as expected; the nearest is")
    assert.include(lines[1], "invoice.paid")
    assert.deepStrictEqual(lines.slice(2), [
      '  actor_id: expected "eve", was "ada"',
      '  metadata.tags: expected ["a"], was ["a","b"]'
    ])
    assert.include(
      messageOf(() => cairn.assertRecorded({ actor_id: "ada" }, { times: 3 })),
      "2 events were recorded as expected, and not 3"
    )
    assert.include(
      messageOf(() => cairn.assertNothingRecorded({ action: "invoice.paid" })),
      "1 events were recorded:"
    )
  })

  it("has matchers for vitest and jest", async () => {
    const cairn = new RecordingCairn()
    await payInvoice(cairn, "42")
    expect(cairn).toHaveRecorded({ action: "invoice.paid", resource_id: expect.any(String) })
    expect(cairn).toHaveRecordedTimes(2, { actor_id: "ada" })
    expect(cairn).not.toHaveRecorded({ action: "invoice.deleted" })
    assert.include(
      messageOf(() => expect(cairn).toHaveRecorded({ actor_id: "eve" })),
      'actor_id: expected "eve", was "ada"'
    )
    assert.include(
      messageOf(() => expect(cairn).not.toHaveRecorded({ actor_id: "ada" })),
      "should not have been"
    )
    assert.include(
      messageOf(() => expect(cairn).toHaveRecordedTimes(1, { actor_id: "ada" })),
      "and not 1"
    )
    assert.include(
      messageOf(() => expect({}).toHaveRecorded({})),
      "for a RecordingCairn"
    )
  })

  it("makes events as a client does: context, redaction, refusals", async () => {
    const cairn = new RecordingCairn({ context: () => ({ tenant_id: "acme" }), redact: ["metadata.token"] })
    await cairn.record({ actor_id: "ada", action: "a.b", metadata: { token: "t" } })
    cairn.assertRecorded({ tenant_id: "acme", metadata: { token: "[redacted]" } })
    const error = await cairn.record({ actor_id: "", action: "a.b" }).catch((error: unknown) => error)
    assert.instanceOf(error, EventRefusedError)
    assert.strictEqual(
      (await cairn.record({ actor_id: "", action: "a.b" }, { failure: "open" })).status,
      "refused"
    )
  })

  it("fails as it is told, for tests of what an application does then", async () => {
    const cairn = new RecordingCairn()
    cairn.failNext(new CairnTimeoutError("away"), new CairnTimeoutError("away"))
    const event = { actor_id: "ada", action: "a.b" }
    assert.instanceOf(await cairn.record(event).catch((error: unknown) => error), CairnTimeoutError)
    assert.strictEqual((await cairn.enqueue(event, { failure: "open" })).status, "deferred")
    assert.strictEqual((await cairn.record(event)).status, "queued")
    cairn.assertRecorded(event, { times: 1 })
    cairn.clear()
    cairn.assertNothingRecorded()
    await cairn.close()
    assert.isTrue(cairn.isClosed)
  })
})
