/** What waits is sent before a process ends: by itself, and by SIGTERM. */
import { spawn } from "node:child_process"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const CLIENT = fileURLToPath(new URL("../src/index.ts", import.meta.url))

/** A server that takes everything, and the actors that it was told of. */
const withServer = async (use: (url: string, actors: ReadonlyArray<string>) => Promise<void>) => {
  const actors: Array<string> = []
  const server = createServer((request, response) => {
    let text = ""
    request.setEncoding("utf8").on("data", (part: string) => {
      text += part
    })
    request.on("end", () => {
      const body = JSON.parse(text)
      const events: ReadonlyArray<{ actor_id: string }> = body.events ?? [body]
      actors.push(...events.map(({ actor_id }) => actor_id))
      const items = events.map(({ actor_id }) => ({ id: actor_id, status: "queued" }))
      response.writeHead(202, { "content-type": "application/json" })
      response.end(JSON.stringify(body.events === undefined ? items[0] : { events: items }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, actors)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** Runs a program with a client `cairn`; kills it with SIGTERM when it prints `ready`. */
const run = (
  url: string,
  program: string,
  options = ""
): Promise<{ code: number | null; signal: string | null; out: string }> =>
  new Promise((resolve, reject) => {
    const script = `
      import { Cairn } from ${JSON.stringify(CLIENT)}
      const cairn = new Cairn({ url: ${JSON.stringify(url)}, apiKey: "key", batch: { delayMillis: 3_600_000 }, ${options} })
      const event = (actor_id) => ({ actor_id, action: "process.ended" })
      ${program}`
    const child = spawn(process.execPath, ["--conditions=@cairn/source", "--input-type=module", "-e", script])
    let out = ""
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        out += text
        if (text.includes("ready")) child.kill("SIGTERM")
      })
    }
    child.on("error", reject)
    child.on("close", (code, signal) => resolve({ code, signal, out }))
  })

describe("a process with a client", () => {
  it("sends what waits before it ends by itself", () =>
    withServer(async (url, actors) => {
      const { code } = await run(url, `await cairn.enqueue(event("ada")); await cairn.enqueue(event("eve"))`)
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(actors, ["ada", "eve"])
    }))

  it("sends what waits on SIGTERM, and then ends by the signal", () =>
    withServer(async (url, actors) => {
      const { signal } = await run(
        url,
        `await cairn.enqueue(event("ada")); setInterval(() => {}, 1000); console.log("ready")`
      )
      assert.strictEqual(signal, "SIGTERM")
      assert.deepStrictEqual(actors, ["ada"])
    }))

  it("leaves the end to an application that listens to SIGTERM itself", () =>
    withServer(async (url, actors) => {
      const { code } = await run(
        url,
        `process.on("SIGTERM", async () => { await cairn.close(); process.exit(7) })
         await cairn.enqueue(event("ada")); setInterval(() => {}, 1000); console.log("ready")`
      )
      assert.strictEqual(code, 7)
      assert.deepStrictEqual(actors, ["ada"])
    }))

  it("sends what waits in each of several clients before it ends by the signal", () =>
    withServer(async (url, actors) => {
      const { signal } = await run(
        url,
        `const other = new Cairn({ url: ${JSON.stringify(url)}, apiKey: "key", batch: { delayMillis: 3_600_000 } })
         await cairn.enqueue(event("ada")); await other.enqueue(event("eve"))
         setInterval(() => {}, 1000); console.log("ready")`
      )
      assert.strictEqual(signal, "SIGTERM")
      assert.sameMembers([...actors], ["ada", "eve"])
    }))

  for (const listens of ["on", "once", "prependListener", "prependOnceListener"]) {
    for (const isFirst of [true, false]) {
      // It is gone before any other listener is called: nobody can know of it.
      if (listens === "prependOnceListener" && !isFirst) continue
      it(`leaves the end to a listener by ${listens} ${isFirst ? "before" : "behind"} its own`, () =>
        withServer(async (url, actors) => {
          const listen = `process.${listens}("SIGTERM", () => setInterval(() => {
            if (cairn.counters.waiting === 0) setTimeout(() => process.exit(7), 200)
          }, 10));`
          const { code } = await run(
            url,
            `${isFirst ? listen : ""}
             await cairn.enqueue(event("ada")); ${isFirst ? "" : listen}
             setInterval(() => {}, 1000); console.log("ready")`
          )
          assert.strictEqual(code, 7)
          assert.deepStrictEqual(actors, ["ada"])
        }))
    }
  }

  it("sends events that come while it sends the last ones", () =>
    withServer(async (url, actors) => {
      const { signal } = await run(
        url,
        `const send = globalThis.fetch
         let left = 3
         globalThis.fetch = async (...request) => {
           const answer = await send(...request)
           if (left-- > 0) void cairn.enqueue(event("late " + left))
           return answer
         }
         await cairn.enqueue(event("ada")); setInterval(() => {}, 1000); console.log("ready")`
      )
      assert.strictEqual(signal, "SIGTERM")
      assert.deepStrictEqual(actors, ["ada", "late 2", "late 1", "late 0"])
    }))

  it("sends events that others bring as it ends by itself", () =>
    withServer(async (url, actors) => {
      const { code } = await run(
        url,
        `let left = 2
         process.on("beforeExit", () => {
           if (left-- > 0) setTimeout(() => cairn.enqueue(event("late " + left)), 20)
         })
         await cairn.enqueue(event("ada"))`
      )
      assert.strictEqual(code, 0)
      assert.deepStrictEqual(actors, ["ada", "late 1", "late 0"])
    }))

  it("ends at once when it is asked twice", async () => {
    const { signal } = await run(
      "http://127.0.0.1:9",
      `await cairn.enqueue(event("ada"))
       process.prependListener("SIGTERM", function once() {
         process.off("SIGTERM", once)
         setTimeout(() => process.kill(process.pid, "SIGTERM"), 50)
       })
       setInterval(() => {}, 1000); console.log("ready")`,
      "handleExit: { timeoutMillis: 3_600_000 }"
    )
    assert.strictEqual(signal, "SIGTERM")
  })

  it("says what is lost when the service is away until the end, after the time that it may take", async () => {
    const { code, out } = await run(
      "http://127.0.0.1:9",
      `await cairn.enqueue(event("ada"))`,
      "handleExit: { timeoutMillis: 50 }"
    )
    assert.strictEqual(code, 0)
    assert.match(out, /1 events waited in memory when the client ended/)
  })

  it("sends what waits on SIGTERM while it is being closed, and then ends by the signal", () =>
    withServer(async (url, actors) => {
      const { signal } = await run(
        url,
        `const send = globalThis.fetch
         globalThis.fetch = async (...request) => {
           console.log("ready")
           await new Promise((resolve) => setTimeout(resolve, 300))
           return send(...request)
         }
         await cairn.enqueue(event("ada")); void cairn.close(); setInterval(() => {}, 1000)`
      )
      assert.strictEqual(signal, "SIGTERM")
      assert.deepStrictEqual(actors, ["ada"])
    }))

  const SAYS = `onError: (error, { kind }) => {
    if (kind === "dropped") console.log(kind, cairn.counters.dropped, error.message)
  }`
  const LOST = /^(ready\n)?dropped 1 1 events waited in memory when the client ended\n$/

  it("says and counts what is lost when SIGTERM comes while it is being closed in vain", async () => {
    const { signal, out } = await run(
      "http://127.0.0.1:9",
      `await cairn.enqueue(event("ada")); void cairn.close({ timeoutMillis: 3_600_000 })
       setInterval(() => {}, 1000); console.log("ready")`,
      `handleExit: { timeoutMillis: 200 }, ${SAYS}`
    )
    assert.strictEqual(signal, "SIGTERM")
    assert.match(out, LOST)
  })

  for (const [name, close] of [
    ["without a close", ""],
    ["while it is being closed", "void cairn.close()"],
    ["after a close", "await cairn.close({ timeoutMillis: 0 })"]
  ]) {
    it(`says and counts once what is lost by process.exit ${name}`, async () => {
      const { code, out } = await run(
        "http://127.0.0.1:9",
        `await cairn.enqueue(event("ada")); ${close}; process.exit(7)`,
        SAYS
      )
      assert.strictEqual(code, 7)
      assert.match(out, LOST)
    })
  }

  it("does without where each function of `process` throws, as on the edge of Next", async () =>
    withServer(async (url, actors) => {
      const { code, out } = await run(
        url,
        `const refuse = (name) => () => { throw new Error("process." + name + " is not supported here") }
         const real = globalThis.process
         const names = ["on", "once", "off", "addListener", "prependListener", "listenerCount", "kill"]
         for (let tried = 0; tried < names.length; tried++) {
           const refused = names.slice(tried).map((name) => [name, refuse(name)])
           globalThis.process = new Proxy(real, {
             get: (target, name) => Object.fromEntries(refused)[name] ?? Reflect.get(target, name)
           })
           const other = new Cairn({ url: ${JSON.stringify(url)}, apiKey: "key" })
           await other.enqueue(event(names[tried]))
           await other.close()
           globalThis.process = real
         }`
      )
      assert.strictEqual(code, 0, out)
      assert.strictEqual(actors.length, 7)
    }))
})
