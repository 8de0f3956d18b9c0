/**
 * A real syslog receiver over TCP or TLS, which reads octet-counted messages and takes RFC 5424 at its word.
 */
import { type AddressInfo, createServer, type Socket } from "node:net"
import { createServer as createSecureServer } from "node:tls"
import { Effect } from "effect"
import type { Certificate } from "./Certificates.ts"

/** One message, taken apart. */
export interface SyslogMessage {
  readonly facility: number
  readonly severity: number
  readonly timestamp: string
  readonly hostname: string
  readonly appName: string
  readonly procId: string
  readonly msgId: string
  readonly data: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly text: string
}

/** RFC 5424 section 6, HEADER: PRI VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID SP. */
const HEADER =
  /^<(0|[1-9]\d{0,2})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:Z|[+-]\d\d:\d\d)) ([!-~]{1,255}) ([!-~]{1,48}) ([!-~]{1,128}) ([!-~]{1,32}) /

const PARAMETER = /^ ([!#-<>-\\^-~]{1,32})="((?:[^"\\\]]|\\["\\\]])*)"/
const ELEMENT = /^\[([!#-<>-\\^-~]{1,32})/

/** Reads STRUCTURED-DATA, section 6.3, and what is left after it. */
const readData = (text: string) => {
  const data: Record<string, Record<string, string>> = {}
  let rest = text
  while (rest.startsWith("[")) {
    const element = ELEMENT.exec(rest)
    if (element === null) throw new Error(`no SD-ELEMENT: ${rest}`)
    const parameters: Record<string, string> = {}
    rest = rest.slice(element[0].length)
    for (let found = PARAMETER.exec(rest); found !== null; found = PARAMETER.exec(rest)) {
      parameters[found[1] ?? ""] = (found[2] ?? "").replace(/\\(["\\\]])/g, "$1")
      rest = rest.slice(found[0].length)
    }
    if (!rest.startsWith("]")) throw new Error(`no end of SD-ELEMENT: ${rest}`)
    rest = rest.slice(1)
    data[element[1] ?? ""] = parameters
  }
  return { data, rest }
}

/** Takes one message apart; throws when it is none. */
export const parseSyslog = (bytes: Buffer): SyslogMessage => {
  const message = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  const header = HEADER.exec(message)
  if (header === null) throw new Error(`no RFC 5424 header: ${message}`)
  const [whole, pri, timestamp = "", hostname = "", appName = "", procId = "", msgId = ""] = header
  const { data, rest } = readData(message.slice(whole.length))
  if (!rest.startsWith(" ")) throw new Error(`no MSG: ${rest}`)
  const text = rest.slice(1)
  // Section 6.4: text that is more than ASCII begins with a byte order mark.
  if (!text.startsWith("\ufeff") && [...text].some((character) => character > "\x7f")) {
    throw new Error(`UTF-8 without a byte order mark: ${text}`)
  }
  return {
    facility: Number(pri) >> 3,
    severity: Number(pri) & 7,
    timestamp,
    hostname,
    appName,
    procId,
    msgId,
    data,
    text: text.replace(/^\ufeff/, "")
  }
}

/** Splits a stream into messages, RFC 6587 section 3.4.1: MSG-LEN SP SYSLOG-MSG. */
export const unframe = (stream: Buffer): ReadonlyArray<Buffer> => {
  const messages: Array<Buffer> = []
  for (let rest = stream; rest.length > 0; ) {
    const space = rest.indexOf(" ")
    const length = rest.subarray(0, space).toString("latin1")
    if (!/^[1-9]\d*$/.test(length)) throw new Error(`no MSG-LEN: ${length}`)
    const end = space + 1 + Number(length)
    if (end > rest.length) throw new Error("a message was cut short")
    messages.push(rest.subarray(space + 1, end))
    rest = rest.subarray(end)
  }
  return messages
}

/** How the receiver behaves. */
export type Behaviour = "read" | "reset" | "hang" | "keep_open"

/** Starts a receiver on a free port of loopback; it ends with the scope. */
export const startSyslogServer = (certificate?: Certificate) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const sockets = new Set<Socket>()
      const messages: Array<SyslogMessage> = []
      const state = { behaviour: "read" as Behaviour, connections: 0 }
      const take = (socket: Socket): void => {
        state.connections++
        const chunks: Array<Buffer> = []
        socket.on("error", () => {})
        socket.on("data", (chunk: Buffer) => {
          // Under TLS too, it is the TCP connection that is reset.
          if (state.behaviour === "reset") for (const raw of sockets) raw.resetAndDestroy()
          else chunks.push(chunk)
        })
        socket.on("end", () => {
          for (const message of unframe(Buffer.concat(chunks))) messages.push(parseSyslog(message))
          if (state.behaviour !== "keep_open") socket.end()
        })
      }
      const options = { allowHalfOpen: true }
      const server =
        certificate === undefined
          ? createServer(options, take)
          : createSecureServer({ ...certificate, ...options }, take)
      server.on("tlsClientError", () => {})
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("close", () => sockets.delete(socket))
        // The kernel takes what it can hold; nobody reads it.
        if (state.behaviour === "hang") socket.pause()
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      const { port } = server.address() as AddressInfo
      return { server, port, messages, state, sockets }
    }),
    ({ server, sockets }) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            for (const socket of sockets) socket.destroy()
            server.close(() => resolve())
          })
      )
  )
