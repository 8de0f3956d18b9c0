import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hostsEntries, makeHostResolver, type Resolve } from "../src/HostResolver.ts"
import { type Say, startNameServer } from "./peers/NameServer.ts"

const ask = (resolve: Resolve, host: string) =>
  Effect.callback<ReadonlyArray<string>, NodeJS.ErrnoException>((resume) =>
    resolve(host, (error, found) =>
      resume(error === null ? Effect.succeed(found.map(({ address }) => address)) : Effect.fail(error))
    )
  )

const unasked: Resolve = (host, done) => done(new Error(`the system was asked for ${host}`), [])

/** A resolver over one name server and a hosts file of its own. */
const resolver = Effect.fnUntraced(function* (say: Say, system: Resolve = unasked, hosts = "") {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "cairn-hosts-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )
  const hostsFile = join(folder, "hosts")
  yield* Effect.promise(() => writeFile(hostsFile, hosts))
  const { server, asked } = yield* startNameServer(say)
  return { resolve: makeHostResolver({ hostsFile, servers: [server], timeout: 30_000, system }), asked }
})

describe("resolving names", () => {
  it.live("a name is resolved while twenty others wait for name servers that say nothing", () =>
    Effect.gen(function* () {
      const { resolve, asked } = yield* resolver((name) => (name === "well.test" ? "192.0.2.7" : "silence"))
      for (let index = 0; index < 20; index++)
        yield* Effect.forkScoped(Effect.ignore(ask(resolve, `dead${index}.test`)))
      yield* Effect.sleep(5).pipe(Effect.repeat({ until: () => new Set(asked).size >= 20 }))
      assert.deepStrictEqual(yield* ask(resolve, "well.test"), ["192.0.2.7"])
    }).pipe(Effect.scoped)
  )

  it.live("a name that the servers do not know is asked of the system, one at a time", () => {
    const open: Array<() => void> = []
    const hosts: Array<string> = []
    const system: Resolve = (host, done) => {
      hosts.push(host)
      open.push(() => done(null, [{ address: "10.0.0.1", family: 4 }]))
    }
    return Effect.gen(function* () {
      const { resolve } = yield* resolver((name) => (name === "well.test" ? "192.0.2.7" : "unknown"), system)
      const answers: Array<ReadonlyArray<string>> = []
      for (const host of ["one.internal", "two.internal"])
        yield* Effect.forkScoped(Effect.map(ask(resolve, host), (found) => void answers.push(found)))
      yield* Effect.sleep(5).pipe(Effect.repeat({ until: () => hosts.length > 0 }))
      // While the system takes its time over the first, names that the servers know do not wait.
      assert.deepStrictEqual(yield* ask(resolve, "well.test"), ["192.0.2.7"])
      assert.lengthOf(hosts, 1)
      for (let index = 0; index < 2; index++) {
        yield* Effect.sleep(5).pipe(Effect.repeat({ until: () => open.length > index }))
        open[index]?.()
      }
      yield* Effect.sleep(5).pipe(Effect.repeat({ until: () => answers.length === 2 }))
      assert.deepStrictEqual(answers, [["10.0.0.1"], ["10.0.0.1"]])
    }).pipe(Effect.scoped)
  })

  it.live("the hosts file goes first, and localhost is this machine without asking anybody", () =>
    Effect.gen(function* () {
      const { resolve, asked } = yield* resolver(
        () => "192.0.2.7",
        unasked,
        "# names\n10.1.2.3\tPinned.test alias # of ours\n::9 pinned.test\nnonsense pinned.test\n"
      )
      assert.deepStrictEqual(yield* ask(resolve, "pinned.test"), ["10.1.2.3", "::9"])
      assert.deepStrictEqual(yield* ask(resolve, "ALIAS"), ["10.1.2.3"])
      assert.deepStrictEqual(yield* ask(resolve, "localhost"), ["127.0.0.1", "::1"])
      assert.lengthOf(asked, 0)
      assert.deepStrictEqual(yield* ask(resolve, "other.test"), ["192.0.2.7"])
    }).pipe(Effect.scoped)
  )

  it("a line of a hosts file without an address or a name says nothing", () => {
    assert.deepStrictEqual(hostsEntries("\n#10.0.0.1 a\n10.0.0.1\na 10.0.0.1\n10.0.0.2 a a\r\n", "a"), [
      { address: "10.0.0.2", family: 4 }
    ])
  })
})
