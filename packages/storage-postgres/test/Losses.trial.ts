/** What is lost of several logs, seen by several processes, more than once. */
import { LogCheckpoints } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import {
  append,
  atEnd,
  type CairnProcess,
  length,
  look,
  makeProcesses,
  ok,
  patient,
  restorable
} from "./Processes.ts"
import { accept, drain, makeWorkspace, sharedServer, verifyChain } from "./support.ts"

const server = sharedServer()
const processOn = makeProcesses(atEnd())

const [ONE, TWO, THREE] = ["wsp_one", "wsp_two", "wsp_three"]

/** A database with three logs of ten events, which two processes have seen. */
const begin = async () => {
  const database = await restorable(server())
  const processes = [await processOn(database.url), await processOn(database.url)] as const
  const [first] = processes
  for (const id of [ONE, TWO, THREE]) {
    await ok(first.run(makeWorkspace(id)))
    assert.strictEqual(await ok(first.run(append(id, 10))), 10)
  }
  return { ...database, processes }
}

const losses = async ({ run, continuity }: CairnProcess) => {
  const found = await ok(run(patient(continuity.losses)))
  return found
    .map(({ workspace_id, seen, found }) => `${workspace_id} ${seen.sequence} ${found.sequence}`)
    .sort()
}

const acceptLosses = async ({ run, continuity }: CairnProcess) =>
  (await ok(run(patient(continuity.accept(Micros.fromMillis(0)))))).length

const current = (workspaceId: string) =>
  Effect.flatMap(LogCheckpoints, (log) => patient(log.current(workspaceId)))

/** What the processes sign together: never two roots for one size. */
const makeSigning = () => {
  const roots = new Map<number, string>()
  /** The size that a process signs; undefined when it refuses. */
  return async ({ run }: CairnProcess): Promise<number | undefined> => {
    const exit = await run(current(ONE))
    if (Exit.isFailure(exit)) {
      assert.include(JSON.stringify(exit.cause), "LogNotAsSigned")
      return undefined
    }
    const { size, root } = exit.value
    assert.strictEqual(roots.get(size) ?? root, root, `two roots for ${size} events`)
    roots.set(size, root)
    return size
  }
}

