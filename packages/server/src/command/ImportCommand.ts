/** `cairn import` */

import { createReadStream, statSync } from "node:fs"
import { createInterface } from "node:readline"
import { Micros, StrictJson } from "@cairn/core/encoding"
import { contentParts, decodeEvent, GeoIp, InvalidInput, MAX_BATCH } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  Acceptance,
  EventLog,
  extendHistory,
  legacyEventId,
  type PendingEvent,
  QuotaReached,
  Sequencer
} from "@cairn/core/log"
import { Console, Effect, Layer, Option, Result, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { layerAccepting } from "../layers/Accepting.ts"
import { layerLog } from "../layers/Log.ts"
import { drawProgress, endProgress } from "./ProgressBar.ts"
import { CommandFailed, configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

/** One line of the file, as a body with its client's address as `ip_address`. */
export const readLine = (line: string, number: number): Result.Result<object, InvalidInput> => {
  const refuse = (reason: string) => Result.fail(new InvalidInput({ path: `line ${number}`, reason }))
  let value: unknown
  try {
    value = StrictJson.parseText(line)
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error))
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse("must be an object")
  if (!("body" in value)) return Result.succeed(value)
  const { body } = value
  if (typeof body !== "object" || body === null || Array.isArray(body))
    return refuse("body must be an object")
  const address = "client_ip" in value ? value.client_ip : null
  return Result.succeed(address === null || "ip_address" in body ? body : { ...body, ip_address: address })
}

/** What became of the lines so far. */
interface Tally {
  lines: number
  queued: number
  duplicates: number
  refused: number
}

/** The lines of a file or of standard input, in helpings. */
async function* helpings(
  file: string
): AsyncGenerator<{ readonly lines: ReadonlyArray<string>; readonly bytes: number }> {
  const input = file === "-" ? process.stdin : createReadStream(file)
  let lines: Array<string> = []
  let bytes = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    bytes += Buffer.byteLength(line) + 1
    if (line.trim() !== "") lines.push(line)
    if (lines.length === MAX_BATCH) {
      yield { lines, bytes }
      lines = []
    }
  }
  if (lines.length > 0) yield { lines, bytes }
}

const sizeOf = (file: string): Effect.Effect<number, CommandFailed> =>
  file === "-"
    ? Effect.succeed(0)
    : Effect.try({
        try: () => statSync(file).size,
        catch: (cause) =>
          new CommandFailed({
            message: `cannot read ${file}: ${cause instanceof Error ? cause.message : cause}`
          })
      })

const complain = (tally: Tally, refusal: InvalidInput) => {
  tally.refused++
  return Console.error(`refused ${refusal.message}`)
}

/** The bodies of a helping's good lines, with their line numbers; the others are refused here. */
const readHelping = Effect.fnUntraced(function* (lines: ReadonlyArray<string>, tally: Tally) {
  const bodies: Array<{ readonly body: object; readonly number: number }> = []
  for (const line of lines) {
    const number = ++tally.lines
    const body = readLine(line, number)
    if (Result.isFailure(body)) yield* complain(tally, body.failure)
    else bodies.push({ body: body.success, number })
  }
  return bodies
})

const atLine = (number: number | undefined, { path, reason }: InvalidInput): InvalidInput =>
  new InvalidInput({
    path: `line ${number}`,
    reason: `${path.replace(/^events\[\d+\]\.?/, "")} ${reason}`.trim()
  })

