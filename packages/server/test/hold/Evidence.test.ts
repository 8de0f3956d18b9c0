import { execFile, spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type Ed25519Verifier, Sha256 } from "@cairn/core/hashing"
import { parseVerifierKey } from "@cairn/core/note"
import { compareEvidence, layerTools, verifyEvidence } from "@cairn/verifier"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Effect, Result, Schema, Stream } from "effect"
import { Anvil } from "../../../anchor-base/test/Anvil.ts"
import { ACCOUNT, anchor, append, chainVariables, verifyAnchor } from "../support/AnchoredLog.ts"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, cairnJson, killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
import { DATABASES, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

const VERIFY = fileURLToPath(new URL("../../../verifier/src/bin.ts", import.meta.url))
const PYTHON = fileURLToPath(new URL("../../../../examples/verify-python/verify.py", import.meta.url))

const isPython = "import sys; sys.exit(sys.version_info < (3, 9))"
const withPython = spawnSync("python3", ["-c", isPython]).status === 0

const decodeKeys = Schema.decodeUnknownSync(Schema.Array(Schema.Struct({ key: Schema.String })))
const decodeVerified = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ unknown_transactions: Schema.Number }))
)
const decodeReport = Schema.decodeUnknownSync(
  Schema.fromJsonString(
    Schema.Struct({
      failed: Schema.Array(Schema.Struct({ code: Schema.String })),
      not_checked: Schema.Array(Schema.Struct({ message: Schema.String }))
    })
  )
)

const bytesOf = (file: string) => Stream.fromIterable([Uint8Array.from(readFileSync(file))])

const run = <A, E>(effect: Effect.Effect<A, E, Ed25519Verifier | Sha256>) =>
  Effect.runPromise(Effect.provide(effect, layerTools))

interface Outcome {
  readonly code: number
  readonly stdout: string
}

const program = (command: string, ...args: ReadonlyArray<string>): Promise<Outcome> =>
  new Promise((resolve) =>
    execFile(command, args, { timeout: 60_000 }, (error, stdout) =>
      resolve({ code: error === null ? 0 : typeof error.code === "number" ? error.code : -1, stdout })
    )
  )

/** `cairn-verify`, as an auditor types it. */
const cairnVerify = (...args: ReadonlyArray<string>) =>
  program(process.execPath, "--conditions=@cairn/source", VERIFY, ...args)

