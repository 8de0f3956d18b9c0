import { ManagedWorkspaces } from "@cairn/core/workspace"
import { MemoryStorage, testWorkspace } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { WorkspaceDirectory } from "../../../src/http/gate/WorkspaceDirectory.ts"

const IDS = Array.from({ length: 50 }, (_, index) => `wsp_${index}`)

/** A directory over fifty workspaces, and what it asks of their store. */
const inDirectory = Effect.fnUntraced(function* <A, E>(
  use: (tools: {
    readonly find: (id: string) => Effect.Effect<string | undefined, unknown>
    readonly forget: (id: string) => void
    /** The workspaces as another process has them. */
    readonly elsewhere: ManagedWorkspaces["Service"]
    readonly asked: { profiles: number; looks: number }
    /** Runs before a profile is returned. */
    readonly pause: { before: Effect.Effect<unknown> }
  }) => Effect.Effect<A, E>
) {
  const elsewhere = yield* ManagedWorkspaces
  for (const id of IDS) yield* elsewhere.create(testWorkspace({ id, name: "old" }))
  const asked = { profiles: 0, looks: 0 }
  const pause: { before: Effect.Effect<unknown> } = { before: Effect.void }
  const counted = ManagedWorkspaces.of({
    ...elsewhere,
    get: (id) =>
      Effect.suspend(() => {
        asked.profiles++
        return Effect.tap(elsewhere.get(id), () => pause.before)
      }),
    versions: (ids) =>
      Effect.suspend(() => {
        asked.looks++
        return elsewhere.versions(ids)
      })
  })
  const layer = WorkspaceDirectory.layer.pipe(Layer.provide(Layer.succeed(ManagedWorkspaces, counted)))
  return yield* Effect.gen(function* () {
    const directory = yield* WorkspaceDirectory
    const find = (id: string) => Effect.map(directory.find(id), (profile) => profile?.workspace.name)
    return yield* use({ find, forget: directory.forget, elsewhere, asked, pause })
  }).pipe(Effect.provide(layer))
}, Effect.provide(MemoryStorage.layer()))

const rename = (workspaces: ManagedWorkspaces["Service"], id: string, name: string) =>
  workspaces.update(id, { name }, 0)

describe("the directory of workspaces", () => {
  it.effect("reads each workspace once, and asks once a second which have changed", () =>
    inDirectory(({ find, asked }) =>
      Effect.gen(function* () {
        for (let second = 0; second < 5; second++) {
          for (let round = 0; round < 3; round++)
            yield* Effect.forEach(IDS, find, { concurrency: "unbounded", discard: true })
          yield* TestClock.adjust("1 second")
        }
        // A first read looks for the version, too.
        assert.deepStrictEqual(asked, { profiles: 50, looks: 50 + 4 })
      })
    )
  )

  it.effect("has within a second what was changed elsewhere, and reads nothing else again", () =>
    inDirectory(({ find, elsewhere, asked }) =>
      Effect.gen(function* () {
        yield* Effect.forEach(IDS, find, { discard: true })
        yield* rename(elsewhere, "wsp_7", "new")
        yield* TestClock.adjust("999 millis")
        assert.strictEqual(yield* find("wsp_7"), "old")
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(
          yield* Effect.forEach(IDS, find, { concurrency: "unbounded" }),
          IDS.map((id) => (id === "wsp_7" ? "new" : "old"))
        )
        assert.strictEqual(asked.profiles, 51)
        yield* rename(elsewhere, "wsp_8", "new")
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* find("wsp_8"), "new")
      })
    )
  )

  it.effect("notices a change between its looks at the version and at the workspace", () =>
    inDirectory(({ find, elsewhere, pause }) =>
      Effect.gen(function* () {
        pause.before = rename(elsewhere, "wsp_7", "new").pipe(Effect.orDie)
        assert.strictEqual(yield* find("wsp_7"), "old")
        pause.before = Effect.void
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* find("wsp_7"), "new")
      })
    )
  )

  it.effect("has at once what was forgotten, also while it was being read", () =>
    inDirectory(({ find, forget, elsewhere, pause }) =>
      Effect.gen(function* () {
        const [read, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        pause.before = Effect.andThen(Deferred.succeed(read, undefined), Deferred.await(goOn))
        const first = yield* Effect.forkChild(find("wsp_7"))
        yield* Deferred.await(read)
        yield* rename(elsewhere, "wsp_7", "new")
        forget("wsp_7")
        pause.before = Effect.void
        yield* Deferred.succeed(goOn, undefined)
        yield* Fiber.join(first)
        assert.strictEqual(yield* find("wsp_7"), "new")
        yield* rename(elsewhere, "wsp_7", "newer")
        forget("wsp_7")
        assert.strictEqual(yield* find("wsp_7"), "newer")
        assert.isUndefined(yield* find("wsp_other"))
      })
    )
  )
})