/** Accepts one helping and sequences it, so that the inbox never fills. */
const acceptHelping = Effect.fnUntraced(function* (
  workspaceId: string,
  lines: ReadonlyArray<string>,
  tally: Tally
) {
  const context = { workspaceId, clientAddress: null, keysExpireBefore: null }
  const sequencer = yield* Sequencer
  const bodies = yield* readHelping(lines, tally)
  if (bodies.length === 0) return
  const outcomes = yield* (yield* Acceptance).batch(context, { events: bodies.map(({ body }) => body) }).pipe(
    Effect.catchTag("BatchRefused", ({ items }) => Effect.succeed(items)),
    Effect.tapError((error) => (error._tag === "InboxFull" ? Effect.ignore(sequencer.drain) : Effect.void)),
    Effect.retry({ while: (error) => error._tag === "InboxFull", times: 100 })
  )
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof InvalidInput) yield* complain(tally, atLine(bodies[index]?.number, outcome))
    else if (outcome instanceof QuotaReached) return yield* outcome
    else if (outcome.duplicate) tally.duplicates++
    else tally.queued++
  }
  yield* sequencer.drain
})

/** Puts one helping before the chain. An event with an idempotency key is brought in once, however often the import runs. */
const importHistory = Effect.fnUntraced(function* (
  workspaceId: string,
  lines: ReadonlyArray<string>,
  tally: Tally
) {
  const log = yield* EventLog
  const sha256 = yield* Sha256
  const random = yield* Randomness
  const geo = yield* GeoIp
  const now = yield* Micros.now
  const events: Array<PendingEvent> = []
  for (const { body, number } of yield* readHelping(lines, tally)) {
    const valid = decodeEvent(body)
    if (Result.isFailure(valid)) {
      yield* complain(tally, atLine(number, valid.failure))
      continue
    }
    const { idempotency_key: key, ip_address: address } = valid.success.input
    const id = key ? legacyEventId(sha256, workspaceId, key) : uuid(random)
    if (events.some((event) => event.id === id) || (key && Option.isSome(yield* log.get(workspaceId, id)))) {
      tally.duplicates++
      continue
    }
    const content = contentParts(valid.success, now)
    events.push({ id, idempotencyKey: key ?? null, clientAddress: address ?? null, content })
  }
  if (events.length === 0) return
  const context = { workspaceId, sha256, random, lookup: geo.lookup, now }
  yield* log.importLegacy(workspaceId, (head) =>
    extendHistory(context, head, [{ inboxId: 0, acceptedAt: now, events }])
  )
  tally.queued += events.length
})

/** `cairn import` */
export const importCommand = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription(
        'JSON Lines: an event body, or {"client_ip", "body"}, a line; - for standard input'
      )
    ),
    workspace: workspaceFlag,
    unchained: Flag.Boolean("unchained").pipe(
      Flag.withDescription("Bring in history from before the chain: legacy events without hashes"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const size = yield* sizeOf(flags.file)
    const tally: Tally = { lines: 0, queued: 0, duplicates: 0, refused: 0 }
    yield* Effect.gen(function* () {
      const { id } = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      const take = Effect.fnUntraced(function* (lines: ReadonlyArray<string>) {
        if (flags.unchained) yield* importHistory(id, lines, tally)
        else yield* acceptHelping(id, lines, tally)
      })
      yield* Stream.fromAsyncIterable(
        helpings(flags.file),
        (cause) => new CommandFailed({ message: `cannot read ${flags.file}: ${cause}` })
      ).pipe(
        Stream.runForEach(({ lines, bytes }) =>
          Effect.andThen(
            take(lines),
            Effect.sync(() => drawProgress(bytes, size, `${tally.lines} events`))
          )
        )
      )
    }).pipe(
      Effect.provide(Layer.merge(layerAccepting(settings), layerLog(settings))),
      Effect.catchTag("ChainStarted", ({ sequence }) =>
        Effect.fail(
          new CommandFailed({
            message: `the chain already has ${sequence} events, so nothing can come before it; import without --unchained`
          })
        )
      )
    )
    endProgress()
    const { queued, duplicates, refused } = tally
    yield* print(flags.json, tally, `${queued} imported, ${duplicates} already there, ${refused} refused`)
    if (refused > 0)
      return yield* new CommandFailed({ message: `${refused} of ${tally.lines} lines were refused` })
  })
).pipe(
  Command.withDescription(
    "Import events from a file. Events with an idempotency key are imported once, so an import that was cut off can be run again"
  )
)
