/** The contract of `openAuditLog`, on every database. */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type AuditEvent,
  type AuditLog,
  AuditLogClosed,
  AuditLogError,
  InvalidArgument,
  type Log
} from "@cairn/core/audit-log"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { closingTests } from "./AuditLogClosing.ts"
import { tamperingTests } from "./AuditLogTampering.ts"
import { type AuditLogUnderTest, all, namesIn, rejection, renamed } from "./AuditLogUnderTest.ts"

export { killedProgram, verdictOf } from "../machines/AuditLogPrograms.ts"

/** Waits, without reading the log, until an event is in the chain. */
const inTheChain = async (log: Log, id: string): Promise<void> => {
  const deadline = Date.now() + 20_000
  while ((await log.get(id))?.integrity.event_hash == null) {
    assert.isBelow(Date.now(), deadline)
    await new Promise(setImmediate)
  }
}

/** Asserts that a call rejects with `InvalidArgument`, as an ordinary error that exposes no internals. */
const assertInvalid = async (call: Promise<unknown>, path: string, reason: RegExp | string) => {
  const error = await rejection(call)
  assert.instanceOf(error, InvalidArgument)
  assert.instanceOf(error, AuditLogError)
  assert.instanceOf(error, Error)
  assert.strictEqual(error.code, "invalid_argument")
  assert.strictEqual(error.path, path)
  if (typeof reason === "string") assert.include(error.reason, reason)
  else assert.match(error.reason, reason)
}

