/** A node that answers otherwise than it should: it asks an honest one, and changes what that says. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import type { Anvil } from "./Anvil.ts"

/**
 * Changes the answer to a method; `error` refuses one, and a `status` other than 200 makes it no answer at
 * all.
 */
export type Lie = (
  method: string,
  result: unknown,
  params: ReadonlyArray<unknown>
) => {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
  readonly status?: number
}

interface Question {
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

const bodyOf = async (request: IncomingMessage): Promise<Question> => {
  let text = ""
  for await (const chunk of request) text += String(chunk)
  return JSON.parse(text) as Question
}

/** Its address, for as long as the scope lasts. */
export const lyingNode = (honest: Anvil, lie: Lie) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        const answer = async () => {
          const asked = await bodyOf(request)
          const upstream = await fetch(honest.url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify(asked)
          })
          const said = (await upstream.json()) as { readonly result?: unknown }
          const { status = 200, ...changed } = lie(asked.method, said.result, asked.params ?? [])
          response.writeHead(status, { "content-type": "application/json" })
          response.end(JSON.stringify({ ...said, result: undefined, ...changed }))
        }
        answer().catch(() => response.destroy())
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) => Effect.sync(() => server.close())
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))
