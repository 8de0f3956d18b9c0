/** Rows that this version cannot read, as a damaged or an older database may hold. */

import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { AlertRules, decodeAlertRule } from "@cairn/core/alert"
import { Exports } from "@cairn/core/export"
import { Randomness } from "@cairn/core/hashing"
import { LogStreams, Webhooks } from "@cairn/core/outbound"
import {
  type ApiKey,
  ApiKeys,
  type CollectionItem,
  ManagedWorkspaces,
  Members,
  type WorkspaceCollection
} from "@cairn/core/workspace"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { testMember, testWorkspace } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option, Result } from "effect"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-unreadable-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const WORKSPACE = "wsp_1"

/** Runs it over a database in which the statements were run by hand, with the lines of the log. */
const over = async <A>(
  name: string,
  prepare: Effect.Effect<unknown, unknown, Layer.Success<ReturnType<typeof SqliteStorage.layer>>>,
  statements: ReadonlyArray<string>,
  look: Effect.Effect<A, unknown, Layer.Success<ReturnType<typeof SqliteStorage.layer>>>
) => {
  const filename = join(folder, `${name}.db`)
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
  const run = <B>(effect: Effect.Effect<B, unknown, Layer.Success<ReturnType<typeof SqliteStorage.layer>>>) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provide(SqliteStorage.layer({ filename }).pipe(Layer.provide(Randomness.layer))),
        Effect.provide(logger),
        Effect.scoped,
        Effect.orDie
      )
    )
  await run(
    Effect.andThen(
      Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: WORKSPACE }))),
      prepare
    )
  )
  const db = new DatabaseSync(filename)
  for (const statement of statements) db.exec(statement)
  db.close()
  return { found: await run(look), lines }
}

const base = (id: string, created_at: number) => ({
  id,
  workspace_id: WORKSPACE,
  created_at,
  updated_at: created_at
})

const definition = Result.getOrThrow(decodeAlertRule({ name: "n", rule_type: "repeated_action" }))