/** Registers the contract of `openAuditLog` on the database called `name`. */
export const auditLogContract = (
  name: string,
  { open, recordAndDie, tamper, verdict }: AuditLogUnderTest
): void => {
  const opened: Array<AuditLog> = []
  const openLog = async (...args: Parameters<typeof open>) => {
    const log = await open(...args)
    opened.push(log)
    return log
  }
  let folder = ""
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "cairn-audit-log-"))
  })
  afterEach(() => Promise.all(opened.splice(0).map((log) => log.close())))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  describe(`openAuditLog on ${name}`, () => {
    it("records, reads and verifies", async () => {
      const log = await openLog()
      const at = new Date("2026-05-01T12:00:00Z")
      const { id, duplicate } = await log.record({
        ...renamed("Apollo"),
        actor_name: undefined,
        occurred_at: at,
        metadata: { name: "Apollo", at, left: undefined }
      })
      assert.isFalse(duplicate)
      const [event, ...others] = await all(log.events({ action: "project.*", actor_id: "ada" }))
      assert.deepStrictEqual(others, [])
      assert.strictEqual(event?.id, id)
      assert.deepStrictEqual(event?.metadata, { name: "Apollo", at: "2026-05-01T12:00:00.000Z" })
      assert.strictEqual(event?.occurred_at, "2026-05-01T12:00:00.000000Z")
      assert.match(event?.integrity.event_hash ?? "", /^[0-9a-f]{64}$/)
      assert.deepStrictEqual(await log.get(id), event)
      assert.isUndefined(await log.get("00000000-0000-4000-8000-000000000000"))
      assert.deepStrictEqual(await log.verify(), { valid: true, events_checked: 1, breaks: [] })
    })

    it("takes metadata of any object type, and closes by itself", async () => {
      interface Settings {
        readonly theme: string
      }
      const settings: Settings = { theme: "dark" }
      const opened = await openLog()
      {
        await using log = opened
        await log.record({ ...renamed("Apollo"), metadata: settings })
        const [event] = await all(log.events())
        assert.deepStrictEqual(event?.metadata, { theme: "dark" })
        // @ts-expect-error: a list is no object of JSON
        await assertInvalid(log.record({ ...renamed("Apollo"), metadata: ["dark"] }), "metadata", "object")
      }
      assert.instanceOf(await rejection(opened.verify()), AuditLogClosed)
    })

    it("sequences by itself", async () => {
      const log = await openLog()
      await inTheChain(log, (await log.record(renamed("Apollo"))).id)
    })

    it("records an event once for each idempotency key", async () => {
      const log = await openLog()
      const event = { ...renamed("Apollo"), idempotency_key: "rename-1" }
      const first = await log.record(event)
      assert.deepStrictEqual(await log.record({ ...event, metadata: { name: "Zeus" } }), {
        id: first.id,
        duplicate: true
      })
      assert.deepStrictEqual(await namesIn(log), ["Apollo"])
    })

    it("records a list in its order, or nothing of it", async () => {
      const log = await openLog()
      const recorded = await log.recordAll([renamed("a"), renamed("b"), renamed("c")])
      assert.strictEqual(new Set(recorded.map(({ id }) => id)).size, 3)
      await assertInvalid(
        log.recordAll([renamed("d"), { ...renamed("e"), action: "" }]),
        "[1].action",
        "empty"
      )
      await assertInvalid(log.recordAll([]), "", "1 to 100")
      await assertInvalid(log.recordAll(Array.from({ length: 101 }, () => renamed("f"))), "", "1 to 100")
      assert.deepStrictEqual(await namesIn(log), ["c", "b", "a"])
    })

    it("reads all events newest first, page after page, and stops when its reader does", async () => {
      const log = await openLog()
      const count = 250
      for (let first = 0; first < count; first += 50) {
        await log.recordAll(Array.from({ length: 50 }, (_, index) => renamed(String(first + index))))
      }
      const wanted = Array.from({ length: count }, (_, index) => String(count - 1 - index))
      assert.deepStrictEqual(await namesIn(log), wanted)
      for await (const event of log.events()) {
        assert.strictEqual(event.metadata?.name, wanted[0])
        break
      }
      assert.deepStrictEqual(await all(log.events({ action: "other.*" })), [])
      for (const limit of [1, 99, 100, 101, 200, 249, 250, 1_000])
        assert.deepStrictEqual(
          (await all(log.events({ limit }))).map(({ metadata }) => metadata?.name),
          wanted.slice(0, limit)
        )
    })

    it("reads by when events occurred, page after page, and compares with that", async () => {
      const log = await openLog()
      const count = 250
      const at = (second: number) => new Date(Date.UTC(2020, 0, 1) + second * 1_000)
      // Recorded in another order than they occurred, two of each second.
      const events = Array.from({ length: count }, (_, index) => ({
        ...renamed(String(index)),
        occurred_at: at(Math.floor(((index * 7) % count) / 2))
      }))
      for (let first = 0; first < count; first += 50) await log.recordAll(events.slice(first, first + 50))
      const wanted = events
        .map(({ occurred_at }, index) => ({ name: String(index), time: +occurred_at, index }))
        .sort((one, other) => other.time - one.time || other.index - one.index)
      const names = async (filter: Parameters<Log["events"]>[0]) =>
        (await all(log.events(filter))).map(({ metadata }) => metadata?.name)
      assert.deepStrictEqual(
        await names({ time: "occurred" }),
        wanted.map(({ name }) => name)
      )
      assert.deepStrictEqual(
        await names({ time: "occurred", from: at(10), to: at(11) }),
        wanted.filter(({ time }) => time >= +at(10) && time <= +at(11)).map(({ name }) => name)
      )
      assert.deepStrictEqual(await names({ time: "recorded", to: at(1_000) }), [])
      assert.lengthOf(await names({ time: "recorded" }), count)
    })

    it("reads what a filter asks for", async () => {
      const log = await openLog()
      await log.record({ ...renamed("Apollo"), resource_id: "1", tenant_id: "t", session_id: "s" })
      await log.record({ ...renamed("Zeus"), actor_id: "grace", targets: [{ type: "user", id: "7" }] })
      const names = async (filter: Parameters<Log["events"]>[0]) =>
        (await all(log.events(filter))).map(({ metadata }) => metadata?.name)
      assert.deepStrictEqual(await names({ actor_id: "grace" }), ["Zeus"])
      assert.deepStrictEqual(await names({ resource: "project", resource_id: "1" }), ["Apollo"])
      assert.deepStrictEqual(await names({ tenant_id: "t", session_id: "s" }), ["Apollo"])
      assert.deepStrictEqual(await names({ target_type: "user", target_id: "7" }), ["Zeus"])
      assert.deepStrictEqual(await names({ search: "aPOL" }), ["Apollo"])
      assert.deepStrictEqual(await names({ from: new Date(Date.now() - 60_000) }), ["Zeus", "Apollo"])
      assert.deepStrictEqual(await names({ to: "2020-01-01" }), [])
      assert.deepStrictEqual(await names({ action: undefined }), ["Zeus", "Apollo"])
    })

    it("names the field of an event that cannot be taken, and takes nothing of it", async () => {
      const log = await openLog()
      const fails = () => {
        throw new Error("no such thing")
      }
      const wrong: ReadonlyArray<readonly [unknown, string, string]> = [
        [{ ...renamed("x"), actor_id: "" }, "actor_id", "must not be empty"],
        [{ action: "a.b" }, "actor_id", "is required"],
        [{ ...renamed("x"), actorId: "ada" }, "actorId", "did you mean `actor_id`?"],
        [{ ...renamed("x"), targets: [{ id: "1" }] }, "targets[0].type", "is required"],
        [{ ...renamed("x"), metadata: { a: [Number.NaN] } }, "metadata.a[0]", "finite"],
        [{ ...renamed("x"), metadata: { a: 1n } }, "metadata.a", "bigint"],
        [{ ...renamed("x"), metadata: { a: () => 1 } }, "metadata.a", "not a JSON value"],
        [{ ...renamed("x"), metadata: { a: new Map() } }, "metadata.a", "not a JSON value"],
        [{ ...renamed("x"), metadata: { a: new Error("lost") } }, "metadata.a", "not a JSON value"],
        [{ ...renamed("x"), metadata: { a: Promise.resolve(1) } }, "metadata.a", "not a JSON value"],
        [{ ...renamed("x"), metadata: { a: /x/ } }, "metadata.a", "not a JSON value"],
        [{ ...renamed("x"), metadata: { a: { toJSON: fails } } }, "metadata.a", "cannot be read: no such"],
        [
          {
            ...renamed("x"),
            metadata: {
              get a() {
                return fails()
              }
            }
          },
          "metadata",
          "cannot be read: no such"
        ],
        [{ ...renamed("x"), occurred_at: new Date("never") }, "occurred_at", "date"],
        [{ ...renamed("x"), action: "cairn.event.erased" }, "action", "cairn."],
        [new Map([["actor_id", "ada"]]), "", "not a JSON value"],
        [new URLSearchParams(renamed("x") as object as Record<string, string>), "actor_id", "is required"],
        [undefined, "", "must be an object"],
        ["renamed", "", "must be an object"]
      ]
      for (const [event, path, reason] of wrong) {
        await assertInvalid(log.record(event as AuditEvent), path, reason)
      }
      const circle: Record<string, unknown> = {}
      circle.self = circle
      const list: Array<unknown> = []
      list.push(list, list)
      for (const metadata of [circle, { list }]) {
        assert.instanceOf(await rejection(log.record({ ...renamed("x"), metadata })), InvalidArgument)
      }
      assert.deepStrictEqual(await namesIn(log), [])
    })

    it("names the condition of a filter that it does not know or cannot read", async () => {
      const log = await openLog()
      const wrong = (filter: unknown) => all(log.events(filter as Parameters<Log["events"]>[0]))
      await assertInvalid(wrong({ actorId: "ada" }), "actorId", "did you mean `actor_id`?")
      await assertInvalid(wrong({ from: "yesterday" }), "from", "ISO 8601")
      await assertInvalid(wrong({ to: new Date("never") }), "to", "ISO 8601")
      await assertInvalid(wrong({ action: 1 }), "action", "must be a string")
      for (const time of ["happened", null, ["occurred"]])
        await assertInvalid(wrong({ time }), "time", "must be one of recorded, occurred")
      for (const limit of [0, -1, 1.5, Number.NaN, "100", null])
        await assertInvalid(wrong({ limit }), "limit", "must be a whole number from 1")
      await assertInvalid(wrong({ actor_id: "ada\ud800" }), "actor_id", "lone surrogates")
      await assertInvalid(wrong({ search: "\udc00" }), "search", "lone surrogates")
      await assertInvalid(wrong(null), "", "must be an object")
      const condition: Array<[string, string]> = [["actor_id", "ada"]]
      for (const filter of [new Map(condition), new URLSearchParams(condition), condition, new Date()]) {
        await assertInvalid(wrong(filter), "", "must be an object")
      }
      // As servers parse a query.
      const parsed = Object.assign(Object.create(null), { actor_id: "ada" })
      assert.deepStrictEqual(await all(log.events(parsed)), [])
    })

    it("names what it cannot take as an id or a file", async () => {
      const log = await openLog()
      for (const wrong of [undefined, null, 7] as Array<unknown> as Array<string>) {
        await assertInvalid(log.get(wrong), "id", "must be a string")
        await assertInvalid(log.evidence(wrong), "file", "must be the path of a file")
        await assertInvalid(log.evidence(new URL("file:///x") as unknown as string), "file", "path of a file")
      }
      assert.isUndefined(await log.get(""))
    })

    it("names an option that it does not know or cannot read", async () => {
      await assertInvalid(open("wrong", { flie: "x" }), "flie", /^is not known; did you mean `(file|url)`\?$/)
      await assertInvalid(open("wrong", { warn: "x" }), "warn", "must be a function")
      await assertInvalid(open("wrong", { secretKey: "x" }), "secretKey", "base64 of 32 bytes")
    })

    it("holds a log for each name, made when something is recorded in it", async () => {
      const log = await openLog()
      const [acme, other] = [log.of("acme"), log.of("tenant/2@example.com")]
      assert.deepStrictEqual(await namesIn(acme), [])
      assert.deepStrictEqual(await acme.verify(), { valid: true, events_checked: 0, breaks: [] })
      await Promise.all([acme.record(renamed("A")), other.record(renamed("B")), log.record(renamed("C"))])
      assert.deepStrictEqual(
        await Promise.all([acme, log.of("acme"), other, log, log.of("default")].map(namesIn)),
        [["A"], ["A"], ["B"], ["C"], ["C"]]
      )
      assert.deepStrictEqual(await acme.verify(), { valid: true, events_checked: 1, breaks: [] })
      for (const wrong of ["", " ", "a b", "a\nb", "ä", "x".repeat(201), 7 as unknown as string]) {
        assert.throws(() => log.of(wrong), InvalidArgument)
      }
    })

    it("records what many calls bring at once, each once", async () => {
      const log = await openLog()
      const names = Array.from({ length: 400 }, (_, index) => String(index))
      const recorded = await Promise.all(names.map((one) => log.record(renamed(one))))
      assert.strictEqual(new Set(recorded.map(({ id }) => id)).size, names.length)
      assert.sameMembers([...(await namesIn(log))] as Array<string>, names)
      assert.deepStrictEqual(await log.verify(), { valid: true, events_checked: names.length, breaks: [] })
    })

    it("writes evidence that cairn-verify accepts, to a file that was not there", async () => {
      const log = await openLog("evidence")
      await log.recordAll([renamed("a"), renamed("b")])
      const bundle = join(folder, "bundle.gz")
      const { events, keys } = await log.evidence(bundle)
      assert.strictEqual(events, 2)
      assert.lengthOf(keys, 1)
      assert.strictEqual(verdict(bundle, keys[0] ?? ""), "INTACT")
      const error = await rejection(log.evidence(bundle))
      assert.instanceOf(error, AuditLogError)
      assert.strictEqual(error.code, "file_exists")
      const missing = await rejection(log.evidence(join(folder, "no", "such", "folder.gz")))
      assert.instanceOf(missing, AuditLogError)
      assert.strictEqual(missing.code, "file_not_written")
      await assertInvalid(log.evidence(""), "file", "path of a file")
      await log.close()
      // The key is the same after a restart.
      const again = await openLog("evidence")
      const later = join(folder, "later.gz")
      assert.deepStrictEqual((await again.evidence(later)).keys, keys)
      assert.strictEqual((await again.of("empty").evidence(join(folder, "empty.gz"))).events, 0)
      assert.isTrue(existsSync(later))
    })

    it("finishes what is under way when it is closed, and rejects what comes later", async () => {
      const log = await openLog("closing")
      const other = log.of("other")
      const events = log.events()[Symbol.asyncIterator]()
      const begun = [log.record(renamed("a")), log.record(renamed("b")), log.verify()]
      const closing = log.close()
      assert.strictEqual(log.close(), closing)
      for (const call of [
        () => log.record(renamed("c")),
        () => other.record(renamed("c")),
        () => log.verify(),
        () => log.get("x"),
        () => log.evidence("x"),
        () => events.next()
      ]) {
        const error = await rejection(call())
        assert.instanceOf(error, AuditLogClosed)
        assert.strictEqual(error.code, "closed")
        assert.strictEqual(error.message, "the audit log is closed")
      }
      await Promise.all(begun)
      await closing
      await log.close()
      assert.sameMembers([...(await namesIn(await openLog("closing")))] as Array<string>, ["a", "b"])
    })

    it("keeps what was recorded when the process is killed before its place in the chain", async () => {
      await (await openLog("killed")).close()
      const ids = await recordAndDie("killed", 3)
      assert.lengthOf(ids, 3)
      const log = await openLog("killed")
      for (const id of ids) await inTheChain(log, id)
      assert.deepStrictEqual(await log.verify(), { valid: true, events_checked: 3, breaks: [] })
    })

    closingTests({ openLog, tamper })
    tamperingTests({ openLog, tamper, folder: () => folder })

    it("shares a database with other processes", { timeout: 120_000 }, async () => {
      const [one, two] = [await openLog("shared"), await openLog("shared")]
      const others = [recordAndDie("shared", 40), recordAndDie("shared", 40)]
      const own: Array<string> = []
      for (let index = 0; index < 40; index++) {
        const log = index % 2 === 0 ? one : two
        const { id } = await log.record(renamed(String(index)))
        own.push(id)
        if (index % 8 !== 0) continue
        const [newest] = [...(await all(log.events({ actor_id: "ada" })))].filter((event) => event.id === id)
        assert.strictEqual(newest?.id, id, "a log reads what it recorded")
      }
      const ids = [...own, ...(await Promise.all(others)).flat()]
      // The session of a process that was killed may hold what it was appending for a moment longer.
      const deadline = Date.now() + 60_000
      let verified = await one.verify()
      while (verified.events_checked < 120 && Date.now() < deadline) verified = await one.verify()
      assert.deepStrictEqual(verified, { valid: true, events_checked: 120, breaks: [] })
      const found = (await all(two.events())).map(({ id }) => id)
      assert.sameMembers([...found], ids)
    })
  })
}
