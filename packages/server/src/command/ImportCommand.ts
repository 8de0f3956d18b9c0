/** `cairn import` */

import { createReadStream, statSync } from "node:fs"
import { createInterface } from "node:readline"
import { Micros, StrictJson } from "@cairn/core/encoding"
import { contentParts, decodeEvent, GeoIp, InvalidInput, MAX_BATCH, refuseAltered } from "@cairn/core/event"
import { Randomness, Sha256, uuid } from "@cairn/core/hashing"
import {
  Acceptance,
  EventLog,
  extendHistory,
  LogClosed,
  legacyEventId,
  type PendingEvent,
  QuotaReached,
  Sequencer
} from "@cairn/core/log"
import type { ManagedWorkspace } from "@cairn/core/workspace"
import { Console, Effect, Option, Result, Stream } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { NetAddress } from "effect/net"
import { layerImport } from "../layers/Commands.ts"
import { CommandFailed } from "./Failure.ts"
import { drawProgress, endProgress } from "./ProgressBar.ts"
import { configuration, findWorkspace, json, print, workspaceFlag } from "./Shared.ts"

const atLine = (number: number | undefined, { faults }: InvalidInput): InvalidInput =>
  new InvalidInput({
    path: `line ${number}`,
    reason: faults
      .map(({ path, reason }) => `${path.replace(/^events\[\d+\]\.?/, "")} ${reason}`.trim())
      .join("; ")
  })

