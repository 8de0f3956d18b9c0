/** A server that answers by a script of the conformance suite: see `testdata/client/README.md`. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"

/** What a request must be. */
export interface Expect {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly actors?: readonly [name: string, first: number, last: number]
}

/** What it is answered. */
interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly take?: "queued" | ReadonlyArray<unknown>
  readonly body?: unknown
  readonly text?: string
  readonly end?: "reset" | "half" | "hang"
}

/** A request and its answer. */
export interface Step {
  readonly expect: Expect
  readonly answer: Answer
  readonly again?: number
}

type Body = { readonly events?: ReadonlyArray<{ readonly actor_id: string }>; readonly actor_id?: string }

/** The service's answer for the events of a request. */
const taken = (take: "queued" | ReadonlyArray<unknown>, body: Body): unknown => {
  const events = body.events ?? [{ actor_id: String(body.actor_id) }]
  const items = events.map(({ actor_id }, index) => {
    const said = take === "queued" ? take : take[index]
    return typeof said === "string" ? { id: `id-${actor_id}`, status: said } : said
  })
  const count = (status: string) =>
    items.filter((item) => (item as { status: string }).status === status).length
  return body.events === undefined
    ? items[0]
    : {
        accepted: count("queued"),
        duplicates: count("duplicate"),
        rejected: count("rejected"),
        events: items
      }
}

const respond = (response: ServerResponse, answer: Answer, body: Body) => {
  if (answer.end === "hang") return
  if (answer.end === "reset") return void response.socket?.resetAndDestroy()
  const text =
    answer.text ?? JSON.stringify(answer.take === undefined ? answer.body : taken(answer.take, body))
  const bytes = Buffer.from(text)
  response.writeHead(answer.status ?? 202, {
    ...(answer.status === 204 ? {} : { "content-length": bytes.length }),
    "content-type": answer.text === undefined ? "application/json" : "text/html",
    ...answer.headers
  })
  if (answer.end !== "half") return void response.end(bytes)
  response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.resetAndDestroy())
}

const read = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const part of request.setEncoding("utf8")) text += part
  return text
}

/** Starts a server that goes through the steps; `matches` compares the body of a request. */
export const scriptedServer = async (
  steps: ReadonlyArray<Step>,
  matches: (expect: Expect, body: unknown) => boolean
) => {
  const script = steps.flatMap((step) => Array.from({ length: step.again ?? 1 }, () => step))
  const faults: Array<string> = []
  let at = 0
  let isOver = false

  const fault = (request: IncomingMessage, expect: Expect, body: Body): string | undefined => {
    const asked = `${request.method} ${request.url}`
    if (asked !== `${expect.method} ${expect.path}`)
      return `${asked} in place of ${expect.method} ${expect.path}`
    for (const [name, value] of Object.entries(expect.headers ?? {})) {
      if (request.headers[name] !== value) return `${name}: ${request.headers[name]}`
    }
    if (expect.actors !== undefined) {
      const [name, first, last] = expect.actors
      const wanted = Array.from({ length: last - first + 1 }, (_, index) => `${name}-${first + index}`)
      const actors = body.events?.map(({ actor_id }) => actor_id)
      if (actors?.join() !== wanted.join()) return `the actors ${actors}`
    }
    return matches(expect, body) ? undefined : `the body ${JSON.stringify(body).slice(0, 2000)}`
  }

  const server = createServer(async (request, response) => {
    const text = await read(request).catch(() => "")
    const body: Body = text === "" ? {} : JSON.parse(text)
    const step = script[at]
    if (isOver || step === undefined) {
      if (!isOver) faults.push(`a request beyond the last step: ${request.method} ${request.url} ${text}`)
      response.writeHead(503, { "content-type": "application/json" })
      return void response.end('{"error":"unavailable","message":"the script is over"}')
    }
    at++
    const wrong = fault(request, step.expect, body)
    if (wrong !== undefined) faults.push(`step ${at}: ${wrong}`)
    respond(response, step.answer, body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Asserts that all went as the script says. */
    assertDone: () => {
      assert.deepStrictEqual(faults, [])
      assert.strictEqual(at, script.length, "not all steps were asked for")
    },
    /** From now on, nothing is counted. */
    end: () => {
      isOver = true
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
