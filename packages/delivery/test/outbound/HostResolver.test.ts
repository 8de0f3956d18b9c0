import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import {
  hostsEntries,
  makeHostResolver,
  type Resolve,
  searchedNames
} from "../../src/outbound/HostResolver.ts"
import { type Say, startNameServer } from "../peers/NameServer.ts"

const ask = (resolve: Resolve, host: string) =>
  Effect.callback<ReadonlyArray<string>, NodeJS.ErrnoException>((resume) =>
    resolve(host, (error, found) =>
      resume(error === null ? Effect.succeed(found.map(({ address }) => address)) : Effect.fail(error))
    )
  )

/** A resolver over one name server, a hosts file and search domains of its own. */
const resolver = Effect.fnUntraced(function* (
  say: Say,
  { hosts = "", search = "", limit = 60_000 }: { hosts?: string; search?: string; limit?: number } = {}
) {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "cairn-hosts-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true }))
  )
  const hostsFile = join(folder, "hosts")
  const searchFile = join(folder, "resolv.conf")
  yield* Effect.promise(() => writeFile(hostsFile, hosts))
  yield* Effect.promise(() => writeFile(searchFile, search))
  const { server, asked } = yield* startNameServer(say)
  const options = { hostsFile, searchFile, servers: [server], timeout: 30_000, limit }
  return { resolve: makeHostResolver(options), asked }
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

  it.live(
    "a short name is found by its search domain while others were denied first and then met with silence",
    () => {
      const denied = new Set<string>()
      const say: Say = (name) => {
        if (name === "svc.cluster.test") return "10.0.0.1"
        if (!name.endsWith(".slow.test") || !denied.has(name)) {
          denied.add(name)
          return "unknown"
        }
        return "silence"
      }
      return Effect.gen(function* () {
        const { resolve, asked } = yield* resolver(say, { search: "search cluster.test\noptions ndots:5\n" })
        const slow = Array.from({ length: 40 }, (_, index) => `dead${index}.slow.test`)
        // Denied the first time, or met with silence already, as its two questions fall.
        for (const name of [...slow, ...slow]) yield* Effect.forkScoped(Effect.ignore(ask(resolve, name)))
        yield* Effect.sleep(5).pipe(
          Effect.repeat({ until: () => asked.filter((name) => name.endsWith(".slow.test")).length >= 80 })
        )
        assert.deepStrictEqual(yield* ask(resolve, "svc"), ["10.0.0.1"])
      }).pipe(Effect.scoped)
    }
  )

  it.live("a name of which nothing is heard fails after a while", () =>
    Effect.gen(function* () {
      const { resolve } = yield* resolver(() => "silence", { limit: 200 })
      const error = yield* Effect.flip(ask(resolve, "dead.test"))
      assert.strictEqual(error.code, "ECANCELLED")
    }).pipe(Effect.scoped)
  )

  it.live("a name that nobody knows fails by what was said of itself", () =>
    Effect.gen(function* () {
      const { resolve } = yield* resolver(() => "unknown", { search: "search one.test two.test\n" })
      const error = yield* Effect.flip(ask(resolve, "svc"))
      assert.include(error.message, "ENOTFOUND svc")
      assert.notInclude(error.message, ".test")
    }).pipe(Effect.scoped)
  )

  it.each([
    ["nothing", "", "svc", ["svc"]],
    ["search domains", "search a.test b.test.\n", "svc", ["svc.a.test", "svc.b.test", "svc"]],
    ["a name with a dot", "search a.test\n", "svc.ns", ["svc.ns", "svc.ns.a.test"]],
    [
      "more dots to come",
      "search a.test\noptions timeout:1 ndots:5\n",
      "svc.ns",
      ["svc.ns.a.test", "svc.ns"]
    ],
    ["a whole name", "search a.test\n", "svc.", ["svc"]],
    ["several lines", "# search c.test\nsearch a.test\ndomain b.test c.test\n", "svc", ["svc.b.test", "svc"]]
  ] as const)("the names that a host stands for, by %s", (_, text, host, names) => {
    assert.deepStrictEqual(searchedNames(text, host), names)
  })

  it.live("the hosts file goes first, and localhost is this machine without asking anybody", () =>
    Effect.gen(function* () {
      const { resolve, asked } = yield* resolver(() => "192.0.2.7", {
        hosts: "# names\n10.1.2.3\tPinned.test alias # of ours\n::9 pinned.test\nnonsense pinned.test\n"
      })
      assert.deepStrictEqual(yield* ask(resolve, "pinned.test"), ["10.1.2.3", "::9"])
      assert.deepStrictEqual(yield* ask(resolve, "ALIAS"), ["10.1.2.3"])
      assert.deepStrictEqual(yield* ask(resolve, "localhost"), ["127.0.0.1", "::1"])
      assert.lengthOf(asked, 0)
      assert.deepStrictEqual(yield* ask(resolve, "other.test"), ["192.0.2.7"])
    }).pipe(Effect.scoped)
  )

  it.live("an address that is written as numbers is itself, and nobody is asked for it", () =>
    Effect.gen(function* () {
      const { resolve, asked } = yield* resolver((name) => (name === "fe.ab" ? "192.0.2.7" : "unknown"))
      for (const host of ["127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0x7F000001"])
        assert.deepStrictEqual(yield* ask(resolve, host), ["127.0.0.1"], host)
      assert.deepStrictEqual(asked, [])
      assert.deepStrictEqual(yield* ask(resolve, "fe.ab"), ["192.0.2.7"])
    }).pipe(Effect.scoped)
  )

  it("a line of a hosts file without an address or a name says nothing", () => {
    assert.deepStrictEqual(hostsEntries("\n#10.0.0.1 a\n10.0.0.1\na 10.0.0.1\n10.0.0.2 a a\r\n", "a"), [
      { address: "10.0.0.2", family: 4 }
    ])
  })
})
