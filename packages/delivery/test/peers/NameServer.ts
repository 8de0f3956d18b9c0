/**
 * A DNS server (RFC 1035) of a few names: it knows one address for some, denies others, and says nothing at
 * all of the rest.
 */
import { createSocket } from "node:dgram"
import { Effect } from "effect"

/** What is said of a name: its IPv4 address, that there is none of that name, or nothing. */
export type Say = (name: string) => string | "unknown" | "silence"

const A = 1
const NAME_ERROR = 3

/** The name of the one question of a query, its type, and where the question ends. */
const question = (query: Buffer): { readonly name: string; readonly type: number; readonly end: number } => {
  const labels: Array<string> = []
  let at = 12
  for (let size = query[at] ?? 0; size > 0; size = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + size))
    at += 1 + size
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 }
}

const answer = (query: Buffer, end: number, code: number, address: ReadonlyArray<number> | null): Buffer => {
  const head = Buffer.from(query.subarray(0, end))
  head.writeUInt16BE(0x8180 | code, 2)
  head.writeUInt16BE(address === null ? 0 : 1, 6)
  head.writeUInt32BE(0, 8)
  // A pointer to the question's name, type A, class IN, a second to live, four bytes.
  const record = address === null ? [] : [0xc0, 12, 0, A, 0, 1, 0, 0, 0, 1, 0, 4, ...address]
  return Buffer.concat([head, Buffer.from(record)])
}

/** Starts one on a free port of this machine's loopback; it ends with the scope. */
export const startNameServer = (say: Say) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const socket = createSocket("udp4")
      const asked: Array<string> = []
      socket.on("message", (query, { port, address }) => {
        const { name, type, end } = question(query)
        asked.push(name)
        const said = say(name)
        if (said === "silence") return
        const known = said !== "unknown" && type === A ? said.split(".").map(Number) : null
        socket.send(answer(query, end, said === "unknown" ? NAME_ERROR : 0, known), port, address)
      })
      await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve))
      return { server: `127.0.0.1:${socket.address().port}`, asked, socket }
    }),
    ({ socket }) => Effect.promise(() => new Promise<void>((resolve) => socket.close(() => resolve())))
  )