describe("a loss of PostgreSQL", { timeout: 300_000 }, () => {
  it("of every log is noted, by each process what it has seen, and accepted at once", async () => {
    const { url, copy, processes } = await begin()
    const [first, second] = processes
    const putBack = await copy()
    await ok(first.run(append(ONE, 5)))
    await ok(first.run(append(TWO, 5)))
    await ok(second.run(append(TWO, 5)))
    await ok(second.run(append(THREE, 5)))
    await putBack()
    for (const each of processes) assert.isDefined(await look(each))
    const late = await processOn(url)
    assert.includeMembers(await losses(late), ["wsp_one 15 10", "wsp_three 15 10", "wsp_two 20 10"])
    for (const each of processes) {
      const told = each.lines.filter((line) => line.includes("The database is behind"))
      assert.isAbove(told.length, 0)
    }
    assert.isAtLeast(await acceptLosses(late), 3)
    for (const each of [...processes, late]) {
      assert.isUndefined(await look(each))
      assert.strictEqual(await ok(each.run(append(THREE, 2))), 2)
    }
    assert.deepStrictEqual(await losses(late), [])
    const [acceptance, ...others] = await ok(first.run(patient(first.continuity.unrecorded)))
    assert.strictEqual(new Set(acceptance?.losses.map(({ workspace_id }) => workspace_id)).size, 3)
    assert.deepStrictEqual(others, [])
    await ok(first.run(first.continuity.recorded(acceptance?.acceptance ?? "", 0)))
    assert.deepStrictEqual(await ok(second.run(patient(second.continuity.unrecorded))), [])
    for (const id of [ONE, TWO, THREE]) assert.isTrue((await ok(late.run(verifyChain(id)))).valid)
  })

  it("that nobody had noted when another was accepted is noted after it", async () => {
    const { copy, processes } = await begin()
    const [first, second] = processes
    const putBack = await copy()
    await ok(first.run(append(ONE, 5)))
    await ok(second.run(append(TWO, 5)))
    await putBack()
    assert.isDefined(await look(first))
    assert.deepStrictEqual(await losses(first), ["wsp_one 15 10"])
    assert.strictEqual(await acceptLosses(first), 1)
    assert.isUndefined(await look(first))
    assert.match((await look(second)) ?? "", /wsp_two was seen at event 15 .* is now at event 10/)
    assert.isDefined(await look(first))
    assert.deepStrictEqual(await losses(first), ["wsp_two 15 10"])
    assert.strictEqual(await acceptLosses(second), 1)
    for (const each of processes) assert.isUndefined(await look(each))
  })

  it("that is accepted while it is being noted is not noted again", async () => {
    const { url, copy, processes } = await begin()
    const [first, second] = processes
    const putBack = await copy()
    await ok(first.run(append(ONE, 5)))
    await ok(second.run(append(ONE, 5)))
    await putBack()
    assert.isDefined(await look(first))
    // It is accepted as far as the second one has seen, once that waits to note it.
    const accepted = server().query(
      url,
      `DO $$ BEGIN
         LOCK TABLE log_loss IN SHARE ROW EXCLUSIVE MODE;
         UPDATE log_loss SET accepted_at = 0, acceptance = 'once', seen_sequence = 20, furthest = 20;
         WHILE NOT EXISTS (SELECT FROM pg_locks WHERE relation = 'log_loss'::regclass AND NOT granted) LOOP
           PERFORM pg_sleep(0.01);
         END LOOP;
       END $$`
    )
    const held =
      "SELECT FROM pg_locks WHERE relation = 'log_loss'::regclass AND mode = 'ShareRowExclusiveLock' AND granted"
    while ((await server().query(url, held)).length === 0) await new Promise(setImmediate)
    assert.isUndefined(await look(second))
    await accepted
    assert.deepStrictEqual(await losses(first), [])
    for (const each of processes) assert.isUndefined(await look(each))
  })

  it("is accepted once each time that the same copy is put back, and nothing is signed up to what was seen before", async () => {
    const { url, copy, processes } = await begin()
    const [first, second] = processes
    const sign = makeSigning()
    assert.strictEqual(await sign(second), 10)
    const putBack = await copy()
    await ok(second.run(append(ONE, 5)))
    // The one that signs has read where the log ends, and nothing else.
    assert.strictEqual(await sign(first), 15)
    await second.stop()
    let others = [await processOn(url)]
    for (const more of [3, 2, 1]) {
      await putBack()
      assert.isDefined(await look(first))
      const before = others
      others = [...others, await processOn(url)]
      assert.isAtLeast(await acceptLosses(first), 1)
      // The first one's memory reaches back furthest; it tells it with each loss.
      for (const each of [first, ...others]) assert.isUndefined(await look(each))
      assert.isTrue((await ok(first.run(verifyChain(ONE)))).valid)
      for (const each of [first, ...others]) assert.isUndefined(await sign(each))
      assert.isTrue((await ok(first.run(verifyChain(ONE)))).valid)
      for (let count = 0; count < more; count++) {
        for (const each of before) assert.strictEqual(await ok(each.run(append(ONE, 1))), 1)
        if ((await ok(first.run(length(ONE)))) > 15) break
        for (const each of [first, ...others]) assert.isUndefined(await sign(each))
      }
    }
    while ((await ok(first.run(length(ONE)))) < 15) {
      assert.isUndefined(await sign(first))
      await ok(first.run(append(ONE, 1)))
    }
    for (const each of [first, ...others]) assert.isUndefined(await sign(each))
    await ok(first.run(append(ONE, 1)))
    for (const each of [first, ...others]) assert.strictEqual(await sign(each), 16)
  })

  it("names the timeline that the lost event was seen on", async () => {
    const database = await restorable(server())
    const timeline = new SharedArrayBuffer(8)
    const one = await processOn(database.url, { timeline, tells: false })
    await ok(one.run(makeWorkspace(ONE)))
    await ok(one.run(append(ONE, 10)))
    const putBack = await database.copy()
    await ok(one.run(append(ONE, 10)))
    await putBack()
    // Another thread has come to a newer one.
    Atomics.store(new BigInt64Array(timeline), 0, 9n)
    assert.match(
      (await look(one)) ?? "",
      /seen at event 20 \(.*\) on timeline 1, .* at event 10 .* on timeline 1/
    )
  })

  it("is none where an old primary has gone on by itself, whoever has read that there", async () => {
    const { url, copy, processes } = await begin()
    const [forked] = processes
    const seen = Array.from({ length: 2 }, () => new SharedArrayBuffer(8))
    const [one, late] = await Promise.all(seen.map((timeline) => processOn(url, { timeline, tells: false })))
    assert.isDefined(one)
    assert.isDefined(late)
    // One of them has read where the log ended before that, the other has not.
    assert.strictEqual(await ok(one.run(length(ONE))), 10)
    const putBack = await copy()
    for (const timeline of seen) Atomics.store(new BigInt64Array(timeline), 0, 9n)
    await ok(forked.run(append(ONE, 5)))
    for (const each of [one, late]) {
      assert.strictEqual(await ok(each.run(length(ONE))), 15)
      await each.run(patient(drain))
    }
    // The newer primary again.
    await putBack()
    for (const timeline of seen) Atomics.store(new BigInt64Array(timeline), 0, 1n)
    for (const each of [one, late]) {
      assert.isUndefined(await look(each))
      assert.strictEqual(await ok(each.run(append(ONE, 2))), 2)
    }
    assert.deepStrictEqual(await losses(late), [])
  })

  it("of a log as a whole gives its number to another, whose events come into no other log", async () => {
    const { copy, processes } = await begin()
    const [first, second] = processes
    const putBack = await copy()
    await ok(first.run(makeWorkspace("wsp_lost")))
    await ok(first.run(append("wsp_lost", 3)))
    await putBack()
    assert.match((await look(first)) ?? "", /wsp_lost was seen at event 3 .* is now at event 0/)
    await acceptLosses(first)
    for (const each of processes) assert.isUndefined(await look(each))
    await ok(second.run(patient(makeWorkspace("wsp_next"))))
    await ok(second.run(patient(accept("wsp_next", [{ actor_id: "a", action: "b.c" }]))))
    // It knows the number by the workspace that is gone.
    assert.strictEqual(await ok(first.run(patient(drain))), 1)
    for (const each of processes) {
      assert.strictEqual(await ok(each.run(length("wsp_next"))), 1)
      assert.isTrue((await ok(each.run(verifyChain("wsp_next")))).valid)
    }
  })
})
