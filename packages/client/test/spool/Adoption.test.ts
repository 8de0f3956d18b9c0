import { type ChildProcess, fork } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Worker } from "node:worker_threads"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { openSpool, type Spool } from "../../src/spool/index.ts"
import { isDead, lockPlaces, takeLock } from "../../src/spool/OwnerLock.ts"
import { nodeFiles } from "../../src/spool/SpoolFiles.ts"
import { diskError, eventOf, filesThrough, keysIn, newFolders, settle } from "./SpoolSteps.ts"

const newFolder = newFolders()
const open: Array<Spool> = []
const children: Array<ChildProcess> = []
const program = fileURLToPath(new URL("SpoolingProcess.ts", import.meta.url))

afterEach(async () => {
  await Promise.all(open.splice(0).map((spool) => spool.close()))
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

const spoolIn = async (folder: string): Promise<Spool> => {
  const spool = await openSpool({ folder })
  open.push(spool)
  return spool
}

/** A process that has added events to a spool, and lives. */
const spooling = async (folder: string, keys: ReadonlyArray<string>): Promise<ChildProcess> => {
  const child = fork(program, [folder, ...keys], { serialization: "json" })
  children.push(child)
  await new Promise((resolve, reject) => {
    child.once("message", resolve)
    child.once("exit", (code) => reject(new Error(`ended with ${code}`)))
  })
  return child
}

const killed = (child: ChildProcess): Promise<unknown> => {
  const gone = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGKILL")
  return gone
}

describe("the files of a process", () => {
  it("stay its own while it lives, and are another's once it is killed, of several exactly one's", async () => {
    const folder = newFolder()
    const child = await spooling(folder, ["a", "b", "c"])
    const beside = await spoolIn(folder)
    assert.deepStrictEqual(await keysIn(beside), [])
    // Also while it is stopped and answers nobody.
    child.kill("SIGSTOP")
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), [])
    await killed(child)
    const adopters = await Promise.all([spoolIn(folder), spoolIn(folder), spoolIn(folder)])
    const found = await Promise.all(adopters.map(keysIn))
    assert.deepStrictEqual(
      found.filter((keys) => keys.length > 0),
      [["a", "b", "c"]]
    )
    assert.strictEqual(
      adopters.reduce((sum, { counters }) => sum + counters.adopted, 0),
      1
    )
    const names = readdirSync(folder)
    assert.strictEqual(names.filter((name) => name.endsWith(".sock")).length, 5)
    assert.strictEqual(names.filter((name) => name.endsWith(".log")).length, 1)
  })

  it("are adopted by who has been there for long, who is told of it", async () => {
    const folder = newFolder()
    const spool = await openSpool({ folder, adoptEveryMillis: 10 })
    open.push(spool)
    const told = new Promise<void>((resolve) => spool.watch(resolve))
    await killed(await spooling(folder, ["a"]))
    await told
    assert.deepStrictEqual(await keysIn(spool), ["a"])
  })

  it("of a worker thread are adopted when the thread ends", async () => {
    const folder = newFolder()
    const worker = new Worker(program, { argv: [folder, "a"] })
    await new Promise((resolve) => worker.once("message", resolve))
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), [])
    await worker.terminate()
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), ["a"])
  })

  it("of a worker of a cluster are adopted when that is killed, although its primary lives", async () => {
    const folder = newFolder()
    const primary = fork(
      fileURLToPath(new URL("SpoolingCluster.ts", import.meta.url)),
      [program, folder, "a", "b"],
      { serialization: "json" }
    )
    children.push(primary)
    const said = async (): Promise<unknown> => new Promise((resolve) => primary.once("message", resolve))
    assert.strictEqual(await said(), "added by both")
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), [])
    primary.send("kill one")
    assert.strictEqual(await said(), "killed a")
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), ["a"])
    await killed(primary)
  })

  it("of one that adopted and was killed go on to the next", async () => {
    const folder = newFolder()
    await killed(await spooling(folder, ["a"]))
    await killed(await spooling(folder, ["b"]))
    await killed(await spooling(folder, ["c"]))
    const spool = await spoolIn(folder)
    assert.deepStrictEqual([...(await keysIn(spool))].sort(), ["a", "b", "c"])
    await spool.take({ count: 3, bytes: 1e6 })
    await settle(spool, ["a", "b", "c"])
    await spool.close()
    assert.deepStrictEqual(readdirSync(folder), [])
  })

  it("are adopted only as far as there is room, and the rest later", async () => {
    const folder = newFolder()
    const large = { metadata: { text: "x".repeat(200_000) } }
    const MIB = 1024 * 1024
    const first = await openSpool({ folder, maxBytes: MIB })
    for (const key of ["a", "b", "c", "d", "e"]) await first.add(eventOf(key, large))
    await first.close()
    const second = await openSpool({ folder, maxBytes: MIB })
    open.push(second)
    assert.deepStrictEqual(await keysIn(second), ["a", "b"])
    const told = new Promise<void>((resolve) => second.watch(resolve))
    await second.take({ count: 2, bytes: MIB })
    await settle(second, ["a", "b"])
    await told
    assert.deepStrictEqual(await keysIn(second), ["c", "d"])
  })

  it("that cannot be read are counted, told and tried again", async () => {
    const folder = newFolder()
    await killed(await spooling(folder, ["a"]))
    let isBroken = true
    const files = filesThrough(({ name }, run) =>
      isBroken && name === "read" ? Promise.reject(diskError("EIO")) : run()
    )
    const spool = await openSpool({ folder, files })
    open.push(spool)
    assert.strictEqual(spool.size(), 1)
    assert.match(String(await keysIn(spool).catch((error: unknown) => error)), /EIO/)
    await spool.add(eventOf("b"))
    assert.deepStrictEqual(await keysIn(spool), ["b"])
    isBroken = false
    assert.deepStrictEqual(await keysIn(spool), ["a", "b"])
    assert.strictEqual(spool.size(), 2)
  })

  it("of other names are left alone, and sockets that nobody listens on are removed once they are old", async () => {
    const folder = newFolder()
    const others = ["0123456789abcdef-00000001.v2.log", "0123456789ABCDEF-00000001.v1.log", "notes.txt"]
    for (const name of others) writeFileSync(join(folder, name), "text\n")
    const [fresh, old, future] = ["1", "2", "3"].map((digit) => join(folder, `${digit.repeat(16)}.sock`))
    for (const path of [fresh, old, future]) writeFileSync(String(path), "")
    utimesSync(String(old), new Date(), new Date(Date.now() - 3_600_000))
    // The clock was set back: what is in its future is not old.
    utimesSync(String(future), new Date(), new Date(Date.now() + 3_600_000))
    const spool = await spoolIn(folder)
    assert.deepStrictEqual(await keysIn(spool), [])
    for (const name of others) assert.isTrue(existsSync(join(folder, name)))
    assert.deepStrictEqual(
      [fresh, old, future].map((path) => existsSync(String(path))),
      [true, false, true]
    )
  })
})