/** One line of the file. */
interface ImportLine {
  readonly body: object
  /** Whether its client's address is no address. The event is imported without it, as over HTTP. */
  readonly hasBadAddress: boolean
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isAddress = (value: unknown): value is string =>
  typeof value === "string" && Result.isSuccess(NetAddress.ipFromString(value))

/** Members of a line that wraps a body. */
const WRAPPER = ["client_ip", "body"]

/** A line that wraps a body, with its client's address as `ip_address`. */
const unwrapped = (line: Readonly<Record<string, unknown>>): Result.Result<ImportLine, string> => {
  const { body, client_ip: address = null } = line
  const unknown = Object.keys(line).find((name) => !WRAPPER.includes(name))
  if (unknown !== undefined) return Result.fail(`${unknown.slice(0, 100)} is not known beside body`)
  if (!isObject(body)) return Result.fail("body must be an object")
  if (address === null || "ip_address" in body) return Result.succeed({ body, hasBadAddress: false })
  return Result.succeed(
    isAddress(address)
      ? { body: { ...body, ip_address: address }, hasBadAddress: false }
      : { body, hasBadAddress: true }
  )
}

/** A line that was read, with its number in the file. */
type NumberedLine = ImportLine & { readonly number: number }

/** Reads one line of the file. */
export const readLine = (line: string, number: number): Result.Result<ImportLine, InvalidInput> => {
  const refuse = (reason: string) => new InvalidInput({ path: `line ${number}`, reason })
  return Result.gen(function* () {
    const { value, altered } = yield* Result.mapError(StrictJson.read(line), ({ detail }) => refuse(detail))
    if (!isObject(value)) return yield* Result.fail(refuse("must be an object"))
    const isWrapper = "body" in value
    const invalid = refuseAltered(altered, [], isWrapper ? ["body"] : [])
    if (invalid !== undefined) return yield* Result.fail(atLine(number, invalid))
    return isWrapper
      ? yield* Result.mapError(unwrapped(value), refuse)
      : { body: value, hasBadAddress: false }
  })
}

/** What became of lines. */
interface Tally {
  readonly lines: number
  readonly queued: number
  readonly duplicates: number
  readonly refused: number
  /** Imported, or there already, without their clients' addresses, which are none. */
  readonly bad_addresses: number
  /** Imported, or there already, without members that are not known. */
  readonly unknown_members: number
}

const NOTHING: Tally = {
  lines: 0,
  queued: 0,
  duplicates: 0,
  refused: 0,
  bad_addresses: 0,
  unknown_members: 0
}

const sum = (one: Tally, other: Tally): Tally => ({
  lines: one.lines + other.lines,
  queued: one.queued + other.queued,
  duplicates: one.duplicates + other.duplicates,
  refused: one.refused + other.refused,
  bad_addresses: one.bad_addresses + other.bad_addresses,
  unknown_members: one.unknown_members + other.unknown_members
})

/** Some lines of the input. */
interface Chunk {
  readonly lines: ReadonlyArray<string>
  /** How many lines there were before these. */
  readonly before: number
  /** How many bytes were read, up to the end of these lines. */
  readonly bytes: number
}

/** The lines of a file or of standard input, in chunks; empty lines are left out and not counted. */
async function* chunksOf(file: string): AsyncGenerator<Chunk> {
  const input = file === "-" ? process.stdin : createReadStream(file)
  let lines: Array<string> = []
  let before = 0
  let bytes = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    bytes += Buffer.byteLength(line) + 1
    if (line.trim() !== "") lines.push(line)
    if (lines.length === MAX_BATCH) {
      yield { lines, before, bytes }
      before += lines.length
      lines = []
    }
  }
  if (lines.length > 0) yield { lines, before, bytes }
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

const complain = (refusal: InvalidInput) => Console.error(`refused ${refusal.message}`)

/** Says which members of a line are left out, in a workspace that takes such events. */
const warn = Effect.fnUntraced(function* ({ body, number }: NumberedLine) {
  const event = decodeEvent(body, [], "warn")
  const warnings = Result.isSuccess(event) ? (event.success.warnings ?? []) : []
  if (warnings.length > 0) yield* Console.error(`left out line ${number}: ${warnings.join("; ")}`)
  return warnings.length > 0
})

/** The bodies of a chunk's good lines, with their line numbers, and how many lines are rejected here. */
const readChunk = Effect.fnUntraced(function* (workspace: ManagedWorkspace, { lines, before }: Chunk) {
  const bodies: Array<NumberedLine> = []
  for (const [index, line] of lines.entries()) {
    const number = before + index + 1
    const body = readLine(line, number)
    if (Result.isFailure(body)) yield* complain(body.failure)
    else bodies.push({ ...body.success, number })
  }
  const warned = workspace.unknown_fields === "warn" ? yield* Effect.forEach(bodies, warn) : []
  const unknownMembers = warned.filter((isWarned) => isWarned).length
  return { bodies, refused: lines.length - bodies.length, unknownMembers }
})

/** Accepts one chunk and sequences it, so that the inbox never fills. */
const acceptChunk = Effect.fnUntraced(function* (workspace: ManagedWorkspace, chunk: Chunk) {
  const { id: workspaceId, unknown_fields: unknownMembers } = workspace
  const context = { workspaceId, clientAddress: null, keysExpireBefore: null, unknownMembers }
  const sequencer = yield* Sequencer
  const { bodies, refused: unreadable, unknownMembers: unknown } = yield* readChunk(workspace, chunk)
  const read = { ...NOTHING, lines: chunk.lines.length, refused: unreadable, unknown_members: unknown }
  if (bodies.length === 0) return read
  const outcomes = yield* (yield* Acceptance).batch(context, { events: bodies.map(({ body }) => body) }).pipe(
    Effect.map(({ outcomes }) => outcomes),
    Effect.catchTag("BatchRefused", ({ items }) => Effect.succeed(items)),
    Effect.tapError((error) => (error._tag === "InboxFull" ? Effect.ignore(sequencer.drain) : Effect.void)),
    Effect.retry({ while: (error) => error._tag === "InboxFull", times: 100 })
  )
  let [queued, duplicates, refused, badAddresses] = [0, 0, 0, 0]
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome instanceof InvalidInput) {
      refused++
      yield* complain(atLine(bodies[index]?.number, outcome))
      continue
    }
    if (outcome instanceof QuotaReached) return yield* outcome
    if (outcome.duplicate) duplicates++
    else queued++
    if (bodies[index]?.hasBadAddress === true) badAddresses++
  }
  yield* sequencer.drain
  return sum(read, { ...NOTHING, queued, duplicates, refused, bad_addresses: badAddresses })
})

