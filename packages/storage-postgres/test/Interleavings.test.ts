import { EventLog, InvalidInput, QuotaReached } from "@cairn/core"
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import fc from "fast-check"
import { afterAll, beforeAll } from "vitest"
import { type CuttingProxy, cuttingProxy } from "./CuttingProxy.ts"
import { accept, cairnOn, drain, makeWorkspace, postgresServer, verifyChain } from "./support.ts"

const PROCESSES = 3
const WORKSPACES = 2
/** Milliseconds for the property, of which each run takes a fraction of a second. */
const TIME = 15_000

/** What happens to one of the processes. */
type Step =
  | { readonly kind: "accept"; readonly workspace: number; readonly keys: ReadonlyArray<number | null> }
  | { readonly kind: "sequence" }
  /** Its connections are ended by the server. */
  | { readonly kind: "crash" }
  /** The answer to its next commit is lost, with the connection. */
  | { readonly kind: "lose" }
  | { readonly kind: "restart" }

type Act = Step & { readonly process: number }

const key = fc.option(fc.nat({ max: 5 }), { freq: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("accept" as const),
      workspace: fc.nat({ max: WORKSPACES - 1 }),
      keys: fc.array(key, { minLength: 1, maxLength: 5 })
    })
  },
  { weight: 4, arbitrary: fc.constant({ kind: "sequence" as const }) },
  { weight: 2, arbitrary: fc.constant({ kind: "crash" as const }) },
  { weight: 3, arbitrary: fc.constant({ kind: "lose" as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: "restart" as const }) }
)
const act: fc.Arbitrary<Act> = fc
  .tuple(step, fc.nat({ max: PROCESSES - 1 }))
  .map(([what, process]) => ({ ...what, process }))
/** Acts that happen at the same time, and then the next ones. */
const story = fc.array(fc.array(act, { minLength: 1, maxLength: 4 }), { minLength: 3, maxLength: 10 })

/** A request as its client knows it. */
interface Attempt {
  readonly workspaceId: string
  /** A text of its own for each event. */
  readonly marks: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string | null>
  readonly begun: number
  /** What was answered; nothing when the answer was lost. */
  outcomes?: ReadonlyArray<{ readonly id: string; readonly duplicate: boolean }>
  ended?: number
}

const server = postgresServer({ settings: { max_connections: "200" } })

/** One process of Cairn, on a line of its own. */
interface Process {
  readonly line: CuttingProxy
  runtime: ManagedRuntime.ManagedRuntime<import("effect").Layer.Success<ReturnType<typeof cairnOn>>, unknown>
}

