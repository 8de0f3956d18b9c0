/** The contract of the port `Exports`, as tests. */

import { Micros } from "@cairn/core/encoding"
import {
  type ClaimedExport,
  type ExportLimits,
  ExportQuotaReached,
  Exports,
  type NewExport,
  TooManyExports
} from "@cairn/core/export"
import { ManagedWorkspaces } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option, Result } from "effect"
import { testWorkspace } from "../generators/TestWorkspace.ts"
import { NOON } from "./StorageSteps.ts"

/** Makes the layer of an empty storage. It is called once for each test, and its layer is built once. */
export type ExportsLayer = () => Layer.Layer<Exports | ManagedWorkspaces, unknown>

const WORKSPACE = "wsp_1"
const OTHER = "wsp_2"

const LIMITS: ExportLimits = { concurrent: 5, quota: null, since: NOON }

const wanted = (id: string, fields: Partial<NewExport> = {}): NewExport => ({
  id: `exp_${id}`,
  workspace_id: WORKSPACE,
  format: "csv",
  filters: { actor_id: "'; DROP TABLE export; -- \u{1F600}", from: "2024-05-01" },
  created_at: NOON,
  expires_at: NOON + 7 * Micros.DAY,
  ...fields
})

const create = (id: string, fields: Partial<NewExport> = {}, limits: Partial<ExportLimits> = {}) =>
  Effect.flatMap(Exports, (exports) => exports.create(wanted(id, fields), { ...LIMITS, ...limits }))

const claimAt = (at: Micros.Micros, claim: string) =>
  Effect.flatMap(Exports, (exports) => exports.claim({ claim, at, until: at + Micros.MINUTE }))

/** Claims an export that must exist. */
const taken = (at: Micros.Micros, claim = "one") =>
  Effect.flatMap(claimAt(at, claim), (found) => Effect.orDie(Effect.fromOption(found)))

const read = (id: string) =>
  Effect.flatMap(Exports, (exports) =>
    Effect.flatMap(exports.get(WORKSPACE, `exp_${id}`), (found) => Effect.orDie(Effect.fromOption(found)))
  )

const complete = (claimed: ClaimedExport) =>
  Effect.flatMap(Exports, (exports) =>
    exports.settle(claimed, { status: "completed", totalRows: 3, fileSize: 4_000_000_000 })
  )