describe.each(DATABASES)("from events to evidence that an auditor checks offline, on %s", (kind) => {
  const folder = temporaryFolder()
  const { newDatabase } = testDatabases(kind)
  const node = new Anvil({})
  beforeAll(() => node.start())
  afterAll(() => node.dispose())

  it("an anchored log is proven by its bundle, a later one agrees with it, and a tampered one does not", {
    timeout: 300_000
  }, async () => {
    const original = await newDatabase()
    const { database } = original
    const variables = {
      ...chainVariables(node.url),
      CAIRN_SECRET_KEY: Buffer.alloc(32, 3).toString("base64")
    }
    const tenant = await makeTenant("Evidence", { database, variables })
    let server = await startServer({ database, variables })
    let client = apiClient(server.baseUrl, tenant.key)
    await append(client, 40)
    const detail = await anchor(node, client)

    assert.match(String(detail.tx_hash), /^0x[0-9a-f]{64}$/)
    assert.strictEqual(detail.explorer_url, `https://basescan.org/tx/${detail.tx_hash}`)
    const transaction = (await node.call("eth_getTransactionByHash", detail.tx_hash)) as {
      input: string
      from: string
    }
    assert.include(transaction.input, detail.merkle_root)
    assert.strictEqual(transaction.from, ACCOUNT)
    const verification = await verifyAnchor(client, detail.id)
    assert.deepInclude(verification, { valid: true, chain_valid: true })
    assert.strictEqual(verification.on_chain?.status, "matches")

    const note = String((await client.get("/checkpoint")).body)
    const first = join(folder, "first.cairn")
    const write = (file: string, ...more: ReadonlyArray<string>) =>
      cairn(["evidence", "--workspace", "Evidence", "--output", file, ...more], { database, variables })
    const written = await write(first)
    assert.strictEqual(written.code, 0, written.stderr)
    const [{ key } = { key: "" }] = decodeKeys(
      await cairnJson(["checkpoint-key", "show"], { database, variables })
    )
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

    await server.stop()
    const copy = await original.copy()
    server = await startServer({ database, variables })
    client = apiClient(server.baseUrl, tenant.key)

    // A second bundle, later: a part of the log whose first event lies within an anchored period.
    await append(client, 5)
    await anchor(node, client)
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

    // An auditor who has the key, the account and a node leaves nothing open; nor one who has looked the
    // blocks up.
    const known = ["--json", "--trusted-key", key, "--anchor-address", ACCOUNT]
    const blocks = (await run(verifyEvidence(bytesOf(second), options))).blocks
    const hashes = blocks.flatMap(({ number, hash }) => ["--block-hash", `${number}=${hash}`])
    for (const source of [["--rpc", node.url], hashes]) {
      const { code, stdout } = await cairnVerify(...known, ...source, second)
      assert.strictEqual(code, 0, stdout)
      assert.deepStrictEqual(decodeReport(stdout), { failed: [], not_checked: [] })
    }
    const failedWith = async (...args: ReadonlyArray<string>) => {
      const { code, stdout } = await cairnVerify("--json", ...args)
      assert.strictEqual(code, 1, stdout)
      return new Set(decodeReport(stdout).failed.map((failure) => failure.code))
    }
    const wrong = `${blocks[0]?.number}=0x${"a".repeat(64)}`
    assert.deepStrictEqual(await failedWith("--block-hash", wrong, second), new Set(["block_hash_differs"]))
    assert.deepStrictEqual(
      await failedWith("--anchor-address", `0x${"1".repeat(40)}`, second),
      new Set(["transaction_sender"])
    )
    if (withPython) {
      const { code, stdout } = await program("python3", PYTHON, "--trusted-key", key, second)
      assert.strictEqual(code, 0, stdout)
      assert.match(stdout, /^INTACT/)
    }

    // A restored copy does not know of the second anchor, and the chain does.
    for (const [file, expected] of [
      [copy.database, 1],
      [database, 0]
    ] as const) {
      const { code, stdout } = await cairn(["verify", "--json"], { database: file, variables })
      assert.strictEqual(code, 0)
      assert.strictEqual(decodeVerified(stdout).unknown_transactions, expected)
    }
    const restored = await cairn(["verify"], { database: copy.database, variables })
    assert.match(restored.stdout, /a copy that is behind/)

    const kept = join(folder, "kept.txt")
    writeFileSync(kept, note)
    for (const file of [first, kept]) {
      const { code, stdout } = await cairn(["verify", "--against", file], { database, variables })
      assert.strictEqual(code, 0, stdout)
    }

    // Somebody changes an event behind the service's back.
    await original.disarm()
    await original.run(
      "UPDATE event SET content = replace(content, 'document.read', 'document.seen') WHERE sequence = 20"
    )
    const tampered = join(folder, "tampered.cairn")
    assert.strictEqual((await write(tampered)).code, 0)
    const found = await run(verifyEvidence(bytesOf(tampered), options))
    assert.strictEqual(found.verdict, "tampered")
    assert.deepInclude(found.failed[0]?.subject, { kind: "event", sequence: 20 })
    assert.strictEqual((await cairnVerify(tampered, "--trusted-key", key)).code, 1)
    if (withPython) assert.strictEqual((await program("python3", PYTHON, tampered)).code, 1)

    // The chain drops the blocks: they are not those that are on it any more.
    await node.call("anvil_reorg", (blocks.at(-1)?.number ?? 0) - (blocks[0]?.number ?? 0) + 1, [])
    assert.include(await failedWith("--rpc", node.url, second), "block_hash_differs")
  })
})