describe("whatever comes in between", () => {
  let url: string
  let direct: Process["runtime"]
  const processes: Array<Process> = []
  beforeAll(async () => {
    url = await server().newDatabase()
    direct = ManagedRuntime.make(cairnOn(url))
    await direct.runPromise(Effect.void)
    for (let index = 0; index < PROCESSES; index++) {
      const line = await cuttingProxy(url)
      processes.push({ line, runtime: ManagedRuntime.make(cairnOn(line.url)) })
    }
  })
  afterAll(async () => {
    for (const { runtime, line } of processes) {
      await runtime.dispose()
      await line.close()
    }
    await direct.dispose()
  })

  const processAt = (index: number): Process => {
    const found = processes[index]
    if (found === undefined) throw new Error(`there is no process ${index}`)
    return found
  }

  let marks = 0
  const send = async (
    { runtime }: Process,
    attempts: Array<Attempt>,
    workspaceId: string,
    keys: ReadonlyArray<string | null>
  ): Promise<Attempt> => {
    const attempt: Attempt = {
      workspaceId,
      marks: keys.map(() => `mark-${marks++}`),
      keys,
      begun: performance.now()
    }
    attempts.push(attempt)
    const bodies = keys.map((idempotency_key, index) => ({
      actor_id: "a",
      action: "story.told",
      session_id: attempt.marks[index],
      ...(idempotency_key === null ? {} : { idempotency_key })
    }))
    const outcomes = await runtime.runPromise(accept(workspaceId, bodies)).catch(() => undefined)
    if (outcomes !== undefined) {
      attempt.outcomes = outcomes.map((outcome) => {
        if (outcome instanceof InvalidInput || outcome instanceof QuotaReached) throw outcome
        return outcome
      })
      attempt.ended = performance.now()
    }
    return attempt
  }

  const perform = async (what: Act, attempts: Array<Attempt>, workspaces: ReadonlyArray<string>) => {
    const process = processAt(what.process)
    switch (what.kind) {
      case "accept": {
        const keys = what.keys.map((number) => (number === null ? null : `key-${number}`))
        await send(process, attempts, workspaces[what.workspace] ?? "", keys)
        return
      }
      case "sequence":
        // A crash fails it, and a restart interrupts it.
        await process.runtime.runPromise(drain).catch(() => undefined)
        return
      case "crash":
        await server().query(
          url,
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE client_port = ANY ($1::int[])",
          [process.line.ports()]
        )
        return
      case "lose":
        process.line.loseNextCommit()
        return
      case "restart": {
        const { runtime } = process
        process.runtime = ManagedRuntime.make(cairnOn(process.line.url))
        await runtime.dispose()
      }
    }
  }

  /** Holds a workspace's log against what its clients know. */
  const check = async (workspaceId: string, attempts: ReadonlyArray<Attempt>) => {
    const log = await direct.runPromise(
      Effect.flatMap(EventLog, (events) => events.scan(workspaceId, 1, 100_000))
    )
    const verification = await direct.runPromise(verifyChain(workspaceId))
    assert.deepInclude(verification, { valid: true, events_checked: log.length })
    assert.deepStrictEqual(
      log.map(({ sequence }) => sequence),
      log.map((_, index) => index + 1)
    )
    const byMark = new Map(log.map((event) => [event.columns.sessionId ?? "", event]))
    assert.strictEqual(byMark.size, log.length, "no event is there twice")
    const holders = new Map<string, string>()
    for (const { content, id } of log) {
      const { idempotency_key: held } = JSON.parse(content ?? "{}")
      if (held === null) continue
      assert.isFalse(holders.has(held), `two events have ${held}`)
      holders.set(held, id)
    }
    for (const { marks: sent, keys, outcomes } of attempts) {
      const arrived = sent.map((mark) => byMark.get(mark))
      if (outcomes === undefined) {
        // Nobody knows whether it was accepted, but it was as a whole or not at all.
        const alone = arrived.filter((_, index) => keys[index] === null)
        assert.isTrue(
          alone.every((event) => event === undefined) || alone.every((event) => event !== undefined),
          "half of a request arrived"
        )
        continue
      }
      for (const [index, { id, duplicate }] of outcomes.entries()) {
        const held = keys[index] ?? null
        assert.strictEqual(arrived[index]?.id, duplicate ? undefined : id)
        if (held !== null) assert.strictEqual(holders.get(held), id, `${held} is the event that was answered`)
      }
    }
    // What was acknowledged before another request was sent comes before it.
    const placed = attempts
      .map(({ begun, ended, marks: sent }) => {
        const sequences = sent.flatMap((mark) => byMark.get(mark)?.sequence ?? [])
        return { begun, ended, first: Math.min(...sequences), last: Math.max(...sequences) }
      })
      .filter(({ first }) => Number.isFinite(first))
    for (const before of placed) {
      for (const after of placed) {
        if (before.ended !== undefined && before.ended < after.begun) {
          assert.isBelow(before.last, after.first, "events are in the order in which they were accepted")
        }
      }
    }
  }

  const newWorkspaces = async (count: number): Promise<ReadonlyArray<string>> => {
    const ids = Array.from({ length: count }, () => `wsp_${marks++}`)
    for (const id of ids) await direct.runPromise(makeWorkspace(id))
    return ids
  }

  it("no event is lost, doubled or out of order, and no chain forks", { timeout: 4 * TIME }, async () => {
    let runs = 0
    const until = performance.now() + TIME
    await fc.assert(
      fc.asyncProperty(story, async (acts) => {
        if (performance.now() > until) return
        runs++
        const workspaces = await newWorkspaces(WORKSPACES)
        const attempts: Array<Attempt> = []
        for (const together of acts) {
          await Promise.all(together.map((what) => perform(what, attempts, workspaces)))
        }
        await direct.runPromise(drain)
        for (const id of workspaces) {
          await check(
            id,
            attempts.filter(({ workspaceId }) => workspaceId === id)
          )
        }
      }),
      // Shrinking would replay crashes at other moments: what fails is seen as it was.
      { seed: 20, numRuns: 1_000, endOnFailure: true }
    )
    assert.isAbove(runs, 5)
    assert.isAbove(
      processes.reduce((sum, { line }) => sum + line.lost(), 0),
      5,
      "answers were lost"
    )
    assert.deepStrictEqual(await server().query(url, "SELECT * FROM parked"), [])
    assert.deepStrictEqual(await server().query(url, "SELECT * FROM inbox"), [])
  })

  it("one idempotency key that is hammered while its event moves to the log makes one event", async () => {
    const [workspaceId = ""] = await newWorkspaces(1)
    const attempts: Array<Attempt> = []
    for (let round = 0; round < 15; round++) {
      let isMoving = true
      const hammering = processes.flatMap((process) =>
        Array.from({ length: 3 }, async () => {
          while (isMoving) await send(process, attempts, workspaceId, [`hammered-${round}`])
        })
      )
      for (let times = 0; times < 4; times++) await processAt(times % PROCESSES).runtime.runPromise(drain)
      isMoving = false
      await Promise.all(hammering)
    }
    await direct.runPromise(drain)
    await check(workspaceId, attempts)
    assert.isAbove(attempts.length, 15 * PROCESSES)
    const [{ count } = { count: 0 }] = await server().query(
      url,
      "SELECT count(*)::int FROM event e JOIN workspace w ON w.number = e.workspace WHERE w.id = $1",
      [workspaceId]
    )
    assert.strictEqual(count, 15)
  })

  it("batches that claim the same keys in opposite orders wait for each other and never in a circle", async () => {
    const [workspaceId = ""] = await newWorkspaces(1)
    const attempts: Array<Attempt> = []
    const deadlocks = async () => {
      const [row] = await server().query(
        url,
        "SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()"
      )
      return row?.deadlocks
    }
    const before = await deadlocks()
    for (let round = 0; round < 10; round++) {
      const keys = Array.from({ length: 40 }, (_, index) => `opposite-${round}-${index}`)
      const orders = [keys, keys.toReversed(), [...keys.slice(20), ...keys.slice(0, 20)]]
      await Promise.all(
        processes.flatMap((process, index) =>
          orders.map((_, turn) =>
            send(process, attempts, workspaceId, orders[(index + turn) % orders.length] ?? [])
          )
        )
      )
    }
    assert.isTrue(attempts.every(({ outcomes }) => outcomes !== undefined))
    await direct.runPromise(drain)
    await check(workspaceId, attempts)
    const fresh = attempts.flatMap(({ outcomes }) => outcomes ?? []).filter(({ duplicate }) => !duplicate)
    assert.lengthOf(fresh, 10 * 40)
    assert.strictEqual(await deadlocks(), before)
  })
})
