/** Processes of Cairn over a database that changes under them. */
import { CheckpointSigner, LogCheckpoints, LogTree } from "@cairn/core/checkpoint"
import type { Ed25519SignerShape } from "@cairn/core/hashing"
import { Continuity, EventLog } from "@cairn/core/log"
import type { TestDatabases } from "@cairn/testing/EmbeddedPostgres"
import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Logger, Schedule, Scope } from "effect"
import { afterAll } from "vitest"
import type { SeenConfig } from "../src/SeenHeads.ts"
import { accept, cairnOn, drain } from "./support.ts"

/** A signer whose signature is no signature: what is signed is of interest, not by whom. */
const signer: Ed25519SignerShape = { publicKey: new Uint8Array(32), sign: () => new Uint8Array(64) }
const signing = Layer.mock(CheckpointSigner)({
  current: Effect.succeed([{ number: 1, name: "cairn/test", signer }])
})

const layerOn = (url: string, seen?: SeenConfig) =>
  LogCheckpoints.layer.pipe(
    Layer.provide(signing),
    Layer.provideMerge(LogTree.layer),
    Layer.provideMerge(cairnOn(url, seen))
  )

/** What a process has. */
export type Services = Layer.Success<ReturnType<typeof layerOn>>

/** What is done to a process or a server after the file's tests, the last first. */
export const atEnd = (): Array<() => Promise<unknown>> => {
  const open: Array<() => Promise<unknown>> = []
  afterAll(async () => {
    for (const close of open.reverse()) await close()
  })
  return open
}

/** A process of Cairn on a URL, until it is stopped or the tests end, with what it writes into its log. */
export const makeProcesses =
  (open: Array<() => Promise<unknown>>) => async (url: string, seen?: SeenConfig) => {
    const lines: Array<string> = []
    const scope = await Effect.runPromise(Scope.make())
    const stop = () => Effect.runPromise(Scope.close(scope, Exit.void))
    open.push(stop)
    const logger = Logger.layer([Logger.map(Logger.formatJson, (line) => void lines.push(line))])
    const layer = layerOn(url, seen).pipe(Layer.provideMerge(logger))
    const context = await Effect.runPromise(Layer.buildWithScope(layer, scope))
    const run = <A, E>(effect: Effect.Effect<A, E, Services>): Promise<Exit.Exit<A, E>> =>
      Effect.runPromiseExit(Effect.provide(Effect.provide(effect, context), logger))
    return { run, lines, stop, continuity: Context.getUnsafe(context, Continuity) }
  }
export type CairnProcess = Awaited<ReturnType<ReturnType<typeof makeProcesses>>>

const textOf = (error: unknown): string => {
  const seen: Array<string> = []
  for (let at: unknown = error; at instanceof Error || (typeof at === "object" && at !== null); ) {
    seen.push(at instanceof Error ? at.message : "", "reason" in at ? textOf(at.reason) : "")
    at = "cause" in at ? at.cause : undefined
  }
  return seen.join(" ")
}

/** Connections that were cut are made again, which may take more than one attempt. */
export const patient = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, {
    schedule: Schedule.spaced("100 millis"),
    times: 300,
    while: (error) =>
      !/behind|older|lacks|recover|LogNotAsSigned/.test(
        JSON.stringify(error, Object.getOwnPropertyNames(error)) + textOf(error)
      )
  })

/** Appends so many events to a log; returns how many were appended. */
export const append = (workspaceId: string, count: number) =>
  Effect.gen(function* () {
    // What is sent again after a connection was cut is the same.
    const key = crypto.randomUUID()
    const bodies = Array.from({ length: count }, (_, index) => ({
      actor_id: "a",
      action: "time.passed",
      idempotency_key: `${key} ${index}`
    }))
    yield* patient(accept(workspaceId, bodies))
    return yield* patient(drain)
  })

/** How many events a log has. */
export const length = (workspaceId: string) =>
  Effect.map(
    Effect.flatMap(EventLog, ({ head }) => patient(head(workspaceId))),
    ({ sequence }) => sequence
  )

/** What an effect returns. */
export const ok = async <A, E>(exit: Promise<Exit.Exit<A, E>>): Promise<A> => {
  const result = await exit
  if (Exit.isFailure(result)) throw new Error(JSON.stringify(result.cause, null, 1))
  return result.value
}

/** Looks, until somebody answers: why nothing is written, or nothing. */
export const look = async ({ run, continuity }: CairnProcess): Promise<string | undefined> => {
  const check = Effect.retry(continuity.check, {
    schedule: Schedule.spaced("100 millis"),
    times: 300,
    while: ({ _tag }) => _tag === "StorageUnavailable"
  })
  const exit = await run(Effect.flip(check))
  if (Exit.isFailure(exit)) return undefined
  assert.strictEqual(exit.value._tag, "StoreBehind")
  return exit.value.message
}

/** A database that is put back to what it was, under whoever is connected to it. */
export const restorable = async (server: TestDatabases) => {
  const url = await server.newDatabase()
  const name = new URL(url).pathname.slice(1)
  const root = url.replace(`/${name}`, "/postgres")
  /** Nobody may be connected to a database that is copied or renamed. */
  const alone = async (statement: string) => {
    for (;;) {
      await server.query(
        root,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE '${name}%'`
      )
      const done = await server.query(root, statement).then(
        () => true,
        () => false
      )
      if (done) return
    }
  }
  let copies = 0
  return {
    url,
    /** Makes a copy of it as it is now; returns what puts that in its place, as often as one likes. */
    copy: async () => {
      const copy = `${name}_copy_${copies++}`
      await alone(`CREATE DATABASE ${copy} TEMPLATE ${name}`)
      return async () => {
        await alone(`ALTER DATABASE ${name} RENAME TO ${name}_gone_${copies++}`)
        await alone(`CREATE DATABASE ${name} TEMPLATE ${copy}`)
      }
    }
  }
}
