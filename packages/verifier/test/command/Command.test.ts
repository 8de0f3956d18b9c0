/** The command `cairn-verify`, run as an auditor runs it. */
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { formatVerifierKey } from "@cairn/core/note"
import { testBundle, testLog } from "@cairn/testing"
import { bundleProgram } from "@cairn/testing/BundledProgram"
import { firstOf } from "@cairn/testing/TrialCases"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { serviceKey, signer } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import { type Outcome, runProgram } from "./RunProgram.ts"

const source = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))
/** It starts often, and in one file it starts at once. */
let program = ""

const run = (...args: ReadonlyArray<string>): Promise<Outcome> => runProgram(program, args)

/** The same chain each time, so that the longer log continues the shorter one. */
const logOf = (events: number, { send } = testChain()) => testLog({ events, periods: [20, 40], send })

const chain = testChain()
const older = testBundle(logOf(50), { signer })
const lines = testBundle(logOf(60, chain), { signer }).map((line, index) =>
  index === 0 ? line.replace('"created_at":"2024-05-02', '"created_at":"2024-05-03') : line
)
const tampered = lines.map((line) =>
  line.endsWith('"sequence":17,"type":"event"}\n')
    ? line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
    : line
)
const key = formatVerifierKey(serviceKey)
const hashes = [...chain.blocks].flatMap(([number, hash]) => ["--block-hash", `${number}=${hash}`])

const ReportJson = Schema.fromJsonString(
  Schema.Struct({
    verdict: Schema.String,
    failed: Schema.Array(Schema.Struct({ code: Schema.String })),
    not_checked: Schema.Array(
      Schema.Struct({ message: Schema.String, remedy: Schema.NullOr(Schema.String) })
    ),
    obligations: Schema.Struct({
      brought: Schema.Array(
        Schema.Struct({ name: Schema.String, discharged: Schema.Boolean, up_to: Schema.NullOr(Schema.Int) })
      ),
      claimed: Schema.Array(Schema.Struct({ name: Schema.String, owed: Schema.Int, discharged: Schema.Int }))
    })
  })
)
const report = (stdout: string) => Schema.decodeUnknownSync(ReportJson)(stdout)

const Question = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ method: Schema.Literal("eth_chainId") }),
    Schema.Struct({
      method: Schema.Literal("eth_getBlockByNumber"),
      params: Schema.Tuple([Schema.String, Schema.Boolean])
    })
  ])
)

/** What a node may say of the chain it is on, and of its blocks instead of what it knows. */
interface NodeAnswers {
  /** 8453 unless set. */
  readonly chainId?: number
  readonly block?: string
}

/** A node that knows the chain's blocks. */
const startNode = ({
  chainId = 8453,
  block
}: NodeAnswers = {}): Promise<{
  readonly server: Server
  readonly url: string
}> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk) => {
        body += chunk
      })
      request.on("end", () => {
        const question = Schema.decodeUnknownSync(Question)(body)
        const say = (result: unknown) => response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, result }))
        if (question.method === "eth_chainId") return say(`0x${chainId.toString(16)}`)
        if (block !== undefined) return response.end(block)
        const hash = chain.blocks.get(Number(question.params[0]))
        return say(hash === undefined ? null : { hash })
      })
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({ server, url: `http://127.0.0.1:${port}` })
    })
  })

