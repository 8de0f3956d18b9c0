import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { wholeVerification } from "@cairn/testing"
import {
  because,
  bundleForBrowser,
  noChromium,
  type PageServer,
  SERVICE_HOST,
  servePages,
  watch
} from "@cairn/testing/Chromium"
import { connectChromium } from "@cairn/testing/SharedChromium"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { Browser, Page } from "playwright-core"
import { type ContentToHash, exported, type Outcome, run, TAMPERED } from "./BrowserScenario.ts"
import { hashVectorFolder } from "./verification/HashVectors.generate.ts"

const ContentVector = Schema.Struct({
  salt: Schema.String,
  content: Schema.String,
  content_hash: Schema.String
})
const decodeVector = Schema.decodeSync(Schema.fromJsonString(ContentVector))
const vectors = readdirSync(join(hashVectorFolder, "content")).map((name) =>
  decodeVector(readFileSync(join(hashVectorFolder, "content", name), "utf8"))
)

describe.skipIf(noChromium)(`the core in a browser, over plain http${because}`, () => {
  let server: PageServer | undefined
  let browser: Browser | undefined
  let page: Page
  let failures: ReadonlyArray<string> = []
  let here: Outcome
  let there: Outcome

  const evaluate = <A>(expression: string): Promise<A> => page.evaluate<A>(expression)

  beforeAll(async () => {
    // The scenario and all of the core.
    const { code } = await bundleForBrowser(new URL("BrowserScenario.ts", import.meta.url))
    server = await servePages(({ pathname }) =>
      pathname === "/scenario.js" ? { contentType: "text/javascript", body: code } : undefined
    )
    browser = await connectChromium()
    page = await browser.newPage()
    failures = watch(page).errors
    await page.goto(`http://${SERVICE_HOST}:${server.port}/`)
    const contents = vectors.map(({ salt, content }): ContentToHash => ({ salt, content }))
    here = await run(contents)
    there = await evaluate<Outcome>(
      `import("/scenario.js").then(({ run }) => run(${JSON.stringify(contents)}))`
    )
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    server?.stop()
  })

  it("has no Web Crypto digest to lean on there, and Node's own only here", async () => {
    assert.isFalse(await evaluate<boolean>("isSecureContext"))
    assert.strictEqual(await evaluate<string>("typeof crypto.subtle"), "undefined")
    assert.strictEqual(await evaluate<string>("typeof process"), "undefined")
  })

  it("loads every module of the main entry", async () => {
    const names = await evaluate<ReadonlyArray<string>>(
      `import("/scenario.js").then(({ exported }) => exported)`
    )
    assert.isAbove(names.length, 100)
    assert.deepStrictEqual(names, exported)
    assert.deepStrictEqual(failures, [])
  })

  it("hashes every content of testdata/hash as it should be hashed", () => {
    assert.deepStrictEqual(
      there.contentHashes,
      vectors.map(({ content_hash }) => content_hash)
    )
  })

  it("accepts and chains the same events with the same hashes as in Node", () => {
    assert.isAbove(there.chain.length, 60)
    assert.deepStrictEqual(there.chain, here.chain)
  })

  it("verifies the chain", () => {
    assert.deepStrictEqual(there.verification, wholeVerification(there.chain.length))
  })

  it("finds a changed content, and says of it what Node says", () => {
    assert.deepStrictEqual(there.tampered, here.tampered)
    assert.isFalse(there.tampered.valid)
    const [found, ...others] = there.tampered.breaks
    assert.deepStrictEqual(others, [])
    assert.strictEqual(found?.type, "hash_mismatch")
    assert.strictEqual(found?.actual_hash, there.chain[TAMPERED]?.[1])
  })

  it("makes ids that are no two the same, from the browser's own randomness", () => {
    assert.strictEqual(there.distinctIds, 1_000)
  })

  it("proves every event and every earlier size of the tree, as Node does", () => {
    const { root, provedRoots, grownFrom, forged } = there.merkle
    const all = there.chain.map((_, index) => index)
    assert.deepStrictEqual(
      provedRoots,
      all.map(() => root)
    )
    assert.deepStrictEqual(
      grownFrom,
      all.map((index) => index + 1)
    )
    assert.strictEqual(forged, "RootMismatch")
    assert.deepStrictEqual(there.merkle, here.merkle)
  })
})
