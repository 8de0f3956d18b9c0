/** Requests that read, one after the other on one connection. */
import { Agent, request } from "node:http"
import type { ServerUnderTest, Tenant } from "./ServerUnderTest.ts"

/** Milliseconds to wait for a response. */
export const GIVE_UP = 30_000

/** There was no response within {@link GIVE_UP}: the server may be busy with it for long. */
export class NoAnswer extends Error {}

/** Reads a path below `/api/v1` and returns the text of the response, which must be a `200`. */
export type Get = (path: string) => Promise<string>

/** A client of one connection. */
export const getter = ({ baseUrl }: ServerUnderTest, { key }: Tenant): Get => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const headers = { Authorization: `Bearer ${key}` }
  return (path) =>
    new Promise((resolve, reject) => {
      const call = request(`${baseUrl}/api/v1${path}`, { agent, headers }, (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString()
          if (response.statusCode === 200) resolve(text)
          else reject(new Error(`${path} was answered ${response.statusCode}: ${text}`))
        })
      })
      call.setTimeout(GIVE_UP, () => call.destroy(new NoAnswer(`${path} was not answered in ${GIVE_UP} ms`)))
      call.on("error", reject)
      call.end()
    })
}
