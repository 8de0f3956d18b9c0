/** A server that is started before its PostgreSQL is there. */
import { connect, createServer, type Socket } from "node:net"
import { sharedPostgres } from "@cairn/testing/SharedPostgres"
import { assert, describe, it } from "@effect/vitest"
import { cairn, killLeftovers, startCairn } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"

/** A port that is reserved, and on which nothing listens yet. */
const reserved = async () => {
  const sockets = new Set<Socket>()
  const make = () => {
    const server = createServer((client) => {
      const upstream = connect(target, "127.0.0.1")
      for (const [from, to] of [[client, upstream] as const, [upstream, client] as const]) {
        sockets.add(from)
        from.on("error", () => to.destroy()).on("close", () => to.destroy())
        from.pipe(to)
      }
    })
    return server
  }
  let target = 0
  const first = make()
  await new Promise<void>((resolve) => first.listen(0, "127.0.0.1", resolve))
  const address = first.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  await new Promise((resolve) => first.close(resolve))
  const server = make()
  return {
    port,
    leadTo: (other: number) => {
      target = other
      return new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

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