describe("an owner's lock", () => {
  const owner = "00112233445566ff"

  it("is held until it is released, or nobody listens on its socket", async () => {
    const folder = newFolder()
    assert.isTrue(await isDead(folder, owner))
    const lock = await takeLock(nodeFiles, folder, owner)
    assert.isFalse(await isDead(folder, owner))
    rmSync(join(folder, `${owner}.sock`))
    assert.isTrue(await isDead(folder, owner))
    await lock.keep()
    assert.isFalse(await isDead(folder, owner))
    await lock.release()
    assert.isTrue(await isDead(folder, owner))
    // A file that is no socket, and one that refuses.
    writeFileSync(join(folder, `${owner}.sock`), "")
    assert.isTrue(await isDead(folder, owner))
  })

  it("is elsewhere where the path is too long for a socket", async () => {
    const folder = join(newFolder(), "x".repeat(100))
    mkdirSync(folder)
    assert.deepStrictEqual(lockPlaces(folder, owner), [`/tmp/cairn-${owner}.sock`])
    const spool = await spoolIn(folder)
    await spool.add(eventOf("a"))
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), [])
    await spool.close()
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), ["a"])
  })

  it("is not given up while the owner is too busy to accept", async () => {
    const folder = newFolder()
    const [path] = lockPlaces(folder, owner)
    const server = createServer()
    await new Promise<void>((resolve) => server.listen({ path, backlog: 1 }, resolve))
    // Nobody is accepted in this turn.
    const asked = await Promise.all(Array.from({ length: 50 }, () => isDead(folder, owner)))
    assert.deepStrictEqual([...new Set(asked)], [false])
    await new Promise((resolve) => server.close(resolve))
  })

  it("whose socket was removed costs a second sending at most", async () => {
    const folder = newFolder()
    let isGone = false
    const alive = await openSpool({ folder, files: filesThrough((_, run) => run()) })
    open.push(alive)
    await alive.add(eventOf("a"))
    for (const name of readdirSync(folder)) {
      if (name.endsWith(".sock")) {
        rmSync(join(folder, name))
        isGone = true
      }
    }
    assert.isTrue(isGone)
    const other = await spoolIn(folder)
    assert.deepStrictEqual(await keysIn(other), ["a"])
    await alive.add(eventOf("b"))
    assert.deepStrictEqual(await keysIn(alive), ["a", "b"])
    // It has listened again, so that nobody takes its files once more.
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), [])
    await other.take({ count: 1, bytes: 1e6 })
    await settle(other, ["a"])
    await alive.close()
    assert.deepStrictEqual(await keysIn(await spoolIn(folder)), ["a", "b"])
  })
})
