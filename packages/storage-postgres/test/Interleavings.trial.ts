import { EventLog } from "@cairn/core/log"
import { type Act, type LogModel, makeLogModel, randomStory, type Sender, seededRandom } from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { assert, describe, it } from "@effect/vitest"
import { Effect, ManagedRuntime } from "effect"
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest"
import { type CuttingProxy, cuttingProxy } from "./CuttingProxy.ts"
import { accept, cairnOn, drain, makeWorkspace, sharedServer, verifyChain } from "./support.ts"

const PROCESSES = 3
const WORKSPACES = 2
/** Milliseconds for all stories, of which each takes a fraction of a second. */
const TIME = isEndurance() ? 15_000 : 4_000

/** Its connections are ended by the server; the answer to its next commit is lost, with the connection. */
type Fault = "crash" | "lose"

const server = sharedServer()

/** One process of Cairn, on a line of its own. */
interface Process {
  readonly line: CuttingProxy
  runtime: ManagedRuntime.ManagedRuntime<import("effect").Layer.Success<ReturnType<typeof cairnOn>>, unknown>
}

describe("whatever comes in between", () => {
  let url: string
  let direct: Process["runtime"]
  let processes: Array<Process> = []
  beforeAll(async () => {
    url = await server().newDatabase()
    direct = ManagedRuntime.make(cairnOn(url))
    await direct.runPromise(Effect.void)
  })
  afterAll(() => direct.dispose())

  // Each test has processes of its own: a fault may still be in progress when the story that has it is over.
  beforeEach(async () => {
    for (let index = 0; index < PROCESSES; index++) {
      const line = await cuttingProxy(url)
      processes.push({ line, runtime: ManagedRuntime.make(cairnOn(line.url)) })
    }
  })
  afterEach(async () => {
    for (const { runtime, line } of processes) {
      await runtime.dispose()
      await line.close()
    }
    processes = []
  })

  const processAt = (index: number): Process => {
    const found = processes[index]
    if (found === undefined) throw new Error(`there is no process ${index}`)
    return found
  }

  const sender =
    ({ runtime }: Process): Sender =>
    (workspaceId, bodies) =>
      runtime.runPromise(accept(workspaceId, bodies))

  const perform = async (what: Act<Fault>, model: LogModel, workspaces: ReadonlyArray<string>) => {
    const process = processAt(what.process)
    switch (what.kind) {
      case "accept":
        await model.send(sender(process), workspaces[what.workspace] ?? "", what.keys)
        return
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

  const isWaiting = async () => (await server().query(url, "SELECT 1 FROM inbox LIMIT 1")).length > 0

  /** Holds a workspace's log against what its clients know. */
  const check = async (workspaceId: string, model: LogModel) => {
    const log = await direct.runPromise(
      Effect.flatMap(EventLog, (events) => events.entries(workspaceId, 1, 100_000))
    )
    const verification = await direct.runPromise(verifyChain(workspaceId))
    assert.deepInclude(verification, { valid: true, events_checked: log.length })
    model.check(workspaceId, log)
  }

  let made = 0
  const newWorkspaces = async (count: number): Promise<ReadonlyArray<string>> => {
    const ids = Array.from({ length: count }, () => `wsp_${made++}`)
    for (const id of ids) await direct.runPromise(makeWorkspace(id))
    return ids
  }

  it("no event is lost, doubled or out of order, and no chain forks", { timeout: 120_000 }, () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      const until = performance.now() + TIME
      let runs = 0
      const lost = () => processes.reduce((sum, { line }) => sum + line.lost(), 0)
      // A slow machine takes longer for the stories that are to be told.
      for (; performance.now() < until || runs <= 20 || lost() <= 5; runs++) {
        const workspaces = await newWorkspaces(WORKSPACES)
        const model = makeLogModel()
        const options = { processes: PROCESSES, workspaces: WORKSPACES, faults: { crash: 2, lose: 3 } }
        for (const together of randomStory<Fault>(random, options)) {
          await Promise.all(together.map((what) => perform(what, model, workspaces)))
        }
        await direct.runPromise(drain)
        // What a backend that is being ended still holds is left to the next round.
        while (await isWaiting()) await direct.runPromise(drain)
        for (const id of workspaces) await check(id, model)
      }
      assert.deepStrictEqual(await server().query(url, "SELECT * FROM parked"), [])
      assert.deepStrictEqual(await server().query(url, "SELECT * FROM inbox"), [])
    })
  )

  it("one idempotency key that is hammered while its event moves to the log makes one event", async () => {
    const [workspaceId = ""] = await newWorkspaces(1)
    const model = makeLogModel()
    for (let round = 0; round < 15; round++) {
      let isMoving = true
      const hammering = processes.flatMap((process) =>
        Array.from({ length: 3 }, async () => {
          while (isMoving) await model.send(sender(process), workspaceId, [`hammered-${round}`])
        })
      )
      try {
        for (let times = 0; times < 4; times++) await processAt(times % PROCESSES).runtime.runPromise(drain)
      } finally {
        isMoving = false
        await Promise.all(hammering)
      }
    }
    await direct.runPromise(drain)
    await check(workspaceId, model)
    assert.isAbove(model.attempts.length, 15 * PROCESSES)
    const [{ count } = { count: 0 }] = await server().query(
      url,
      "SELECT count(*)::int FROM event e JOIN workspace w ON w.number = e.workspace WHERE w.id = $1",
      [workspaceId]
    )
    assert.strictEqual(count, 15)
  })

  it("batches that claim the same keys in opposite orders wait for each other and never in a circle", async () => {
    const [workspaceId = ""] = await newWorkspaces(1)
    const model = makeLogModel()
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
            model.send(sender(process), workspaceId, orders[(index + turn) % orders.length] ?? [])
          )
        )
      )
    }
    const { attempts } = model
    assert.isTrue(attempts.every(({ outcomes }) => outcomes !== undefined))
    await direct.runPromise(drain)
    await check(workspaceId, model)
    const fresh = attempts.flatMap(({ outcomes }) => outcomes ?? []).filter(({ duplicate }) => !duplicate)
    assert.lengthOf(fresh, 10 * 40)
    assert.strictEqual(await deadlocks(), before)
  })
})
