import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { GeoIp } from "@cairn/core/event"
import { Randomness, Sha256 } from "@cairn/core/hashing"
import { Acceptance, ClockGuard, EventLog, Sequencer } from "@cairn/core/log"
import { ChainVerifier } from "@cairn/core/verification"
import { SqliteStorage, siblingFile } from "@cairn/storage-sqlite"
import {
  type Act,
  type LogModel,
  makeLogModel,
  newWorkspace,
  randomStory,
  type SeededRandom,
  type Sender,
  seededRandom,
  sequence
} from "@cairn/testing"
import { isEndurance, seededTrial } from "@cairn/testing/SeededTrial"
import { quickFolder } from "@cairn/testing/TestFolders"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import { type Connections, connections, type Fault, faults } from "./FaultyConnections.ts"

const PROCESSES = 3
const WORKSPACES = 3
/** Milliseconds for all stories, of which each takes a fraction of a second. */
const TIME = isEndurance() ? 10_000 : 4_000

const folder = quickFolder("cairn-interleavings-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const filename = join(folder, "cairn.db")

/** The core's use cases over the files: what one process of Cairn is. */
const cairn = Layer.mergeAll(Acceptance.layer, Sequencer.layer, ChainVerifier.layer).pipe(
  Layer.provide(GeoIp.layerNowhere),
  Layer.provideMerge(ClockGuard.layer),
  Layer.provideMerge(Layer.mergeAll(SqliteStorage.layer({ filename }), Sha256.layer, Randomness.layer))
)

interface Process {
  readonly runtime: ManagedRuntime.ManagedRuntime<Layer.Success<typeof cairn>, unknown>
  readonly connections: Connections
}

const start = async (): Promise<Process> => {
  const own = connections()
  const runtime = ManagedRuntime.make(cairn)
  await own.open(() => runtime.runPromise(Effect.void))
  return { runtime, connections: own }
}

const sender =
  ({ runtime }: Process): Sender =>
  (workspaceId, bodies) =>
    runtime.runPromise(
      Effect.flatMap(Acceptance, ({ batch }) =>
        Effect.map(
          batch({ workspaceId, clientAddress: null, keysExpireBefore: null }, { events: bodies }),
          ({ outcomes }) => outcomes
        )
      )
    )

describe("whatever comes in between", () => {
  const direct = ManagedRuntime.make(cairn)
  const processes: Array<Process> = []
  beforeAll(async () => {
    await direct.runPromise(Effect.void)
    for (let index = 0; index < PROCESSES; index++) processes.push(await start())
  })
  afterAll(async () => {
    for (const { runtime } of processes) await runtime.dispose()
    await direct.dispose()
  })

  const processAt = (index: number): Process => {
    const found = processes[index]
    if (found === undefined) throw new Error(`there is no process ${index}`)
    return found
  }

  const restart = async (index: number) => {
    const { runtime } = processAt(index)
    processes[index] = await start()
    await runtime.dispose()
  }

  const perform = async (
    what: Act<Fault>,
    random: SeededRandom,
    model: LogModel,
    workspaces: ReadonlyArray<string>
  ) => {
    const process = processAt(what.process)
    switch (what.kind) {
      case "accept":
        return model.send(sender(process), workspaces[what.workspace] ?? "", what.keys)
      case "sequence":
        // A crash fails it, and a restart interrupts it.
        return process.runtime.runPromise(sequence).catch(() => undefined)
      case "restart":
        return restart(what.process)
      default:
        // An append is two commits, in two files: each of them must be able to go wrong.
        return process.connections.arm(what.kind, random.below(3), random.chance(1 / 2))
    }
  }

  /** Holds a workspace's log against what its clients know. */
  const check = async (workspaceId: string, model: LogModel) => {
    const [log, verification] = await direct.runPromise(
      Effect.all([
        Effect.flatMap(EventLog, ({ entries }) => entries(workspaceId, 1, 100_000)),
        Effect.flatMap(ChainVerifier, ({ verify }) => verify({ workspaceId, limit: 1_000_000 }))
      ])
    )
    assert.deepInclude(verification, { valid: true, events_checked: log.length })
    model.check(workspaceId, log)
  }

  it("no event is lost, doubled or out of order, and no chain forks", { timeout: 120_000 }, () =>
    seededTrial(import.meta.url, async (seed) => {
      const random = seededRandom(seed)
      const until = performance.now() + TIME
      let runs = 0
      let crashes = 0
      let lost = 0
      let duplicates = 0
      const told = () => ({ runs, crashes, lost, duplicates, faults: faults() })
      // A slow machine takes longer for the stories that are to be told.
      for (; performance.now() < until || Object.values(told()).some((times) => times <= 5); runs++) {
        const workspaces: Array<string> = []
        while (workspaces.length < WORKSPACES) workspaces.push(await direct.runPromise(newWorkspace))
        const model = makeLogModel()
        const options = {
          processes: PROCESSES,
          workspaces: WORKSPACES,
          faults: { crash: 3, lose: 2, refuse: 1 }
        }
        for (const together of randomStory<Fault>(random, options)) {
          await Promise.all(together.map((what) => perform(what, random, model, workspaces)))
          for (const [index, { connections: own }] of processes.entries()) {
            if (!own.isGone()) continue
            crashes++
            await restart(index)
          }
        }
        await direct.runPromise(sequence)
        for (const id of workspaces) await check(id, model)
        lost += model.attempts.filter(({ outcomes }) => outcomes === undefined).length
        duplicates += model.attempts
          .flatMap(({ outcomes }) => outcomes ?? [])
          .filter(({ duplicate }) => duplicate).length
      }
      const inbox = new DatabaseSync(siblingFile(filename, "inbox"), { readOnly: true })
      const left = inbox
        .prepare(
          "SELECT (SELECT count(*) FROM parked) parked, (SELECT count(*) FROM inbox) inbox, (SELECT waiting FROM state) waiting"
        )
        .get()
      inbox.close()
      assert.deepStrictEqual({ ...left }, { parked: 0, inbox: 0, waiting: 0 })
    })
  )
})