describe("a row that cannot be read", () => {
  for (const [table, make] of [
    ["alert_rule", (id: string, at: number) => ({ ...base(id, at), definition })],
    ["member", (id: string, at: number) => testMember({ ...base(id, at), email: id })]
  ] as const) {
    const collection = Effect.gen(function* () {
      const members: unknown = yield* Members
      const rules: unknown = yield* AlertRules
      return (table === "member" ? members : rules) as WorkspaceCollection<CollectionItem>
    })
    it(`of ${table} hides no other, is named in the log once, and fails by itself`, async () => {
      const { found, lines } = await over(
        table,
        Effect.gen(function* () {
          const { create } = yield* collection
          for (const [index, id] of ["one", "two", "three"].entries()) yield* create(make(id, index))
        }),
        [`UPDATE ${table} SET body = '{"definition":7}' WHERE id = 'two'`],
        Effect.gen(function* () {
          const { list, all, get } = yield* collection
          const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id)
          return {
            list: idsOf(yield* list(WORKSPACE)),
            again: idsOf(yield* list(WORKSPACE)),
            all: idsOf(yield* all).sort(),
            other: Option.isSome(yield* get(WORKSPACE, "one")),
            itself: Result.isFailure(yield* Effect.result(get(WORKSPACE, "two")))
          }
        })
      )
      const others = ["three", "one"]
      assert.deepStrictEqual(found, {
        list: others,
        again: others,
        all: ["one", "three"],
        other: true,
        itself: true
      })
      assert.lengthOf(
        lines.filter((line) => line.includes("cannot be read") && line.includes('"two"')),
        1
      )
    })
  }

  it("of members hides no other of its address, in any workspace", async () => {
    const { found, lines } = await over(
      "members of an address",
      Effect.gen(function* () {
        const { create } = yield* Members
        const other = testWorkspace({ id: "wsp_2" })
        yield* Effect.flatMap(ManagedWorkspaces, (workspaces) => workspaces.create(other))
        for (const [index, id] of ["one", "two", "three"].entries()) {
          yield* create(testMember({ ...base(id, index), workspace_id: id === "one" ? WORKSPACE : "wsp_2" }))
        }
      }),
      ["UPDATE member SET body = '{' WHERE id = 'two'"],
      Effect.flatMap(Members, ({ ofAddress }) =>
        Effect.all([ofAddress("owner@example.com"), ofAddress("OWNER@example.com")])
      )
    )
    assert.deepStrictEqual(
      found.map((members) => members.map(({ id }) => id)),
      [
        ["one", "three"],
        ["one", "three"]
      ]
    )
    assert.lengthOf(
      lines.filter((line) => line.includes("cannot be read") && line.includes('"two"')),
      1
    )
  })

  it("of members can be removed, but not where somebody is asked about it", async () => {
    const { found } = await over(
      "removed member",
      Effect.flatMap(Members, ({ create }) => create(testMember(base("one", 1)))),
      ["UPDATE member SET body = '{' WHERE id = 'one'"],
      Effect.gen(function* () {
        const { remove } = yield* Members
        const asked = yield* Effect.result(remove(WORKSPACE, "one", () => Result.void))
        return [Result.isFailure(asked), yield* remove(WORKSPACE, "one")]
      })
    )
    assert.deepStrictEqual(found, [true, true])
  })

  it("of workspaces hides no other workspace", async () => {
    const { found } = await over(
      "workspaces",
      Effect.flatMap(ManagedWorkspaces, ({ create }) => create(testWorkspace({ id: "wsp_2" }))),
      ["UPDATE workspace SET ip_allowlist = '{' WHERE id = 'wsp_1'"],
      Effect.flatMap(ManagedWorkspaces, ({ list }) => list)
    )
    assert.deepStrictEqual(
      found.map(({ id }) => id),
      ["wsp_2"]
    )
  })

  it("of API keys hides no other key, and fails by itself", async () => {
    const key = (id: string, created_at: number): ApiKey => ({
      ...{ id, public_id: id, workspace_id: WORKSPACE, name: null, scopes: [], hash: "x", created_at },
      ...{ last_used_at: null, expires_at: null, revoked_at: null, created_by: null }
    })
    const { found, lines } = await over(
      "keys",
      Effect.flatMap(ApiKeys, ({ create }) =>
        Effect.forEach(["one", "two", "three"], (id, index) => create(key(id, index)))
      ),
      [`UPDATE api_key SET scopes = '["no_such"]' WHERE id = 'two'`],
      Effect.gen(function* () {
        const { list, get } = yield* ApiKeys
        const ids = (yield* list(WORKSPACE)).map(({ id }) => id)
        return { ids, itself: Result.isFailure(yield* Effect.result(get(WORKSPACE, "two"))) }
      })
    )
    assert.deepStrictEqual(found, { ids: ["three", "one"], itself: true })
    assert.lengthOf(
      lines.filter((line) => line.includes('"two"')),
      1
    )
  })

  it("of exports keeps no other from being told of and its files from being removed", async () => {
    const make = (id: string) => ({
      ...{ id, workspace_id: WORKSPACE, format: "csv" as const, filters: {}, created_at: 1, expires_at: 2 }
    })
    const { found } = await over(
      "exports",
      Effect.flatMap(Exports, ({ create }) =>
        Effect.forEach(["one", "two", "three"], (id) =>
          create(make(id), { concurrent: 10, quota: null, since: 0 })
        )
      ),
      [
        "UPDATE export SET status = 'completed', claim = 'mine', has_files = 1",
        "UPDATE export SET filters = '{' WHERE id = 'two'"
      ],
      Effect.gen(function* () {
        const { untold, expired } = yield* Exports
        const idsOf = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id).sort()
        return [idsOf(yield* untold(10)), idsOf(yield* expired(3, 10))]
      })
    )
    assert.deepStrictEqual(found, [
      ["one", "three"],
      ["one", "three"]
    ])
  })

  it("is none where an earlier version stored parameters of a rule as null", async () => {
    const { found } = await over(
      "null-parameters",
      Effect.flatMap(AlertRules, ({ create }) => create({ ...base("rul_1", 1), definition })),
      ["UPDATE alert_rule SET body = json_set(body, '$.definition.parameters', NULL)"],
      Effect.gen(function* () {
        // Of the others there are none, and they are read too.
        assert.lengthOf(yield* Effect.flatMap(Webhooks, ({ all }) => all), 0)
        assert.lengthOf(yield* Effect.flatMap(LogStreams, ({ all }) => all), 0)
        return yield* Effect.flatMap(AlertRules, ({ list }) => list(WORKSPACE))
      })
    )
    assert.deepStrictEqual(found, [{ ...base("rul_1", 1), definition }])
  })
})
