import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chainSettingsFor } from "../../src/settings/AnchorSettings.ts"
import { readConfiguration } from "../../src/settings/Configuration.ts"

const KEY = "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"
const URL = "https://node.example.com/v2/a-secret"

const folder = mkdtempSync(join(tmpdir(), "cairn-anchor-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const settings = (variables: Record<string, string>) =>
  Effect.flatMap(readConfiguration(variables), chainSettingsFor)

const read = (variables: Record<string, string>) =>
  Effect.runSync(settings({ CAIRN_ANCHOR_RPC_URL: URL, CAIRN_ANCHOR_PRIVATE_KEY: KEY, ...variables }))
const refused = (variables: Record<string, string>) => Effect.runSync(Effect.flip(settings(variables)))

describe("the settings of anchoring", () => {
  it("are none where nothing is set: anchors stay pending", () => {
    assert.isNull(Effect.runSync(settings({})))
  })

  it("are Base's unless set: finalized blocks, at most 5 gwei", () => {
    assert.deepStrictEqual(read({}), {
      urls: [URL],
      privateKey: KEY,
      formerAccounts: [],
      chainId: 8453,
      confirmations: "finalized",
      maxFeeGwei: 5
    })
  })

  it("may name several nodes, and accounts that anchored before", () => {
    const [one, other] = [`0x${"1".repeat(40)}`, `0x${"aB".repeat(20)}`]
    const found = read({
      CAIRN_ANCHOR_RPC_URL: ` ${URL} , http://10.0.0.1:8545,`,
      CAIRN_ANCHOR_FORMER_ACCOUNTS: `${one}, ${other}`
    })
    assert.deepStrictEqual(found?.urls, [URL, "http://10.0.0.1:8545"])
    assert.deepStrictEqual(found?.formerAccounts, [one, other])
  })

  it("take the key as it stands, or from the file that is named", () => {
    assert.strictEqual(read({ CAIRN_ANCHOR_PRIVATE_KEY: `0x${KEY}` })?.privateKey, `0x${KEY}`)
    const path = file("key", `${KEY}\n`)
    assert.strictEqual(read({ CAIRN_ANCHOR_PRIVATE_KEY: path })?.privateKey, KEY)
  })

  it("refuse what is no key and no file of one, and repeat none of it", () => {
    for (const value of [KEY.slice(1), `${KEY}0`, join(folder, "nowhere"), file("text", `${KEY}0`), folder]) {
      const error = refused({ CAIRN_ANCHOR_RPC_URL: URL, CAIRN_ANCHOR_PRIVATE_KEY: value })
      assert.strictEqual(error.variable, "CAIRN_ANCHOR_PRIVATE_KEY")
      assert.notInclude(error.message, value.slice(0, 12))
      assert.notInclude(error.message, KEY.slice(1, 12))
    }
  })

  it("need the node with the key, and the key with the node", () => {
    const noNode = refused({ CAIRN_ANCHOR_PRIVATE_KEY: KEY })
    assert.strictEqual(noNode.variable, "CAIRN_ANCHOR_RPC_URL")
    assert.notInclude(noNode.message, KEY)
    const noKey = refused({ CAIRN_ANCHOR_RPC_URL: URL })
    assert.strictEqual(noKey.variable, "CAIRN_ANCHOR_PRIVATE_KEY")
    assert.notInclude(noKey.message, "a-secret")
  })

  it.each([
    ["CAIRN_ANCHOR_RPC_URL", "node.example.com"],
    ["CAIRN_ANCHOR_RPC_URL", `${URL},ws://node.example.com`],
    ["CAIRN_ANCHOR_FORMER_ACCOUNTS", "0x12"],
    ["CAIRN_ANCHOR_CHAIN_ID", "1"],
    ["CAIRN_ANCHOR_CONFIRMATIONS", "0"],
    ["CAIRN_ANCHOR_CONFIRMATIONS", "latest"],
    ["CAIRN_ANCHOR_MAX_FEE_GWEI", "0"],
    ["CAIRN_ANCHOR_MAX_FEE_GWEI", "1e3"],
    ["CAIRN_ANCHOR_EVERY_SECONDS", "59"]
  ])("%s=%s is refused", (variable, value) => {
    assert.strictEqual(refused({ [variable]: value }).variable, variable)
  })

  it.each([
    ["CAIRN_ANCHOR_CHAIN_ID", "84532"],
    ["CAIRN_ANCHOR_CONFIRMATIONS", "safe"],
    ["CAIRN_ANCHOR_CONFIRMATIONS", "12"],
    ["CAIRN_ANCHOR_MAX_FEE_GWEI", "0.05"],
    ["CAIRN_ANCHOR_EVERY_SECONDS", "3600"]
  ])("%s=%s is taken", (variable, value) => {
    assert.isNotNull(read({ [variable]: value }))
  })
})