/** Registers the contract of `Exports` for the storage called `name`. */
export const exportsContract = (name: string, storage: ExportsLayer): void => {
  const test = <A, E>(says: string, body: Effect.Effect<A, E, Exports | ManagedWorkspaces>): void =>
    it.live(says, () =>
      Effect.gen(function* () {
        const workspaces = yield* ManagedWorkspaces
        for (const id of [WORKSPACE, OTHER]) {
          yield* workspaces.create(testWorkspace({ id, created_at: NOON }))
        }
        return yield* body
      }).pipe((effect) => Effect.suspend(() => Effect.provide(effect, storage())))
    )

  describe(`${name}: Exports`, () => {
    test(
      "a new export is pending, keeps what was asked for, and is found in its workspace only",
      Effect.gen(function* () {
        const exports = yield* Exports
        const created = yield* create("1")
        assert.deepStrictEqual(created, {
          ...wanted("1"),
          status: "pending",
          progress: 0,
          attempts: 0,
          total_rows: null,
          file_size: null,
          has_files: false
        })
        assert.deepStrictEqual(yield* read("1"), created)
        assert.deepStrictEqual(yield* exports.find("exp_1"), Option.some(created))
        assert.deepStrictEqual(yield* exports.get(OTHER, "exp_1"), Option.none())
        assert.deepStrictEqual(yield* exports.get(WORKSPACE, "exp_2"), Option.none())
        assert.deepStrictEqual(yield* exports.find("exp_2"), Option.none())
      })
    )

    test(
      "they are listed newest first, of their workspace only",
      Effect.gen(function* () {
        const { page } = yield* Exports
        for (const id of ["1", "2", "3"]) yield* create(id, { created_at: NOON + Number(id) })
        yield* create("4", { workspace_id: OTHER, created_at: NOON + 4 })
        const idsOf = (before: number | null, limit: number) =>
          Effect.map(page(WORKSPACE, { before, limit }), (rows) => rows.map(({ id }) => id))
        assert.deepStrictEqual(yield* idsOf(null, 2), ["exp_3", "exp_2"])
        assert.deepStrictEqual(yield* idsOf(NOON + 2, 2), ["exp_1"])
        assert.deepStrictEqual(yield* idsOf(NOON + 1, 2), [])
      })
    )

    test(
      "no more may be under way than the limit says; one that is settled makes room",
      Effect.gen(function* () {
        yield* create("1", {}, { concurrent: 2 })
        yield* create("2", { created_at: NOON + 1 }, { concurrent: 2 })
        const refused = yield* Effect.flip(create("3", {}, { concurrent: 2 }))
        assert.deepStrictEqual(refused, new TooManyExports({ concurrent: 2 }))
        yield* create("4", { workspace_id: OTHER }, { concurrent: 2 })
        yield* complete(yield* taken(NOON))
        yield* create("3", { created_at: NOON + 2 }, { concurrent: 2 })
        assert.instanceOf(yield* Effect.flip(create("5", {}, { concurrent: 2 })), TooManyExports)
      })
    )

    test(
      "of those who ask at once, as many get one as the limit says",
      Effect.gen(function* () {
        const results = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, index) => String(index)),
          (id) => Effect.result(create(id)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(results.filter(Result.isSuccess), 5)
      })
    )

    test(
      "the month's quota counts what was created since it began, whatever became of it",
      Effect.gen(function* () {
        const exports = yield* Exports
        const month = { quota: 2, since: NOON }
        yield* create("before", { created_at: NOON - 1 }, month)
        yield* create("1", {}, month)
        yield* create("2", {}, month)
        assert.deepStrictEqual(
          yield* Effect.flip(create("3", {}, month)),
          new ExportQuotaReached({ quota: 2 })
        )
        assert.strictEqual(yield* exports.createdSince(WORKSPACE, NOON), 2)
        assert.strictEqual(yield* exports.createdSince(WORKSPACE, NOON - 1), 3)
        assert.strictEqual(yield* exports.createdSince(OTHER, NOON), 0)
        yield* create("3", { created_at: NOON + 5 }, { quota: 2, since: NOON + 5 })
      })
    )

    test(
      "one that is only counted is in the quota of both kinds and nowhere else, until it is pruned",
      Effect.gen(function* () {
        const exports = yield* Exports
        const month = { quota: 2, since: NOON }
        const sent = (id: string, created_at = NOON) => ({
          id: `exp_${id}`,
          workspace_id: WORKSPACE,
          format: "csv" as const,
          created_at
        })
        yield* exports.count(sent("1", NOON - 1), { quota: 0, since: NOON + 1 }).pipe(Effect.flip)
        yield* exports.count(sent("1", NOON - 1), month)
        yield* exports.count(sent("2"), month)
        yield* create("3", {}, month)
        const full = new ExportQuotaReached({ quota: 2 })
        assert.deepStrictEqual(yield* Effect.flip(exports.count(sent("4"), month)), full)
        assert.deepStrictEqual(yield* Effect.flip(create("4", {}, month)), full)
        yield* exports.count(sent("4"), { quota: null, since: NOON })
        assert.strictEqual(yield* exports.createdSince(WORKSPACE, NOON), 3)
        assert.strictEqual(yield* exports.total(WORKSPACE), 1)
        assert.strictEqual(yield* exports.total(OTHER), 0)
        const page = yield* exports.page(WORKSPACE, { before: null, limit: 10 })
        assert.deepStrictEqual(
          page.map(({ id }) => id),
          ["exp_3"]
        )
        assert.isTrue(Option.isNone(yield* exports.get(WORKSPACE, "exp_2")))
        assert.isTrue(Option.isNone(yield* exports.find("exp_2")))
        assert.strictEqual((yield* taken(NOON)).id, "exp_3")
        assert.isTrue(Option.isNone(yield* claimAt(NOON, "two")))
        assert.strictEqual(yield* exports.prune(NOON), 1)
        assert.strictEqual(yield* exports.createdSince(WORKSPACE, NOON - 1), 3)
      })
    )

    test(
      "the oldest is claimed first, by one only, and is then processing",
      Effect.gen(function* () {
        yield* create("late", { created_at: NOON + 1 })
        yield* create("early")
        const first = yield* taken(NOON + 2, "one")
        assert.deepInclude(first, {
          id: "exp_early",
          claim: "one",
          status: "processing",
          attempts: 1,
          has_files: true
        })
        const { claim: _, ...stored } = first
        assert.deepStrictEqual(yield* read("early"), stored)
        assert.strictEqual((yield* taken(NOON + 2, "two")).id, "exp_late")
        assert.deepStrictEqual(yield* claimAt(NOON + 2, "three"), Option.none())
      })
    )

    test(
      "one that a clock running ahead has claimed is another's to claim",
      Effect.gen(function* () {
        yield* create("early")
        yield* taken(NOON + 365 * Micros.DAY, "ahead")
        assert.strictEqual((yield* taken(NOON + 2, "other")).claim, "other")
      })
    )

    test(
      "many who claim at once never get the same",
      Effect.gen(function* () {
        for (const id of ["1", "2", "3"]) yield* create(id)
        const claims = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, index) => `claim ${index}`),
          (claim) => claimAt(NOON, claim),
          { concurrency: "unbounded" }
        )
        const ids = claims.flatMap((claimed) => (Option.isSome(claimed) ? [claimed.value.id] : []))
        assert.isNotEmpty(ids)
        assert.strictEqual(new Set(ids).size, ids.length)
      })
    )

    test(
      "a claim that has run out may be taken over, which is another attempt; the former holder can do nothing more",
      Effect.gen(function* () {
        const exports = yield* Exports
        yield* create("1")
        const lost = yield* taken(NOON, "one")
        assert.isTrue(yield* exports.keep(lost, { until: NOON + 2 * Micros.MINUTE, progress: 40 }))
        assert.strictEqual((yield* read("1")).progress, 40)
        assert.deepStrictEqual(yield* claimAt(NOON + 2 * Micros.MINUTE - 1, "two"), Option.none())
        const again = yield* taken(NOON + 2 * Micros.MINUTE, "two")
        assert.deepInclude(again, { attempts: 2, progress: 0 })
        assert.isFalse(yield* exports.keep(lost, { until: NOON + Micros.DAY, progress: 90 }))
        assert.isFalse(yield* complete(lost))
        assert.isFalse(yield* exports.settle(lost, { status: "failed" }))
        assert.deepInclude(yield* read("1"), { status: "processing", progress: 0 })
        assert.isTrue(yield* complete(again))
      })
    )

    test(
      "a completed export knows its rows and bytes and is never claimed again",
      Effect.gen(function* () {
        const exports = yield* Exports
        yield* create("1")
        const claimed = yield* taken(NOON)
        assert.isTrue(yield* complete(claimed))
        assert.deepInclude(yield* read("1"), {
          status: "completed",
          total_rows: 3,
          file_size: 4_000_000_000,
          progress: 100,
          attempts: 1
        })
        assert.isFalse(yield* complete(claimed))
        assert.isFalse(yield* exports.keep(claimed, { until: NOON, progress: 1 }))
        assert.deepStrictEqual(yield* claimAt(NOON + Micros.DAY, "two"), Option.none())
      })
    )

    test(
      "a settled export is untold until it is told of, oldest first, and one that is being made is not",
      Effect.gen(function* () {
        const exports = yield* Exports
        for (const [index, id] of ["1", "2", "3"].entries()) yield* create(id, { created_at: NOON + index })
        const [one, two] = [yield* taken(NOON + 9, "one"), yield* taken(NOON + 9, "two")]
        const three = yield* taken(NOON + 9, "three")
        const untold = (limit: number) =>
          Effect.map(exports.untold(limit), (found) => found.map(({ id }) => id))
        yield* exports.settle(two, { status: "failed" })
        yield* complete(one)
        yield* exports.told("exp_3")
        assert.deepStrictEqual(yield* untold(9), ["exp_1", "exp_2"])
        assert.deepStrictEqual(yield* untold(1), ["exp_1"])
        yield* exports.told("exp_1")
        assert.deepStrictEqual(yield* untold(9), ["exp_2"])
        assert.strictEqual((yield* read("1")).status, "completed")
        assert.isTrue(yield* complete(three), "told of before it was settled, it would have lost its maker")
      })
    )

    test(
      "a failed export stays failed",
      Effect.gen(function* () {
        const exports = yield* Exports
        yield* create("1")
        assert.isTrue(yield* exports.settle(yield* taken(NOON), { status: "failed" }))
        assert.deepInclude(yield* read("1"), { status: "failed", total_rows: null, file_size: null })
        assert.deepStrictEqual(yield* claimAt(NOON + Micros.DAY, "two"), Option.none())
      })
    )

    test(
      "settled exports whose time is over are listed until their files are forgotten, and rows are kept until they are pruned",
      Effect.gen(function* () {
        const exports = yield* Exports
        yield* create("2", { expires_at: NOON + 20 })
        yield* create("1", { expires_at: NOON + 10, created_at: NOON + 1 })
        yield* create("waiting", { expires_at: NOON + 10, created_at: NOON + 2 })
        yield* complete(yield* taken(NOON, "one"))
        yield* exports.settle(yield* taken(NOON, "two"), { status: "failed" })
        const ids = (at: Micros.Micros, limit = 10) =>
          Effect.map(exports.expired(at, limit), (found) => found.map(({ id }) => id))
        assert.deepStrictEqual(yield* ids(NOON + 9), [])
        assert.deepStrictEqual(yield* ids(NOON + 10), ["exp_1"])
        assert.deepStrictEqual(yield* ids(NOON + 30), ["exp_1", "exp_2"])
        assert.deepStrictEqual(yield* ids(NOON + 30, 1), ["exp_1"])
        assert.strictEqual(yield* exports.prune(NOON + Micros.DAY), 0, "files are removed before rows")
        yield* exports.forget("exp_1")
        assert.deepStrictEqual(yield* ids(NOON + 30), ["exp_2"])
        assert.strictEqual((yield* read("1")).status, "failed")
        assert.strictEqual(yield* exports.prune(NOON + 1), 0)
        assert.strictEqual(yield* exports.prune(NOON + 2), 1)
        assert.deepStrictEqual(yield* exports.get(WORKSPACE, "exp_1"), Option.none())
        assert.strictEqual((yield* read("waiting")).status, "pending")
      })
    )

    test(
      "withdrawn: what was made expires and forgets its filters, what is being made begins anew, in that workspace only",
      Effect.gen(function* () {
        const exports = yield* Exports
        yield* create("made")
        yield* create("making", { created_at: NOON + 1 })
        yield* create("pending", { created_at: NOON + 2 })
        yield* complete(yield* taken(NOON, "one"))
        const making = yield* taken(NOON, "two")
        assert.strictEqual(yield* exports.withdraw(OTHER, NOON + 5, null), 0)
        assert.strictEqual(yield* exports.withdraw(WORKSPACE, NOON + 5, null), 2)
        assert.deepInclude(yield* read("made"), { status: "completed", expires_at: NOON + 5, filters: {} })
        assert.deepInclude(yield* read("making"), { status: "pending", filters: wanted("1").filters })
        assert.isFalse(yield* complete(making))
        assert.deepInclude(yield* taken(NOON + 6, "three"), { id: "exp_making", attempts: 2 })
        assert.strictEqual((yield* exports.expired(NOON + 6, 10)).length, 1)
      })
    )

    test(
      "withdrawn: what expired before forgets its filters too, and what is not made yet fails if it names what is erased",
      Effect.gen(function* () {
        const exports = yield* Exports
        yield* create("old", { filters: { actor_id: "ada" }, expires_at: NOON + 1 })
        yield* complete(yield* taken(NOON, "one"))
        yield* create("naming", { filters: { search: 'x"Ad%a' }, created_at: NOON + 1 })
        yield* create("other", { filters: { search: "Bad!a" }, created_at: NOON + 2 })
        assert.strictEqual(yield* exports.withdraw(WORKSPACE, NOON + 5, 'x"Ad%a'), 1)
        assert.deepInclude(yield* read("old"), { filters: {}, expires_at: NOON + 1 })
        assert.deepInclude(yield* read("naming"), { status: "failed", filters: {} })
        assert.deepInclude(yield* read("other"), { status: "pending", filters: { search: "Bad!a" } })
      })
    )
  })
}
