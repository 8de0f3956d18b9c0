/** The contract of the port `Workspaces`, as tests. */

import { Micros } from "@cairn/core/encoding"
import { Workspaces } from "@cairn/core/log"
import {
  AS_PLANNED,
  asFirst,
  type ManagedWorkspace,
  ManagedWorkspaces,
  NotTheFirst,
  WorkspaceNameTaken,
  WorkspaceNotFound,
  withNewName
} from "@cairn/core/workspace"
import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Option, Result } from "effect"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import { NOON, type StorageLayer, storageTest } from "./StorageSteps.ts"

const workspace = (
  id: string,
  created_at: number,
  fields: Partial<ManagedWorkspace> = {}
): ManagedWorkspace => testWorkspace({ id, name: "Acme", created_at, ...fields })

const full = workspace("wsp_full", NOON, {
  name: "Çelik & Söhne '); DROP TABLE workspace; -- \u{1F600}",
  plan: "pro",
  overrides: { events_per_month: null, alert_rules: 1, requests_per_minute: 2 ** 40 },
  retention: {
    days: 30,
    own_hold: {
      id: "one",
      days: null,
      since: NOON,
      until: NOON + 7 * Micros.DAY,
      announced: true,
      reminded: false
    },
    plan_hold: null
  },
  ip_allowlist: ["10.0.0.0/8", "::1/128", "10.0.0.0/8"],
  viewer_frame_ancestors: ["https://app.example.com", "https://*.example.com:8443"],
  key_access_events: true,
  viewer: { sentences: { "document.*": { en: "{actor} \u{1F600} {resource}", de: "{actor}" } } },
  log_origin: "audit.example.com",
  closed_at: NOON + 5
})

