/** What the service says, checked against a real one; and against one that lies. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { cairnJson, type Server, startServer } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { Cairn, CairnApiError, CairnConnectionError } from "../../src/index.ts"
import { checkpointFile } from "../../src/verify/CheckpointFile.ts"
import {
  CheckpointKeeper,
  type CheckpointSource,
  CheckpointUntrustedError,
  LogChangedError,
  LogStaleError,
  LogUnprovenError,
  memoryCheckpoints,
  verifyEvent,
  verifyWebhook,
  WebhookRefusedError
} from "../../src/verify/index.ts"

const errorOf = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  return undefined
}

describe("a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const body = '{"type":"alert.triggered","data":{"id":"alt_1"}}'
  const now = new Date("2026-01-02T03:04:05Z")
  const signed = (id = "msg_1", at = now, text = body) => ({
    "Webhook-Id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign(id, at, text)
  })

  it("signed as Standard Webhooks sign is taken, by whichever secret is right", () => {
    const verified = verifyWebhook(body, signed(), ["whsec_b2xkIHNlY3JldA==", secret], { now })
    assert.deepStrictEqual(verified, { id: "msg_1", sentAt: now, payload: JSON.parse(body) })
    const bytes = new TextEncoder().encode(body)
    assert.strictEqual(verifyWebhook(bytes, new Headers(signed()), secret, { now }).id, "msg_1")
    assert.strictEqual(verifyWebhook(body, signed(), [undefined, secret], { now }).id, "msg_1")
  })

  it("of any age is not taken for a time that is none", () => {
    const error = errorOf(() => verifyWebhook(body, signed(), secret, { now: new Date("nope") }))
    assert.match(String(error), /TypeError: now must be a valid Date/)
  })

  const later = new Date(now.getTime() + 301_000)
  const wrong: ReadonlyArray<readonly [string, string, () => unknown]> = [
    ["of another body", "no_matching_signature", () => verifyWebhook(`${body} `, signed(), secret, { now })],
    [
      "of another secret",
      "no_matching_signature",
      () => verifyWebhook(body, signed(), "whsec_b3RoZXI=", { now })
    ],
    [
      "of another id",
      "no_matching_signature",
      () => verifyWebhook(body, { ...signed(), "Webhook-Id": "2" }, secret, { now })
    ],
    ["that is old", "too_old", () => verifyWebhook(body, signed(), secret, { now: later })],
    ["from the future", "too_new", () => verifyWebhook(body, signed("msg_1", later), secret, { now })],
    ["without headers", "missing_header", () => verifyWebhook(body, {}, secret, { now })],
    [
      "with a header twice",
      "missing_header",
      () => verifyWebhook(body, { ...signed(), "webhook-signature": ["a", "b"] }, secret, { now })
    ],
    ["with a secret that is none", "bad_secret", () => verifyWebhook(body, signed(), "not base64!", { now })],
    ["with no secret", "bad_secret", () => verifyWebhook(body, signed(), [], { now })],
    ["with a secret that is not set", "bad_secret", () => verifyWebhook(body, signed(), undefined, { now })],
    [
      "with a signature without end",
      "missing_header",
      () => {
        const many = `${"v1,AAAA ".repeat(2000)}${signed()["webhook-signature"]}`
        return verifyWebhook(body, { ...signed(), "webhook-signature": many }, secret, { now })
      }
    ],
    ["that is no UTF-8", "bad_body", () => verifyWebhook(new Uint8Array([255]), signed(), secret, { now })],
    ["that is no JSON", "bad_body", () => verifyWebhook("{", signed("msg_1", now, "{"), secret, { now })]
  ]
  for (const [name, reason, run] of wrong) {
    it(`${name} is refused: ${reason}`, () => {
      const error = errorOf(run)
      assert.instanceOf(error, WebhookRefusedError)
      assert.strictEqual((error as WebhookRefusedError).reason, reason)
      assert.notInclude(String(error), secret)
    })
  }
})

describe("an event and the log it is in", () => {
  const folder = temporaryFolder()
  const old = temporaryFolder()
  let server: Server
  let cairn: Cairn
  /** A server shows it at its first start only. */
  let apiKey: string
  let verifierKeys: ReadonlyArray<string>
  let ids: ReadonlyArray<string>

  const record = async (count: number, action: string) => {
    const made = await Promise.all(
      Array.from({ length: count }, (_, index) => cairn.record({ actor_id: `actor-${index}`, action }))
    )
    // A checkpoint is of what has its place in the chain, moments after it was recorded.
    while ((await cairn.events.count({ action })).data.total < count);
    return made.map((one) => ("id" in one ? one.id : ""))
  }

  const clientOf = () => new Cairn({ url: server.baseUrl, apiKey, timeoutMillis: 60_000 })

  beforeAll(async () => {
    server = await startServer({ database: join(folder, "cairn.db"), tenant: true })
    apiKey = server.key
    cairn = clientOf()
    const keys = await cairnJson(["checkpoint-key", "show"], { database: join(folder, "cairn.db") })
    verifierKeys = [JSON.stringify(keys).match(/"key":"([^"]+)"/)?.[1] ?? ""]
    ids = await record(5, "verify.first")
  })

  const proven = async (id = ids[2] ?? "") => {
    const [event, proof] = [await cairn.events.get(id), await cairn.events.proof(id)]
    return { event, proof, checkpoint: proof.checkpoint }
  }

  it("is proven offline, by the key of the service", async () => {
    const report = verifyEvent(await proven(), { verifierKeys })
    assert.deepStrictEqual([report.verdict, report.failed], ["intact", []])
    assert.isAtLeast(report.checkpoint?.size ?? 0, 5)
  })

  it("is not proven by the key of another, or changed, or beside another proof", async () => {
    const claim = await proven()
    const other = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
    assert.strictEqual(verifyEvent(claim, { verifierKeys: [other] }).verdict, "tampered")
    const changed = { ...claim.event, action: "verify.changed" }
    assert.strictEqual(verifyEvent({ ...claim, event: changed }, { verifierKeys }).verdict, "tampered")
    const { event } = await proven(ids[3])
    assert.strictEqual(verifyEvent({ ...claim, event }, { verifierKeys }).verdict, "tampered")
    assert.strictEqual(verifyEvent({ ...claim, proof: {} }, { verifierKeys }).verdict, "unreadable")
    assert.instanceOf(
      errorOf(() => verifyEvent(claim, { verifierKeys: [] })),
      TypeError
    )
    assert.instanceOf(
      errorOf(() => verifyEvent(claim, { verifierKeys: ["nonsense"] })),
      TypeError
    )
  })

  it("of a log that grows: the keeper keeps the newest checkpoint, in a file, and others keep it out", async () => {
    const path = join(folder, "checkpoint")
    const store = checkpointFile(path)
    assert.isUndefined(await store.load())
    const first = await new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store }).check()
    await record(3, "verify.second")
    // Another process, with the same file.
    const keeper = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store })
    const [second, third] = await Promise.all([keeper.check(), keeper.check()])
    assert.isAbove(second.size, first.size)
    assert.isAtLeast(third.size, second.size)
    assert.strictEqual(await readFile(path, "utf8"), third.note)
    assert.deepStrictEqual(
      (await readdir(folder)).filter((name) => name.startsWith("checkpoint.")),
      []
    )
    // The event is in the log as this client knows it.
    const claim = await proven()
    assert.strictEqual(verifyEvent(claim, { verifierKeys, origin: third.origin }).verdict, "intact")
    assert.strictEqual(verifyEvent(claim, { verifierKeys, origin: "another" }).verdict, "tampered")
  })

  it("of a service that went back to an old copy and goes on from there: it shrank, and then it forked", async () => {
    await server.stop()
    await cp(folder, old, { recursive: true })
    server = await startServer({ database: join(folder, "cairn.db") })
    cairn = clientOf()
    await record(4, "verify.lost")
    const store = memoryCheckpoints()
    const kept = await new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store }).check()
    await server.stop()
    server = await startServer({ database: join(old, "cairn.db") })
    cairn = clientOf()
    const keeper = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store })
    const shrunk = await keeper.check().catch((error: unknown) => error)
    assert.instanceOf(shrunk, LogChangedError)
    assert.strictEqual((shrunk as LogChangedError).kind, "shrunk")
    await record(9, "verify.other")
    const forked = await keeper.check().catch((error: unknown) => error)
    assert.instanceOf(forked, LogChangedError)
    assert.strictEqual((forked as LogChangedError).kind, "forked")
    assert.strictEqual((await keeper.kept())?.note, kept.note)
  })

  it("of a peer that is hostile: no answer of it makes the keeper keep it", async () => {
    const note = await cairn.checkpoints.latest()
    const store = memoryCheckpoints()
    await new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store }).check()
    await record(1, "verify.more")
    const grown = await cairn.checkpoints.latest()
    const proof = (hashes: unknown): CheckpointSource => ({
      latest: async () => grown,
      consistency: async () => ({ data: { hashes } }) as never
    })
    const hash = "0".repeat(64)
    const failing = (error: Error): CheckpointSource => ({
      ...proof([]),
      consistency: () => Promise.reject(error)
    })
    const refusal = new CairnApiError({ code: "not_found", message: "no such checkpoint", status: 404 })
    const outage = new CairnApiError({ code: "unavailable", message: "later", status: 503 })
    const hostile: ReadonlyArray<readonly [CheckpointSource, new (...given: ReadonlyArray<never>) => Error]> =
      [
        [proof([hash]), LogChangedError],
        [proof([]), LogUnprovenError],
        [proof(Array.from({ length: 100_000 }, () => hash)), LogUnprovenError],
        [proof(["x"]), LogUnprovenError],
        [proof(null), LogUnprovenError],
        [{ ...proof([]), consistency: async () => null as never }, LogUnprovenError],
        [failing(refusal), LogUnprovenError],
        [failing(outage), CairnApiError],
        [failing(new CairnConnectionError("cut")), CairnConnectionError],
        [{ ...proof([]), latest: async () => "" }, CheckpointUntrustedError],
        [{ ...proof([]), latest: async () => grown.replace("\n", "x\n") }, CheckpointUntrustedError],
        [{ ...proof([]), latest: async () => grown.split("\n— ")[0] ?? "" }, CheckpointUntrustedError]
      ]
    for (const [source, type] of hostile) {
      const error = await new CheckpointKeeper({ source, verifierKeys, store })
        .check()
        .catch((error: unknown) => error)
      assert.isTrue(error instanceof type, String(error))
      assert.strictEqual(await store.load(), note)
    }
  })

  it("of a service that always shows the same: the keeper says since when, and what it should hold", async () => {
    const note = await cairn.checkpoints.latest()
    const source: CheckpointSource = { latest: async () => note, consistency: cairn.checkpoints.consistency }
    const keeper = new CheckpointKeeper({ source, verifierKeys })
    const first = await keeper.check()
    const [id] = await record(1, "verify.unseen")
    const again = await keeper.check()
    assert.strictEqual(again.unchangedSince, first.unchangedSince)
    // The proof of the event has a newer one, and says which place it has.
    const proof = await cairn.events.proof(id ?? "")
    const stale = await keeper.check({ atLeast: proof.header.sequence }).catch((error: unknown) => error)
    assert.instanceOf(stale, LogStaleError)
    assert.strictEqual((stale as LogStaleError).shown.note, note)
    // The service must then stand by that one.
    assert.isAbove((await keeper.compare(proof.checkpoint)).size, first.size)
    const shrunk = await keeper.check().catch((error: unknown) => error)
    assert.strictEqual((shrunk as LogChangedError).kind, "shrunk")
  })

  it("of which another was shown another: each checkpoint from elsewhere is held against its own", async () => {
    const older = await cairn.checkpoints.latest()
    await record(2, "verify.between")
    const keeper = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys })
    const { note, size } = await keeper.check()
    // Older ones, newer ones and the same one of the same log.
    assert.isBelow((await keeper.compare(older)).size, size)
    assert.strictEqual((await keeper.compare(note)).size, size)
    await record(1, "verify.beyond")
    const newer = await keeper.compare(await cairn.checkpoints.latest())
    assert.isAbove(newer.size, size)
    assert.strictEqual((await keeper.kept())?.note, newer.note)
    // The service once went on from a copy of its past, and signed that too: this is the other log.
    await server.stop()
    server = await startServer({ database: join(folder, "cairn.db") })
    cairn = clientOf()
    const other = await cairn.checkpoints.latest()
    await server.stop()
    server = await startServer({ database: join(old, "cairn.db") })
    cairn = clientOf()
    const held = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys })
    const mine = await held.check()
    const error = await held.compare(other).catch((cause: unknown) => cause)
    assert.instanceOf(error, LogChangedError)
    assert.strictEqual((error as LogChangedError).kind, "forked")
    assert.strictEqual((error as LogChangedError).shown.note, other)
    assert.strictEqual((await held.kept())?.note, mine.note)
  })

  it("is none where nothing, something else or another event stands in its place", async () => {
    const fresh = await record(2, "verify.shown")
    const claim = await proven(fresh[0])
    const cycle: Record<string, unknown> = {}
    cycle.self = cycle
    const deep = JSON.parse(`${"[".repeat(20_000)}${"]".repeat(20_000)}`)
    for (const event of [null, undefined, "event", 7, [], cycle, 1n, () => {}]) {
      const report = verifyEvent({ ...claim, event: event as never }, { verifierKeys })
      assert.strictEqual(report.verdict, "unreadable", String(event))
      assert.isAbove(report.failed.length, 0)
    }
    const disguised: ReadonlyArray<object> = [
      {},
      Object.create(claim.event),
      Object.create({ ...claim.event, action: "lie" }),
      new Proxy(claim.event, { ownKeys: () => [] }),
      { ...claim.event, metadata: deep }
    ]
    for (const event of disguised) {
      const { verdict, proven: held } = verifyEvent({ ...claim, event: event as never }, { verifierKeys })
      assert.notStrictEqual(verdict, "intact")
      assert.isFalse(held.some(({ message }) => message.includes("as shown")))
    }
    const { id } = claim.event
    assert.strictEqual(verifyEvent({ ...claim, id }, { verifierKeys }).verdict, "intact")
    const other = verifyEvent({ ...claim, id: fresh[1] ?? "" }, { verifierKeys })
    assert.deepStrictEqual([other.verdict, other.failed[0]?.code], ["tampered", "another_event"])
    const unasked = verifyEvent(claim, { verifierKeys })
    assert.isTrue(unasked.not_checked.some(({ message }) => message.includes("asked for")))
  })

  afterAll(() => server.stop())
})

describe("a checkpoint in a file", () => {
  it("that nobody signed is told, and not taken for none", async () => {
    const folder = await mkdtemp(join(tmpdir(), "cairn-keeper-"))
    try {
      const path = join(folder, "checkpoint")
      await writeFile(path, "torn")
      const verifierKeys = ["example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"]
      const source: CheckpointSource = {
        latest: async () => "",
        consistency: async () => ({ data: { hashes: [] } })
      }
      const error = await new CheckpointKeeper({ source, verifierKeys, store: checkpointFile(path) })
        .check()
        .catch((error: unknown) => error)
      assert.instanceOf(error, CheckpointUntrustedError)
      assert.include(String(error), "that was kept")
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