describe("cairn-verify", () => {
  let folder = ""
  const file = (name: string) => join(folder, name)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "cairn-verify-"))
    // It reads its version from the folder above its own.
    await copyFile(fileURLToPath(new URL("../../package.json", import.meta.url)), file("package.json"))
    program = await bundleProgram(source, file("dist"))
    await writeFile(file("good"), gzipSync(lines.join("")))
    await writeFile(file("young"), gzipSync(testBundle(testLog({ events: 5 }), { signer }).join("")))
    await writeFile(file("older"), gzipSync(older.join("")))
    await writeFile(file("tampered"), gzipSync(tampered.join("")))
    await writeFile(file("text"), lines.join(""))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("exits with 0 for an intact bundle, and says what was proven and what was not checked", async () => {
    const { status, stdout } = await run(file("good"))
    assert.strictEqual(status, 0)
    assert.match(stdout, /^INTACT/)
    assert.match(stdout, /✓ bundle: Events 1 to 60: each has its hash and follows the one before it/)
    assert.match(stdout, /\? checkpoint of 60: Whether the key is the service's.*\(--trusted-key/)
  })

  it("exits with 1 for one that was tampered with, and says where", async () => {
    const { status, stdout } = await run(file("tampered"))
    assert.strictEqual(status, 1)
    assert.match(stdout, /^TAMPERED/)
    assert.match(stdout, /✗ event 17 \([0-9a-f-]{36}\): .* \[hash_mismatch, content_changed\]/)
  })

  it("exits with 2 for a file that is no bundle", async () => {
    const { status, stdout } = await run(file("text"))
    assert.strictEqual(status, 2)
    assert.match(stdout, /^UNREADABLE/)
  })

  it.each(
    firstOf<readonly [string, ReadonlyArray<string>]>(3, [
      ["a file that is not there", ["/nowhere/bundle"]],
      ["a folder", [tmpdir()]],
      ["no file", []],
      ["three files", ["a", "b", "c"]],
      ["an option it does not know", ["x", "--force"]],
      ["a key that is none", ["x", "--trusted-key", "cairn"]],
      ["an address that is none", ["x", "--anchor-address", "0x12"]],
      ["a block hash that is none", ["x", "--block-hash", "12"]],
      [
        "two hashes for one block",
        ["x", "--block-hash", `1=0x${"a".repeat(64)}`, "--block-hash", `1=0x${"b".repeat(64)}`]
      ]
    ])
  )("exits with 2 and one line about it for %s", async (_, args) => {
    const { status, stderr } = await run(...args)
    assert.strictEqual(status, 2)
    assert.notMatch(stderr, /\n\s+at /)
    assert.isNotEmpty(stderr)
  })

  it("exits with 0 after explaining itself", async () => {
    assert.strictEqual((await run("--help")).status, 0)
    assert.strictEqual((await run("--version")).status, 0)
  })

  it("prints the report as JSON", async () => {
    const good = await run(file("good"), "--json")
    assert.strictEqual(report(good.stdout).verdict, "intact")
    const bad = await run("--json", file("tampered"))
    assert.deepStrictEqual(report(bad.stdout).failed, [{ code: "content_changed" }])
  })

  it("leaves nothing unchecked that the auditor gave the means for", async () => {
    const known = ["--trusted-key", key, "--anchor-address", chain.address.toUpperCase().replace("0X", "0x")]
    const { status, stdout } = await run("--json", ...known, ...hashes, file("good"))
    assert.strictEqual(status, 0)
    assert.deepStrictEqual(report(stdout).not_checked, [
      { message: "Events 41 to 60: no anchor in the bundle holds them yet", remedy: null }
    ])
  })

  it("exits with 3 if something that the auditor brought is held against nothing in the file", async () => {
    const other = ["--block-hash", `7=0x${"a".repeat(64)}`]
    const { status, stdout } = await run("--json", ...hashes, ...other, file("good"))
    assert.strictEqual(status, 3)
    const { verdict, obligations } = report(stdout)
    assert.strictEqual(verdict, "unproven")
    assert.deepStrictEqual(obligations.brought, [
      { name: "block_hash", discharged: true, up_to: 20 },
      { name: "block_hash", discharged: true, up_to: 40 },
      { name: "block_hash", discharged: false, up_to: null }
    ])
    for (const { name, owed, discharged } of obligations.claimed) assert.strictEqual(discharged, owed, name)
    const text = await run("--anchor-address", chain.address, file("young"))
    assert.strictEqual(text.status, 3)
    assert.match(text.stdout, /^UNPROVEN/)
    assert.include(text.stdout, `! anchor address ${chain.address}: No anchor in the file is confirmed`)
  })

  it("finds a hash that is not the one looked up", async () => {
    const [number] = [...chain.blocks.keys()]
    const { status, stdout } = await run(
      "--json",
      "--block-hash",
      `${number}=0x${"a".repeat(64)}`,
      file("good")
    )
    assert.strictEqual(status, 1)
    assert.deepStrictEqual(report(stdout).failed, [{ code: "block_hash_differs" }])
  })

  it("asks a node of the chain for the hashes of blocks", async () => {
    const { server, url } = await startNode()
    const { status, stdout } = await run("--json", "--rpc", url, file("good"))
    server.close()
    assert.strictEqual(status, 0)
    assert.notInclude(stdout, "--block-hash")
  })

  it.each(
    firstOf(1, [
      ["answers with nonsense", '{"result":{"hash":"12"}}'],
      ["answers with no JSON", "<html>"],
      ["does not know the block", '{"jsonrpc":"2.0","id":1,"result":null}']
    ] as const)
  )("does not call a bundle tampered with because a node %s", async (_, block) => {
    const { server, url } = await startNode({ block })
    const { status, stdout } = await run("--json", "--rpc", url, file("good"))
    server.close()
    assert.strictEqual(status, 3)
    assert.include(stdout, "--block-hash")
    assert.include(stdout, "It did not return the hash of any block")
  })

  it("does not ask a node of another chain, which has other blocks at the same heights, and says so", async () => {
    const block = `{"jsonrpc":"2.0","id":1,"result":{"hash":"0x${"a".repeat(64)}"}}`
    const { server, url } = await startNode({ chainId: 1, block })
    const { status, stdout, stderr } = await run("--json", "--rpc", url, file("good"))
    server.close()
    assert.strictEqual(status, 3, stdout)
    assert.include(stdout, "--block-hash")
    assert.include(stderr, `cairn-verify: --rpc ${url}: it is a node of chain 1, not of 8453`)
  })

  it("does not take a node for held where no anchor of the file is in a block", async () => {
    const { server, url } = await startNode()
    const { status, stdout } = await run("--rpc", url, file("young"))
    server.close()
    assert.strictEqual(status, 3, stdout)
    assert.include(stdout, `! node ${url}: It did not return the hash of any block`)
  })

  it("asks a node of the chain that the auditor names", async () => {
    const { server, url } = await startNode({ chainId: 84_532 })
    const { stdout, stderr } = await run("--json", "--rpc", url, "--chain-id", "84532", file("good"))
    server.close()
    assert.strictEqual(stderr, "")
    assert.notInclude(stdout, "--block-hash")
  })

  it("tells nobody what else is in the address of a node: it is often a secret", async () => {
    const { server, url } = await startNode({ chainId: 1 })
    const { host } = new URL(url)
    for (const secret of [
      `http://${host}/v2/hunter2`,
      `http://user:hunter2@${host}/`,
      `http://${host}/?key=hunter2`,
      "http://127.0.0.1:9/hunter2",
      "hunter2://",
      "hunter2"
    ]) {
      for (const form of [[], ["--json"]]) {
        const { status, stdout, stderr } = await run(...form, "--rpc", secret, file("good"))
        assert.strictEqual(status, 3, secret)
        assert.include(stderr, "cairn-verify: --rpc ")
        assert.notInclude(stdout + stderr, "hunter2")
      }
    }
    server.close()
  })

  it("refuses a number that is no chain's", async () => {
    for (const chainId of ["0", "-5"]) {
      const { status, stderr } = await run(file("good"), `--chain-id=${chainId}`)
      assert.strictEqual(status, 2)
      assert.include(stderr, `--chain-id ${chainId}: not a chain`)
    }
  })

  it("says that a node cannot be reached", async () => {
    const { status, stderr } = await run("--rpc", "http://127.0.0.1:9", file("good"))
    assert.strictEqual(status, 3)
    assert.match(stderr, /cairn-verify: --rpc http:\/\/127\.0\.0\.1:9: /)
  })

  it("holds a later bundle against an earlier one", async () => {
    const { status, stdout } = await run(file("older"), file("good"))
    assert.strictEqual(status, 0, stdout)
    assert.match(stdout, /✓ bundle: Events 1 to 50: the same in both bundles/)
    const shorter = await run("--json", file("good"), file("older"))
    assert.strictEqual(shorter.status, 1)
    assert.include(shorter.stdout, '"dropped_since"')
  })
})
