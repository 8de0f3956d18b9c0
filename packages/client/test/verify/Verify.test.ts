/** What the service says, checked against a real one; and against one that lies. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { cairnJson, type Server, startServer } from "../../../server/test/support/CairnProcess.ts"
import { temporaryFolder } from "../../../server/test/support/TemporaryFolder.ts"
import { Cairn } from "../../src/index.ts"
import { checkpointFile } from "../../src/verify/CheckpointFile.ts"
import {
  CheckpointKeeper,
  type CheckpointSource,
  CheckpointUntrustedError,
  LogChangedError,
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
    server = await startServer({ database: join(folder, "cairn.db"), demo: true })
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
    server = await startServer({ database: join(folder, "cairn.db"), demo: true })
    cairn = clientOf()
    await record(4, "verify.lost")
    const store = memoryCheckpoints()
    const kept = await new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store }).check()
    await server.stop()
    server = await startServer({ database: join(old, "cairn.db"), demo: true })
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
    const hostile: ReadonlyArray<
      readonly [CheckpointSource, typeof LogChangedError | typeof CheckpointUntrustedError]
    > = [
      [proof([]), LogChangedError],
      [proof([hash]), LogChangedError],
      [proof(Array.from({ length: 100_000 }, () => hash)), LogChangedError],
      [proof(["x"]), LogChangedError],
      [proof(null), LogChangedError],
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
