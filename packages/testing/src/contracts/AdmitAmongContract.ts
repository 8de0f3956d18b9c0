/** The contract of the conditions of `modify` and `remove` of a `WorkspaceCollection`, as tests. */
import type { StorageUnavailable } from "@cairn/core/log"
import type { CollectionItem, WorkspaceCollection } from "@cairn/core/workspace"
import { assert } from "@effect/vitest"
import { Effect, Exit, Result } from "effect"
import type { ConsumptionServices, consumptionTest } from "./ConsumptionContract.ts"

/** What all of them have in common. */
export interface Item extends CollectionItem {
  readonly updated_at: number
}

/** How a change or removal is allowed here. */
type AdmitAmong<A> = (others: ReadonlyArray<A>, before: A, after: A | undefined) => Result.Result<void, never>

/** One port and how it is tried. */
interface Subject<A extends Item> {
  readonly test: ReturnType<typeof consumptionTest>
  /** The port, over a storage with two workspaces. */
  readonly ready: Effect.Effect<WorkspaceCollection<A>, StorageUnavailable, ConsumptionServices>
  readonly item: (id: string, at?: number, workspaceId?: string) => A
  readonly change: (item: A) => A
}

/** Registers the contract of the conditions for one port. */
export const admitAmongContract = <A extends Item>({ test, ready, item, change }: Subject<A>): void => {
  test(
    "a change and a removal are allowed beside the others, with what was and what will be",
    Effect.gen(function* () {
      const items = yield* ready
      for (const each of [item("a"), item("b", 1), item("c", 2), item("d", 0, "wsp_2")]) {
        yield* items.create(each)
      }
      const asked: Array<Parameters<AdmitAmong<A>>> = []
      const admit: AdmitAmong<A> = (...question) => {
        asked.push(question)
        return Result.void
      }
      yield* items.modify("wsp_1", "a", (before) => Result.succeed({ ...change(before), id: "x" }), admit)
      assert.isTrue(yield* items.remove("wsp_1", "b", admit))
      // Nobody is asked of what is not there.
      assert.isFalse(yield* items.remove("wsp_2", "a", admit))
      yield* items.modify("wsp_2", "a", (before) => Result.succeed(before), admit)
      const after = change(item("a"))
      assert.deepStrictEqual(asked, [
        [[item("c", 2), item("b", 1)], item("a"), after],
        [[item("c", 2), after], item("b", 1), undefined]
      ])
      assert.deepStrictEqual(yield* items.list("wsp_1"), [item("c", 2), after])
    })
  )

  test(
    "a change or removal that is not allowed beside the others changes nothing",
    Effect.gen(function* () {
      const items = yield* ready
      for (const each of [item("a"), item("b", 1)]) yield* items.create(each)
      const refuse = () => Result.fail("needed" as const)
      const succeed = (before: A) => Result.succeed(change(before))
      assert.strictEqual(yield* Effect.flip(items.modify("wsp_1", "a", succeed, refuse)), "needed")
      assert.strictEqual(yield* Effect.flip(items.remove("wsp_1", "a", refuse)), "needed")
      assert.deepStrictEqual(yield* items.list("wsp_1"), [item("b", 1), item("a")])
      // It is asked only about a change that there is.
      const unchanged = items.modify("wsp_1", "a", () => Result.fail("no" as const), refuse)
      assert.strictEqual(yield* Effect.flip(unchanged), "no")
    })
  )

  test(
    "what has to remain remains, however many are changed and removed at once",
    Effect.gen(function* () {
      const items = yield* ready
      const names = Array.from({ length: 8 }, (_, index) => `item-${index}`)
      for (const [index, id] of names.entries()) yield* items.create(item(id, index))
      yield* items.create(item("other", 0, "wsp_2"))
      const isUnchanged = ({ updated_at, created_at }: A) => updated_at === created_at
      const oneLeft = (others: ReadonlyArray<A>) =>
        others.some(isUnchanged) ? Result.void : Result.fail("needed" as const)
      const touched = (before: A) => Result.succeed({ ...before, updated_at: 0 })
      const refused = yield* Effect.forEach(
        names.entries(),
        ([index, id]): Effect.Effect<boolean> =>
          index % 2 === 0
            ? Effect.isFailure(items.remove("wsp_1", id, oneLeft))
            : Effect.isFailure(items.modify("wsp_1", id, touched, oneLeft)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(refused.filter((is) => is).length, 1)
      assert.lengthOf((yield* items.list("wsp_1")).filter(isUnchanged), 1)
    })
  )

  test(
    "one is left however many are removed at once",
    Effect.gen(function* () {
      const items = yield* ready
      const names = Array.from({ length: 8 }, (_, index) => `item-${index}`)
      for (const [index, id] of names.entries()) yield* items.create(item(id, index))
      const notTheLast = (others: ReadonlyArray<A>) =>
        others.length > 0 ? Result.void : Result.fail("last" as const)
      const outcomes = yield* Effect.forEach(
        names,
        (id) => Effect.exit(items.remove("wsp_1", id, notTheLast)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(outcomes.filter(Exit.isSuccess), 7)
      assert.lengthOf(yield* items.list("wsp_1"), 1)
    })
  )
}
