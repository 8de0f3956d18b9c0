import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { afterAll } from "vitest"
import { connections, faults } from "./FaultyConnections.ts"
import { expectValid, NAMES, putAway, putBack, remove, start } from "./RestoredFiles.ts"

const folder = mkdtempSync(join(tmpdir(), "cairn-repair-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const keysOf = (word: string, count: number) => Array.from({ length: count }, (_, at) => `${word} ${at}`)

let made = 0

/**
 * Files that do not fit: an older inbox with requests that wait, a log that is older than the consumers and
 * the index.
 */
const makeMisfit = async () => {
  const filename = join(folder, `made ${++made}`, "cairn.db")
  const server = await start(filename)
  const workspaceId = await server.newWorkspace()
  const round = async (word: string) => {
    await server.acceptEach(workspaceId, keysOf(word, 20))
    await server.sequence()
    await server.index()
    await server.consume(workspaceId)
  }
  const away = (name: string) => join(folder, `away ${made}`, `${name}.db`)
  await round("first")
  await server.acceptEach(workspaceId, keysOf("waiting", 5))
  await putAway(filename, "inbox", away("inbox"))
  await round("second")
  await putAway(filename, "log", away("log"))
  await round("third")
  await putAway(filename, "search", away("search"))
  await putAway(filename, "consumers", away("consumers"))
  await server.stop()
  remove(filename, "log")
  return { workspaceId, away }
}

describe("a repair", () => {
  it("that is cut off at any of its commits is done by the next start", async () => {
    const { workspaceId, away } = await makeMisfit()
    for (let later = 0, before = -1; before !== faults(); later++) {
      before = faults()
      for (const isAfterwards of [false, true]) {
        const filename = join(folder, `${later} ${isAfterwards}`, "cairn.db")
        // Somebody was here before, so that the folder is there.
        await (await start(filename)).stop()
        for (const name of NAMES) putBack(filename, name, away(name))
        const own = connections()
        own.arm("crash", later, isAfterwards)
        const told: Array<string> = []
        await own
          .open(() => start(filename))
          .then(
            async (server) => {
              told.push(...server.told)
              await server.stop()
            },
            () => undefined
          )
        const server = await start(filename)
        assert.isNotEmpty([
          ...told,
          ...server.told,
          ...(before === faults() ? [] : ["by the one that ended"])
        ])
        const fresh = await server.acceptEach(workspaceId, keysOf("third", 20))
        const held = await server.acceptEach(workspaceId, [
          ...keysOf("first", 20),
          ...keysOf("waiting", 5),
          ...keysOf("second", 20)
        ])
        assert.isTrue(
          fresh.every(({ duplicate }) => !duplicate),
          "what the log has lost is taken again"
        )
        assert.isTrue(
          held.every(({ duplicate }) => duplicate),
          "what it holds is not"
        )
        await server.sequence()
        await server.index()
        const log = await server.log(workspaceId)
        assert.lengthOf(log, 65)
        assert.includeMembers(
          log.map(({ id }) => id),
          [...fresh, ...held].map(({ id }) => id)
        )
        assert.includeMembers(
          await server.consume(workspaceId),
          fresh.map(({ id }) => id)
        )
        assert.strictEqual(await server.found(workspaceId, "needle"), 65)
        assert.isTrue(await expectValid(server, workspaceId, 65), "the end of the log is missing")
        await server.stop()
      }
    }
    assert.isAbove(faults(), 10)
  })

  it("is done once by servers that start at the same time", async () => {
    const { workspaceId, away } = await makeMisfit()
    const filename = join(folder, "together", "cairn.db")
    await (await start(filename)).stop()
    for (const name of NAMES) putBack(filename, name, away(name))
    const servers = await Promise.all([start(filename), start(filename), start(filename)])
    const told = servers.flatMap((server) => server.told)
    assert.lengthOf(new Set(told), told.length)
    const [fresh] = await Promise.all(
      servers.map((server) => server.acceptEach(workspaceId, keysOf("third", 20)))
    )
    await Promise.all(servers.map((server) => server.sequence()))
    const [first] = servers
    assert.lengthOf((await first?.log(workspaceId)) ?? [], 65)
    assert.lengthOf(fresh ?? [], 20)
    for (const server of servers) await server.stop()
  })
})