/** Registers the contract of `Workspaces` for the storage called `name`. */
export const workspacesContract = (name: string, storage: StorageLayer): void => {
  const test = storageTest(storage)
  describe(`${name}: Workspaces`, () => {
    test(
      "a workspace is read as it was created",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some(full))
        assert.deepStrictEqual(yield* workspaces.list, [full])
      })
    )

    test(
      "one that was created bare has no limits, and is read bare",
      Effect.gen(function* () {
        const [bare, managed] = [yield* Workspaces, yield* ManagedWorkspaces]
        const created = { id: "wsp_bare", name: "Bare", created_at: NOON }
        yield* bare.create(created)
        yield* managed.create(full)
        assert.deepStrictEqual(yield* bare.get("wsp_bare"), Option.some(created))
        assert.deepStrictEqual(yield* bare.get("wsp_other"), Option.none())
        assert.deepStrictEqual(
          (yield* bare.list).map(({ id }) => id),
          (yield* managed.list).map(({ id }) => id)
        )
        const stored = Option.getOrThrow(yield* managed.get("wsp_bare"))
        assert.deepInclude(stored, { ...created, plan: "enterprise", overrides: {}, retention: AS_PLANNED })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(bare.create(created))))
      })
    )

    test(
      "there is none that was not created",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        assert.deepStrictEqual(yield* workspaces.get("wsp_other"), Option.none())
        assert.deepStrictEqual(yield* workspaces.get("%"), Option.none())
      })
    )

    test(
      "each change gives a workspace another version, whatever the clock, and a look at it none",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const many = Array.from({ length: 1_200 }, (_, index) => workspace(`wsp_${index}`, NOON + index))
        for (const each of many) yield* workspaces.create(each)
        const ids = ["wsp_other", ...many.map(({ id }) => id)]
        const before = yield* workspaces.versions(ids)
        assert.deepStrictEqual(new Set(before.keys()), new Set(ids.slice(1)))
        assert.deepStrictEqual(yield* workspaces.versions(ids), before)
        assert.deepStrictEqual(yield* workspaces.versions([]), new Map())
        const version = Effect.map(workspaces.versions(["wsp_7"]), (versions) => versions.get("wsp_7"))
        const seen = [yield* version]
        for (const at of [NOON, NOON, NOON - 5, NOON + 9])
          for (const change of [
            workspaces.update("wsp_7", { name: "New" }, at),
            workspaces.update("wsp_7", {}, at),
            workspaces.modify("wsp_7", () => Result.succeed({ plan: "pro" as const }), at)
          ]) {
            yield* change
            seen.push(yield* version)
          }
        assert.lengthOf(new Set(seen), 13)
        assert.deepStrictEqual(
          new Map([...(yield* workspaces.versions(ids))].filter(([id]) => id !== "wsp_7")),
          new Map([...before].filter(([id]) => id !== "wsp_7"))
        )
      })
    )

    test(
      "they are listed oldest first",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        assert.deepStrictEqual(yield* workspaces.list, [])
        const [b, a, c] = [
          workspace("wsp_b", NOON),
          workspace("wsp_a", NOON + 1),
          workspace("wsp_c", NOON + 2)
        ]
        for (const each of [b, a, c]) yield* workspaces.create(each)
        assert.deepStrictEqual(yield* workspaces.list, [b, a, c])
      })
    )

    test(
      "a log is named after what was set when its workspace was created, or after Cairn",
      Effect.gen(function* () {
        const [{ logId }, managed] = [yield* Workspaces, yield* ManagedWorkspaces]
        yield* managed.create(full)
        yield* managed.create(workspace("wsp_other", NOON + 1))
        yield* managed.update(full.id, { name: "New" }, NOON + 2)
        assert.strictEqual(yield* logId(full.id), "audit.example.com/wsp_full")
        assert.strictEqual(yield* logId("wsp_other"), "cairn/wsp_other")
      })
    )

    test(
      "an id names one workspace for good",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        const again = yield* Effect.exit(workspaces.create(workspace(full.id, NOON + 1)))
        assert.isTrue(Exit.isFailure(again))
        assert.deepStrictEqual(yield* workspaces.list, [full])
      })
    )

    test(
      "of many that want one name at once one gets it, where that is asked, and doubles are kept otherwise",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const twins = Array.from({ length: 8 }, (_, index) => workspace(`wsp_${index}`, NOON + index))
        const results = yield* Effect.forEach(
          twins,
          (twin) => Effect.result(workspaces.create(twin, withNewName(twin.name))),
          { concurrency: "unbounded" }
        )
        const stored = yield* workspaces.list
        assert.lengthOf(stored, 1)
        const ids = stored.map(({ id }) => id)
        const taken = new WorkspaceNameTaken({ name: "Acme", ids })
        for (const [index, result] of results.entries()) {
          if (ids.includes(`wsp_${index}`)) assert.isTrue(Result.isSuccess(result))
          else assert.deepStrictEqual(result, Result.fail(taken))
        }
        yield* workspaces.create(workspace("wsp_imported", NOON + 10))
        const both = [...ids, "wsp_imported"]
        assert.deepStrictEqual(
          yield* Effect.flip(workspaces.create(workspace("wsp_x", NOON + 11), withNewName("Acme"))),
          new WorkspaceNameTaken({ name: "Acme", ids: both })
        )
        assert.deepStrictEqual(
          (yield* workspaces.list).map(({ id }) => id),
          both
        )
      })
    )

    test(
      "of many that are to be the first one is, and none is once there is any",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const names = Array.from({ length: 8 }, (_, index) => `Acme ${index}`)
        const results = yield* Effect.forEach(
          names,
          (name, index) =>
            Effect.result(workspaces.create(workspace(`wsp_${index}`, NOON + index, { name }), asFirst())),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(results.filter(Result.isSuccess), 1)
        for (const { failure } of results.filter(Result.isFailure))
          assert.deepStrictEqual(failure, new NotTheFirst())
        assert.lengthOf(yield* workspaces.list, 1)
        const later = workspace("wsp_later", NOON + 10, { name: "Later" })
        assert.deepStrictEqual(yield* Effect.flip(workspaces.create(later, asFirst())), new NotTheFirst())
        assert.lengthOf(yield* workspaces.list, 1)
        const [only] = yield* workspaces.list
        const beside = asFirst(only?.id ?? null)
        yield* workspaces.create(later, beside)
        const third = workspace("wsp_third", NOON + 11, { name: "Third" })
        assert.deepStrictEqual(yield* Effect.flip(workspaces.create(third, beside)), new NotTheFirst())
      })
    )

    test(
      "a change touches what it names and nothing else",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const other = workspace("wsp_other", NOON + 1)
        yield* workspaces.create(full)
        yield* workspaces.create(other)
        const renamed = yield* workspaces.update(full.id, { name: "New" }, NOON + 2)
        assert.deepStrictEqual(renamed, { ...full, name: "New" })
        const change = {
          plan: "free",
          overrides: { retention_days: 7 },
          retention: AS_PLANNED,
          ip_allowlist: [],
          viewer_frame_ancestors: null,
          anchor_schedule: null,
          key_access_events: false,
          viewer: null
        } as const
        const changed = yield* workspaces.update(full.id, change, NOON + 3)
        assert.deepStrictEqual(changed, { ...full, name: "New", ...change })
        assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some(changed))
        assert.deepStrictEqual(yield* workspaces.get(other.id), Option.some(other))
      })
    )

    test(
      "nobody who may embed the viewer is not the same as nothing said of it",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        for (const viewer_frame_ancestors of [[], null, ["'self'"]]) {
          const changed = yield* workspaces.update(full.id, { viewer_frame_ancestors }, NOON + 1)
          assert.deepStrictEqual(changed, { ...full, viewer_frame_ancestors })
          assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some(changed))
        }
      })
    )

    test(
      "an empty change changes nothing",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        assert.deepStrictEqual(yield* workspaces.update(full.id, {}, NOON + 1), full)
      })
    )

    test(
      "what is not there cannot be changed",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const error = yield* Effect.flip(workspaces.update("wsp_none", { name: "x" }, NOON))
        assert.deepStrictEqual(error, new WorkspaceNotFound({ workspaceId: "wsp_none" }))
        assert.deepStrictEqual(yield* workspaces.list, [])
      })
    )

    test(
      "no limit is stored below the least there may be",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        const overrides = {
          retention_days: 0,
          requests_per_minute: -3,
          alert_rules: null,
          events_per_month: 5
        }
        const sound = { retention_days: 1, requests_per_minute: 1, alert_rules: null, events_per_month: 5 }
        yield* workspaces.create({ ...full, overrides })
        assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some({ ...full, overrides: sound }))
        yield* workspaces.update(full.id, { overrides: {} }, NOON + 1)
        const changed = yield* workspaces.update(full.id, { overrides }, NOON + 2)
        assert.deepStrictEqual(changed.overrides, sound)
      })
    )

    test(
      "a change is made of what is there at that moment",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create({ ...full, name: "" })
        yield* Effect.forEach(
          Array.from({ length: 20 }),
          () => workspaces.modify(full.id, ({ name }) => Result.succeed({ name: `${name}x` }), NOON + 1),
          { concurrency: "unbounded", discard: true }
        )
        const expected = { ...full, name: "x".repeat(20) }
        assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some(expected))
      })
    )

    test(
      "a change that is refused changes nothing, and what is not there is not changed",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        const refused = workspaces.modify(full.id, () => Result.fail("no" as const), NOON)
        assert.strictEqual(yield* Effect.flip(refused), "no")
        assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some(full))
        const error = yield* Effect.flip(workspaces.modify("wsp_none", () => Result.succeed({}), NOON))
        assert.deepStrictEqual(error, new WorkspaceNotFound({ workspaceId: "wsp_none" }))
      })
    )

    test(
      "changes to different fields at once are both kept",
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        yield* workspaces.create(full)
        yield* Effect.all(
          [
            workspaces.update(full.id, { name: "New" }, NOON + 1),
            workspaces.update(full.id, { plan: "starter" }, NOON + 1),
            workspaces.update(full.id, { ip_allowlist: ["192.0.2.1/32"] }, NOON + 1)
          ],
          { concurrency: "unbounded" }
        )
        const expected = { ...full, name: "New", plan: "starter" as const, ip_allowlist: ["192.0.2.1/32"] }
        assert.deepStrictEqual(yield* workspaces.get(full.id), Option.some(expected))
      })
    )
  })
}
