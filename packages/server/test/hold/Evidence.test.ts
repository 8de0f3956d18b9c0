import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AnchorDetail, AnchorVerification, type Ed25519Verifier, parseVerifierKey, Sha256 } from "@cairn/core"
import { compareEvidence, layerTools, verifyEvidence } from "@cairn/verifier"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import { Anvil, PRIVATE_KEY } from "../../../anchor-base/test/Anvil.ts"
import { type ApiClient, apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const folder = temporaryFolder()
killLeftovers()

/** Of the key, by every Foundry manual. */
const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

const decodeClosed = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeDetail = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorDetail }))
const decodeVerification = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorVerification }))
const decodeKeys = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: Schema.String })))

const bytesOf = (file: string) => Stream.fromIterable([Uint8Array.from(readFileSync(file))])

const run = <A, E>(effect: Effect.Effect<A, E, Ed25519Verifier | Sha256>) =>
  Effect.runPromise(Effect.provide(effect, layerTools))

describe("from events to evidence that an auditor checks offline", () => {
  const node = new Anvil({})
  beforeAll(() => node.start())
  afterAll(() => node.dispose())

  /** Accepts events, and waits until they are in the chain. */
  const append = async (client: ApiClient, count: number) => {
    const before = (await client.page()).pagination.total
    await client.acceptBatch(
      Array.from({ length: count }, (_, index) => ({
        actor_id: "ada",
        action: "document.read",
        metadata: { index }
      }))
    )
    await eventually(
      "they are in the chain",
      async () => (await client.page()).pagination.total >= before + count || undefined
    )
  }

  /** Closes the open period, and waits until its anchor is confirmed. */
  const anchor = async (client: ApiClient) => {
    const { status, body } = await client.request("POST", "/api/v1/anchors")
    assert.strictEqual(status, 202)
    const { id } = decodeClosed(body).data
    await eventually(
      "the anchor is confirmed",
      async () => {
        await node.mine()
        const answer = await client.get(`/anchors/${id}`)
        return answer.status === 200 && decodeDetail(answer.body).data.status === "confirmed"
          ? true
          : undefined
      },
      90_000
    )
    return id
  }

  it("an anchored log is proven by its bundle, a later one agrees with it, and a tampered one does not", {
    timeout: 240_000
  }, async () => {
    const database = join(folder, "evidence.db")
    const variables = {
      CAIRN_ANCHOR_RPC_URL: node.url,
      CAIRN_ANCHOR_PRIVATE_KEY: PRIVATE_KEY,
      CAIRN_ANCHOR_CONFIRMATIONS: "1"
    }
    const tenant = await makeTenant("Evidence", { database })
    const server = await startServer({ database, variables })
    const client = apiClient(server.baseUrl, tenant.key)
    await append(client, 40)
    const id = await anchor(client)

    const detail = decodeDetail((await client.get(`/anchors/${id}`)).body).data
    assert.match(String(detail.tx_hash), /^0x[0-9a-f]{64}$/)
    assert.strictEqual(detail.explorer_url, `https://basescan.org/tx/${detail.tx_hash}`)
    const transaction = (await node.call("eth_getTransactionByHash", detail.tx_hash)) as {
      input: string
      from: string
    }
    assert.include(transaction.input, detail.merkle_root)
    assert.strictEqual(transaction.from, ACCOUNT)
    const verification = decodeVerification((await client.get(`/anchors/${id}/verify`)).body).data
    assert.deepInclude(verification, { valid: true, chain_valid: true })
    assert.strictEqual(verification.on_chain?.status, "matches")

    const note = String((await client.get("/checkpoint")).body)
    const first = join(folder, "first.cairn")
    const write = (file: string, ...more: ReadonlyArray<string>) =>
      cairn(["evidence", "--workspace", "Evidence", "--output", file, ...more], { database, variables })
    const written = await write(first)
    assert.strictEqual(written.code, 0, written.stderr)
    const [{ key } = { key: "" }] = decodeKeys(await cairnJson(["checkpoint-key", "show"], { database }))
    const trusted = await run(Effect.map(Sha256, (sha256) => parseVerifierKey(sha256, key)))
    const options = { trustedKeys: [Result.getOrThrow(trusted)], anchorAddress: ACCOUNT }
    const report = await run(verifyEvidence(bytesOf(first), options))
    assert.strictEqual(report.verdict, "intact", JSON.stringify(report.failed))
    assert.strictEqual(report.counts.anchors, 1)
    assert.strictEqual(report.blocks.length, 1)
    const block = (await node.call(
      "eth_getBlockByNumber",
      `0x${Number(detail.block_number).toString(16)}`,
      false
    )) as { hash: string }
    assert.strictEqual(report.blocks[0]?.hash, block.hash)

    const copy = join(folder, "copy.db")
    assert.strictEqual((await cairn(["backup", copy], { database })).code, 0)

    // A second bundle, later: a part of the log whose first event lies within an anchored period.
    await append(client, 5)
    await anchor(client)
    const second = join(folder, "second.cairn")
    assert.strictEqual((await write(second)).code, 0)
    const middle = (await client.list())[20]
    const part = join(folder, "part.cairn")
    assert.strictEqual((await write(part, "--from", middle?.created_at ?? "")).code, 0)
    for (const file of [second, part]) {
      const whole = await run(verifyEvidence(bytesOf(file), options))
      assert.strictEqual(whole.verdict, "intact", `${file} ${JSON.stringify(whole.failed)}`)
    }
    const grown = await run(compareEvidence(bytesOf(first), bytesOf(second), options))
    assert.strictEqual(grown.verdict, "intact", JSON.stringify(grown.failed))

    // It is never written over.
    assert.notStrictEqual((await write(first)).code, 0)
    await server.stop()

    // A restored copy does not know of the second anchor, and the chain does.
    for (const [file, expected] of [
      [copy, 1],
      [database, 0]
    ] as const) {
      const { code, stdout } = await cairn(["verify", "--json"], { database: file, variables })
      assert.strictEqual(code, 0)
      assert.strictEqual(JSON.parse(stdout).unknown_transactions, expected)
    }
    assert.match((await cairn(["verify"], { database: copy, variables })).stdout, /a copy that is behind/)

    const kept = join(folder, "kept.txt")
    writeFileSync(kept, note)
    const verify = async (file: string) => {
      const { code, stdout } = await cairn(["verify", "--against", file], { database })
      return { code, stdout }
    }
    for (const file of [first, kept]) assert.strictEqual((await verify(file)).code, 0, file)

    // A restored copy that is behind says so, and so does one that goes on from there with other events.
    const db0 = new DatabaseSync(database)
    db0.exec(`
      DROP TRIGGER event_is_never_deleted; DROP TRIGGER event_target_is_never_deleted;
      CREATE TABLE kept AS SELECT * FROM event WHERE sequence > 30;
      CREATE TABLE kept_head AS SELECT * FROM head;
      DELETE FROM event WHERE sequence > 30; DELETE FROM checkpoint;
      UPDATE head SET (sequence, event_hash, event_id, created_at) = (SELECT sequence, event_hash, id, created_at FROM event WHERE sequence = 30)`)
    const behind = await verify(kept)
    assert.strictEqual(behind.code, 1)
    assert.match(behind.stdout, /behind/)
    assert.strictEqual((await verify(first)).code, 1)
    db0.exec(
      "INSERT INTO event SELECT * FROM kept; DELETE FROM head; INSERT INTO head SELECT * FROM kept_head; DROP TABLE kept; DROP TABLE kept_head"
    )
    db0.close()

    // Somebody changes an event behind the service's back.
    const db = new DatabaseSync(database)
    db.exec("DROP TRIGGER event_is_never_changed")
    db.exec(
      "UPDATE event SET content = replace(content, 'document.read', 'document.seen') WHERE sequence = 20"
    )
    db.close()
    const tampered = join(folder, "tampered.cairn")
    assert.strictEqual((await write(tampered)).code, 0)
    const found = await run(verifyEvidence(bytesOf(tampered), options))
    assert.strictEqual(found.verdict, "tampered")
    assert.deepInclude(found.failed[0]?.subject, { kind: "event", sequence: 20 })
    // The command says the same, with no network and no database.
    const bin = join(import.meta.dirname, "../../../verifier/src/bin.ts")
    const check = (file: string): number => {
      try {
        execFileSync(process.execPath, ["--conditions=@cairn/source", bin, file, "--trusted-key", key], {
          stdio: "ignore"
        })
        return 0
      } catch (error) {
        return error instanceof Error && "status" in error ? Number(error.status) : -1
      }
    }
    assert.deepStrictEqual([check(second), check(tampered)], [0, 1])
  })
})
