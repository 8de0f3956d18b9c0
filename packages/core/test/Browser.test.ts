import { accessSync, constants, readdirSync, readFileSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { delimiter, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Browser, chromium, type Page } from "playwright-core"
import { rolldown } from "rolldown"
import { type ContentToHash, exported, type Outcome, run, TAMPERED } from "./BrowserScenario.ts"
import { hashVectorFolder } from "./HashVectors.generate.ts"

/** A name that is no `localhost`, which browsers trust without TLS. */
const HOST = "cairn.test"

const isExecutable = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const executablePath = (process.env.PATH ?? "")
  .split(delimiter)
  .map((folder) => join(folder, "chromium"))
  .find(isExecutable)

const because = executablePath === undefined ? " (skipped: no chromium on the PATH)" : ""

const ContentVector = Schema.Struct({
  salt: Schema.String,
  content: Schema.String,
  content_hash: Schema.String
})
const decodeVector = Schema.decodeSync(Schema.fromJsonString(ContentVector))
const vectors = readdirSync(join(hashVectorFolder, "content")).map((name) =>
  decodeVector(readFileSync(join(hashVectorFolder, "content", name), "utf8"))
)

/** The scenario and all of the core as one module for a browser. */
const bundle = async (): Promise<string> => {
  const build = await rolldown({
    input: fileURLToPath(new URL("BrowserScenario.ts", import.meta.url)),
    platform: "browser",
    resolve: { conditionNames: ["@cairn/source", "browser", "import", "default"] },
    logLevel: "silent"
  })
  const { output } = await build.generate({ format: "esm" })
  await build.close()
  assert.lengthOf(output, 1)
  return output[0].code
}

/** Serves one page, and the module that it loads. */
const serve = (module: string): Promise<Server> =>
  new Promise((resolve) => {
    const server = createServer((request, response) => {
      const isModule = request.url === "/scenario.js"
      response.setHeader("Content-Type", isModule ? "text/javascript" : "text/html")
      response.end(isModule ? module : "<!doctype html><title>Cairn</title>")
    })
    server.listen(0, "127.0.0.1", () => resolve(server))
  })

const portOf = (server: Server): number => {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

describe.skipIf(executablePath === undefined)(`the core in a browser, over plain http${because}`, () => {
  let server: Server | undefined
  let browser: Browser | undefined
  let page: Page
  const failures: Array<string> = []
  let here: Outcome
  let there: Outcome

  const evaluate = <A>(expression: string): Promise<A> => page.evaluate<A>(expression)

  beforeAll(async () => {
    const module = await bundle()
    server = await serve(module)
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ["--no-sandbox", `--host-resolver-rules=MAP ${HOST} 127.0.0.1`]
    })
    page = await browser.newPage()
    page.on("pageerror", (error) => failures.push(String(error)))
    page.on("console", (message) => {
      if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) {
        failures.push(message.text())
      }
    })
    await page.goto(`http://${HOST}:${portOf(server)}/`)
    const contents = vectors.map(({ salt, content }): ContentToHash => ({ salt, content }))
    here = await run(contents)
    there = await evaluate<Outcome>(
      `import("/scenario.js").then(({ run }) => run(${JSON.stringify(contents)}))`
    )
  }, 60_000)

  afterAll(async () => {
    await browser?.close()
    server?.close()
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
    assert.deepStrictEqual(there.verification, {
      valid: true,
      events_checked: there.chain.length,
      breaks: []
    })
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