/**
 * Puts one chunk before the chain. An event with an idempotency key is brought in once, however often the
 * import runs.
 */
const importHistory = Effect.fnUntraced(function* (workspace: ManagedWorkspace, chunk: Chunk) {
  const { id: workspaceId, unknown_fields: unknownMembers } = workspace
  const log = yield* EventLog
  const sha256 = yield* Sha256
  const random = yield* Randomness
  const geo = yield* GeoIp
  const now = yield* Micros.now
  const { bodies, refused: unreadable, unknownMembers: unknown } = yield* readChunk(workspace, chunk)
  const events: Array<PendingEvent> = []
  let [duplicates, refused, badAddresses] = [0, unreadable, 0]
  for (const { body, number, hasBadAddress } of bodies) {
    const valid = decodeEvent(body, [], unknownMembers)
    if (Result.isFailure(valid)) {
      refused++
      yield* complain(atLine(number, valid.failure))
      continue
    }
    if (hasBadAddress) badAddresses++
    const { idempotency_key: key, ip_address: address } = valid.success.input
    const id = key ? legacyEventId(sha256, workspaceId, key) : uuid(random)
    if (events.some((event) => event.id === id) || (key && Option.isSome(yield* log.get(workspaceId, id)))) {
      duplicates++
      continue
    }
    const content = contentParts(valid.success, now)
    events.push({ id, idempotencyKey: key ?? null, clientAddress: address ?? null, content })
  }
  if (events.length > 0) {
    const context = { workspaceId, sha256, random, lookup: geo.lookup, now }
    yield* log.importLegacy(workspaceId, (head) =>
      extendHistory(context, head, [{ inboxId: 0, acceptedAt: now, events }])
    )
  }
  const [lines, queued] = [chunk.lines.length, events.length]
  return { lines, queued, duplicates, refused, bad_addresses: badAddresses, unknown_members: unknown }
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
      Flag.withDescription("Import history from before the chain: legacy events without hashes"),
      Flag.withDefault(false)
    ),
    json
  },
  Effect.fn(function* (flags) {
    const settings = yield* configuration
    const size = yield* sizeOf(flags.file)
    const tally = yield* Effect.gen(function* () {
      const workspace = yield* findWorkspace(Option.getOrUndefined(flags.workspace))
      if (workspace.closed_at !== null) return yield* new LogClosed({ closedAt: workspace.closed_at })
      const take = Effect.fnUntraced(function* (chunk: Chunk) {
        return flags.unchained ? yield* importHistory(workspace, chunk) : yield* acceptChunk(workspace, chunk)
      })
      return yield* Stream.fromAsyncIterable(
        chunksOf(flags.file),
        (cause) => new CommandFailed({ message: `cannot read ${flags.file}: ${cause}` })
      ).pipe(
        Stream.runFoldEffect(
          () => NOTHING,
          (before, chunk) =>
            Effect.map(take(chunk), (taken) => {
              const tally = sum(before, taken)
              drawProgress(chunk.bytes, size, `${tally.lines} events`)
              return tally
            })
        )
      )
    }).pipe(
      Effect.provide(layerImport(settings)),
      Effect.catchTag("ChainStarted", ({ sequence }) =>
        Effect.fail(
          new CommandFailed({
            message: `the chain already has ${sequence} events, so nothing can come before it; import without --unchained`
          })
        )
      )
    )
    endProgress()
    const { queued, duplicates, refused, bad_addresses: bad, unknown_members: unknown } = tally
    const without =
      (bad === 0 ? "" : `; ${bad} without client_ip, because it is not an IP address`) +
      (unknown === 0 ? "" : `; ${unknown} without their unknown members`)
    yield* print(
      flags.json,
      tally,
      `${queued} imported, ${duplicates} already there, ${refused} refused${without}`
    )
    if (refused > 0)
      return yield* new CommandFailed({ message: `${refused} of ${tally.lines} lines were refused` })
  })
).pipe(
  Command.withExamples([{ command: "cairn import -w Acme events.jsonl" }]),
  Command.withDescription(
    "Import events from a file. Events with an idempotency key are imported once, so an interrupted import can be run again"
  )
)
