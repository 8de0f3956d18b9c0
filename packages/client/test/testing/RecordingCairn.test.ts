import { assert, describe, expect, it, vi } from "@effect/vitest"
import { CairnTimeoutError, ClosedError, EventRefusedError } from "../../src/index.ts"
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

  it("looks at an event that has not what a function of the expectation needs, and goes on", async () => {
    const cairn = new RecordingCairn()
    await cairn.record({ actor_id: "ada", action: "invoice.viewed" })
    await payInvoice(cairn, "42")
    const isPaid = (metadata: { amount: { value: number } }) => metadata.amount.value > 0
    cairn.assertRecorded({ action: "invoice.paid", metadata: isPaid }, { times: 1 })
    assert.include(
      messageOf(() => cairn.assertRecorded({ action: "invoice.viewed", metadata: isPaid })),
      "metadata: expected what isPaid accepts, was nothing"
    )
  })

  it("refuses an expectation that would prove nothing", async () => {
    const cairn = new RecordingCairn()
    await payInvoice(cairn, "42")
    assert.throws(() => cairn.assertRecorded({ action: async () => false }), TypeError, /asynchronous/)
    for (const times of [0, -1, 0.5, Number.NaN]) {
      assert.throws(() => cairn.assertRecorded({}, { times }), TypeError, /times/)
    }
    const times = { action: "invoice.paid" } as never
    assert.include(
      messageOf(() => expect(cairn).toHaveRecordedTimes(times)),
      "times must be"
    )
    // @ts-expect-error: no event has such a member
    assert.throws(() => cairn.assertNothingRecorded({ acton: "invoice.deleted" }), TypeError, /acton/)
    // @ts-expect-error: no event has such a member
    assert.throws(() => expect(cairn).not.toHaveRecorded({ resourceId: "42" }), TypeError, /resourceId/)
  })

  it("shows what was expected as it was written", async () => {
    const cairn = new RecordingCairn()
    const occurred_at = "2026-02-03T04:05:06.789Z"
    await cairn.record({ actor_id: "ada", action: "a.b", occurred_at, metadata: { at: occurred_at, n: 1 } })
    cairn.assertRecorded({ occurred_at: new Date(occurred_at), metadata: { at: new Date(occurred_at) } })
    const wrong = messageOf(() =>
      cairn.assertRecorded({
        actor_id: expect.any(Number),
        occurred_at: new Date(0),
        metadata: { n: 2n, list: [3n], at: undefined }
      })
    )
    for (const part of ["Any<Number>", "1970-01-01T00:00:00.000Z", "expected 2n, was 1", "[3n]"]) {
      assert.include(wrong, part)
    }
  })

  it("takes an event without the members of a context that fails, as its client would, and says so", async () => {
    const said = vi.spyOn(console, "error").mockImplementation(() => {})
    const contexts: ReadonlyArray<() => unknown> = [
      () => {
        throw new Error("the session store is down")
      },
      () => "acme",
      () => ["acme"],
      async () => ({ tenant_id: "acme" }),
      () => null
    ]
    for (const context of contexts) {
      const cairn = new RecordingCairn({ context: context as () => undefined })
      assert.strictEqual((await cairn.record({ actor_id: "ada", action: "a.b" })).status, "queued")
      const names = ["actor_id", "action", "idempotency_key", "occurred_at"]
      assert.deepStrictEqual(Object.keys(cairn.assertRecorded({}, { times: 1 })), names)
    }
    const lines = said.mock.calls.map(([line]) => String(line))
    said.mockRestore()
    const none = "cairn: fields: the context failed: TypeError: it gave no object"
    assert.deepStrictEqual(lines, [
      "cairn: fields: the context failed: Error: the session store is down",
      ...[none, none, none]
    ])
  })

  it("takes an event once, takes nothing once it is closed, and fails open where its client would", async () => {
    const cairn = new RecordingCairn({ failure: "open" })
    const event = { actor_id: "ada", action: "a.b", idempotency_key: "k" }
    assert.strictEqual((await cairn.record(event)).status, "queued")
    assert.deepStrictEqual(await cairn.record(event), { status: "duplicate", key: "k", id: "k" })
    assert.deepStrictEqual(await cairn.enqueue(event), { status: "kept", key: "k" })
    cairn.assertRecorded({ idempotency_key: "k" }, { times: 1 })
    cairn.failNext(new CairnTimeoutError("away"))
    assert.strictEqual((await cairn.record({ ...event, idempotency_key: "l" })).status, "deferred")
    await cairn.close()
    assert.strictEqual((await cairn.enqueue(event)).status, "dropped")
    const closed = await cairn.record(event, { failure: "closed" }).catch((error: unknown) => error)
    assert.instanceOf(closed, ClosedError)
    cairn.assertRecorded({}, { times: 1 })
  })
})
