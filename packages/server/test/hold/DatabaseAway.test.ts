/** A server that is started before its PostgreSQL is there. */
import { connect, createServer, type Socket } from "node:net"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, describe, it } from "@effect/vitest"
import { cairn, killLeftovers, startCairn } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"

/** An address on which nothing listens until it leads to a database. */
const reserved = async () => {
  const sockets = new Set<Socket>()
  let target = 0
  let isMute = false
  const onEnd = { run: () => {} }
  const server = createServer((client) => {
    sockets.add(client)
    client.on("error", () => client.destroy())
    if (isMute) return
    const upstream = connect(target, "127.0.0.1")
    for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
      sockets.add(from)
      from.on("error", () => to.destroy()).on("close", () => to.destroy())
      from.pipe(to)
    }
    client.on("close", () => onEnd.run())
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  await listen(0)
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  await new Promise((resolve) => server.close(resolve))
  return {
    port,
    leadTo: (other: number) => {
      target = other
      return listen(port)
    },
    /** From the end of the first connection on takes further ones without a word, for a while. */
    fallMuteFor: (millis: number) => {
      onEnd.run = () => {
        onEnd.run = () => {}
        isMute = true
        setTimeout(() => {
          isMute = false
        }, millis)
      }
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

/** Longer than a connection may take to open. */
const MUTE_MILLIS = 7_000

describe("a start while PostgreSQL is away", () => {
  killLeftovers()

  it("waits, says so once, and serves when it is there", async () => {
    const url = new URL(await (await sharedPostgres()).newDatabase())
    const address = await reserved()
    const database = Object.assign(new URL(url), { port: String(address.port) }).href
    const { child, stderr, ended } = startCairn(["serve"], {
      database,
      variables: { CAIRN_PORT: "0" }
    })
    await eventually("it says that it waits", () => stderr().includes("Waiting for") || undefined)
    await address.leadTo(Number(url.port))
    await eventually("it listens", () => stderr().includes("Cairn listens on") || undefined)
    child.kill("SIGTERM")
    await ended
    address.close()
    assert.lengthOf(stderr().match(/Waiting for/g) ?? [], 1)
    assert.include(stderr(), `127.0.0.1:${address.port}`)
    assert.include(stderr(), "can be reached")
    assert.notInclude(stderr(), url.password)
  })

  it("waits on when it falls mute after the first look, while the threads open theirs", async () => {
    const url = new URL(await (await sharedPostgres()).newDatabase())
    const address = await reserved()
    address.fallMuteFor(MUTE_MILLIS)
    await address.leadTo(Number(url.port))
    const { child, stderr, ended } = startCairn(["serve"], {
      database: Object.assign(url, { port: String(address.port) }).href,
      variables: { CAIRN_PORT: "0" }
    })
    await eventually("it listens", () => stderr().includes("Cairn listens on") || undefined)
    child.kill("SIGTERM")
    assert.deepStrictEqual(await ended, { code: 0, signal: null }, stderr())
    address.close()
    assert.match(stderr(), /Waiting for .*no answer|Waiting for .*time/i)
    assert.include(stderr(), "can be reached")
    assert.notInclude(stderr(), url.password)
  })

  it("ends in time with one line that names the host, the reason and what to change", async () => {
    const { port } = await reserved()
    const { code, stderr } = await cairn(["serve"], {
      database: `postgres://cairn:hidden-password@127.0.0.1:${port}/cairn`,
      variables: { CAIRN_DATABASE_WAIT_SECONDS: "0" }
    })
    assert.notStrictEqual(code, 0)
    const lines = stderr.trimEnd().split("\n")
    assert.lengthOf(lines, 1, stderr)
    for (const part of [
      `127.0.0.1:${port}`,
      "ECONNREFUSED",
      "CAIRN_DATABASE_URL",
      "CAIRN_DATABASE_WAIT_SECONDS"
    ])
      assert.include(lines[0], part)
    assert.notInclude(stderr, "hidden-password")
  })
})
