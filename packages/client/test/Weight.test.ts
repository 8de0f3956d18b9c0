/** The base entry alone: what it weighs, and that it needs only what browsers and edge runtimes have. */
import { fileURLToPath } from "node:url"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { rolldown } from "rolldown"

const ENTRY = fileURLToPath(new URL("../src/index.ts", import.meta.url))

/** Most bytes of the client alone, minified and compressed. */
const MOST = 10_200

describe("the client alone", () => {
  let code = ""

  beforeAll(async () => {
    const bundle = await rolldown({ input: ENTRY, platform: "browser" })
    const { output } = await bundle.generate({ format: "iife", name: "client", minify: true })
    assert.strictEqual(output.length, 1)
    // Whatever is not in the file would be imported.
    assert.deepStrictEqual(output[0].imports, [])
    code = output[0].code
  })

  it(`has at most ${MOST} bytes, compressed`, () => {
    const bytes = gzipSync(code, { level: 9 }).length
    console.info(`@cairn/client: ${bytes} bytes compressed, ${code.length} minified`)
    assert.isAtMost(bytes, MOST)
  })

  it("runs where there is nothing of Node", async () => {
    const sent: Array<unknown> = []
    const context = createContext({
      AbortController,
      Headers,
      Response,
      TextDecoder,
      TextEncoder,
      URL,
      URLSearchParams,
      clearTimeout: (timer: NodeJS.Timeout) => clearTimeout(timer),
      console,
      crypto,
      fetch: async (_: string, init: { readonly body: string }) => {
        sent.push(JSON.parse(init.body))
        return new Response('{"id":"1","status":"queued"}', { status: 202 })
      },
      performance,
      // Timers of browsers are numbers, without `unref`.
      setTimeout: (run: () => void, millis: number) => Number(setTimeout(run, millis))
    })
    runInContext(code, context)
    const said = await runInContext(
      `(async () => {
        const cairn = new client.Cairn({ url: "https://audit.test", apiKey: "key" })
        const recorded = await cairn.record({ actor_id: "ada", action: "page.opened" })
        await cairn.enqueue({ actor_id: "ada", action: "page.closed" })
        return [recorded.status, (await cairn.close()).waiting, typeof process, typeof Buffer].join()
      })()`,
      context
    )
    assert.strictEqual(said, "queued,0,undefined,undefined")
    assert.deepStrictEqual(
      sent.map((event) => (event as { action: string }).action),
      ["page.opened", "page.closed"]
    )
  })
})
