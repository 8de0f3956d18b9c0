/** Reading the arguments of an `AuditLog`: events, filters and names of logs, as plain values. */
import { Result, Schema } from "effect"
import { auditLogError, InvalidArgument } from "./AuditLogErrors.ts"
import * as Micros from "./encoding/Micros.ts"
import { nearestName } from "./encoding/NearestName.ts"
import { CONDITIONS, type EventFilter, MAX_CONDITION_VALUES, type OneOrSeveral } from "./event/EventFilter.ts"
import { EventInput, type TargetInput } from "./event/EventInput.ts"
import { EVENT_TIMES, EventTime } from "./event/EventTime.ts"
import { InvalidInput, jsonPath } from "./event/InvalidInput.ts"
import { knownMembers, unknownName } from "./event/KnownMembers.ts"

/** Any JSON object, also one whose type is an interface; a list or a `Map` is none. */
export type AuditMetadata =
  | Readonly<Record<string, unknown>>
  | (object & { readonly [Symbol.iterator]?: never })

/** Something else that an action touched. */
export interface AuditEventTarget {
  /** The type of thing: `document`. */
  readonly type: string
  readonly id?: string | null | undefined
  readonly name?: string | null | undefined
  /** Any JSON object. */
  readonly metadata?: AuditMetadata | null | undefined
}

/**
 * An event to record: who did what to what. `null` and `undefined` count as omitted; dates may be `Date`
 * objects, also in metadata. An unknown field, or one beyond its limit, is rejected with its path.
 */
export interface AuditEvent {
  /** Who acted: your own id, not empty, at most 256 characters. */
  readonly actor_id: string
  /** The actor's name as people know it. */
  readonly actor_name?: string | null | undefined
  /** Usually `user`, `system` or `api_client`. */
  readonly actor_type?: string | null | undefined
  /**
   * What was done, usually `resource.verb`: `project.renamed`. The prefix `cairn.` is reserved for the log
   * itself.
   */
  readonly action: string
  readonly action_category?: string | null | undefined
  /** The type of thing that was acted on: `project`. */
  readonly resource?: string | null | undefined
  readonly resource_id?: string | null | undefined
  readonly resource_name?: string | null | undefined
  /** Any JSON object: at most 64 KiB, and 32 levels. */
  readonly metadata?: AuditMetadata | null | undefined
  /** What else the action touched; at most 100. */
  readonly targets?: ReadonlyArray<AuditEventTarget> | null | undefined
  /** When it happened, if that is not now: a `Date` or ISO 8601. */
  readonly occurred_at?: Date | string | null | undefined
  readonly session_id?: string | null | undefined
  /** Your own tenant within this log; for separate logs see `AuditLog.of`. */
  readonly tenant_id?: string | null | undefined
  /**
   * A second event with the same key is not recorded: the call returns the id of the first one. The prefix
   * `cairn.` is reserved for the log itself.
   */
  readonly idempotency_key?: string | null | undefined
  /** The version of your own event format. */
  readonly version?: number | null | undefined
  /** The address of the actor. Without a geolocation database that knows it, it is dropped. */
  readonly ip_address?: string | null | undefined
}

/** One value of a condition, or up to 20. */
type Wanted = string | ReadonlyArray<string>

/**
 * Which events to read. All conditions must hold, each by any of its values; an absent one is met by every
 * event.
 */
export interface AuditEventFilter {
  /** An action, `project.*` for all that begin with `project.`, or `*.deleted` for all that end so. */
  readonly action?: Wanted | undefined
  /** The action's category. */
  readonly category?: Wanted | undefined
  readonly actor_id?: Wanted | undefined
  /** The resource's type. */
  readonly resource?: Wanted | undefined
  readonly resource_id?: Wanted | undefined
  readonly resource_name?: Wanted | undefined
  readonly tenant_id?: Wanted | undefined
  readonly session_id?: Wanted | undefined
  /** The country of the actor's address: two upper-case letters. */
  readonly country?: Wanted | undefined
  /** With `target_id`, one target has both. */
  readonly target_type?: Wanted | undefined
  readonly target_id?: Wanted | undefined
  /**
   * Text in the actor's name, the action, the resource's name or the metadata, in any letter case; of several
   * texts, each is there.
   */
  readonly search?: Wanted | undefined
  /** Recorded at or after, or by `time` occurred: a `Date` or ISO 8601. */
  readonly from?: Date | string | undefined
  /** At or before. */
  readonly to?: Date | string | undefined
  /** By which time events are ordered, and which `from` and `to` compare with: `recorded` unless given. */
  readonly time?: EventTime | undefined
  /** How many events are read at most, the newest ones: a whole number from 1. All of them unless given. */
  readonly limit?: number | undefined
}

type Path = ReadonlyArray<string | number>
type Read<A> = Result.Result<A, InvalidInput>

const invalid = (path: Path, reason: string): Result.Result<never, InvalidInput> =>
  Result.fail(new InvalidInput({ path: jsonPath(path), reason }))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/**
 * Whether a value is a plain object, of any realm. A `Map` or `URLSearchParams` has no members of its own: as
 * a filter it would restrict nothing.
 */
const isPlain = (value: unknown): value is Readonly<Record<string, unknown>> => {
  if (!isObject(value)) return false
  const prototype = Object.getPrototypeOf(value)
  // What parsers of queries return has an empty prototype, or none.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** How many levels of a value are read: more than any event may have. */
const MOST_LEVELS = 64

/** What JSON would write as an empty object, whatever is in it. */
const OPAQUE = new Set(["Error", "Map", "Promise", "RegExp", "Set", "WeakMap", "WeakSet"])
const isOpaque = (value: object): boolean =>
  OPAQUE.has(Object.prototype.toString.call(value).slice("[object ".length, -1))

/** What the program's own code returns, which may throw: its `toJSON` and its getters. */
const own = <A>(path: Path, read: () => A): Read<A> => {
  try {
    return Result.succeed(read())
  } catch (error) {
    return invalid(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** An object's `toJSON`, as `JSON.stringify` calls it: a `Date` becomes ISO 8601. */
const writtenOf = (value: unknown): unknown => {
  if (!isObject(value) || typeof value.toJSON !== "function") return value
  return value.toJSON()
}

const listOf = (values: ReadonlyArray<unknown>, path: Path): Read<ReadonlyArray<unknown>> => {
  const items: Array<unknown> = []
  for (const [index, value] of values.entries()) {
    const item = jsonOf(value, [...path, index])
    if (Result.isFailure(item)) return Result.fail(item.failure)
    items.push(item.success)
  }
  return Result.succeed(items)
}

const membersOf = (value: object, path: Path): Read<object> => {
  const entries = own(path, () => Object.entries(value))
  if (Result.isFailure(entries)) return Result.fail(entries.failure)
  const members: Array<readonly [string, unknown]> = []
  for (const [name, member] of entries.success) {
    if (member === undefined) continue
    const read = jsonOf(member, [...path, name])
    if (Result.isFailure(read)) return Result.fail(read.failure)
    members.push([name, read.success])
  }
  return Result.succeed(Object.fromEntries(members))
}

/**
 * A value of a program as JSON. A value that `JSON.stringify` would silently drop or replace (`NaN`, a `Map`,
 * an `Error`, a function in a list) is rejected with its path; members that are undefined are left out.
 */
const jsonOf = (given: unknown, path: Path): Read<unknown> => {
  if (given instanceof Date && Number.isNaN(given.getTime())) return invalid(path, "is not a date")
  const written = own(path, () => writtenOf(given))
  if (Result.isFailure(written)) return Result.fail(written.failure)
  const value = written.success
  if (value === null || typeof value === "string" || typeof value === "boolean") return Result.succeed(value)
  if (typeof value === "number") {
    return Number.isFinite(value) ? Result.succeed(value) : invalid(path, "must be a finite number")
  }
  if (typeof value === "bigint") return invalid(path, "is a bigint; send it as a string")
  if (typeof value !== "object" || isOpaque(value)) return invalid(path, "is not a JSON value")
  if (path.length > MOST_LEVELS) return invalid(path, `must have at most ${MOST_LEVELS} levels`)
  return Array.isArray(value) ? listOf(value, path) : membersOf(value, path)
}

/** `unknown`, which every value satisfies, if programs are offered exactly the members that a request has. */
type OffersAll<Offered, Input> = [keyof Offered, keyof Input] extends [keyof Input, keyof Offered]
  ? unknown
  : never

const unknownMember = knownMembers(
  EventInput satisfies OffersAll<AuditEvent, EventInput> &
    OffersAll<AuditEventTarget, typeof TargetInput.Type>
)

/**
 * An event in the form of a request; `at` is its path in the argument. Types and limits of its fields are
 * checked when it is accepted.
 */
export const readAuditEvent = (given: unknown, at: Path = []): Read<object> => {
  if (!isObject(given)) return invalid(at, "must be an object")
  return Result.flatMap(jsonOf(given, at), (value) => {
    if (!isObject(value)) return invalid(at, "must be an object")
    const unknown = unknownMember(value, at)
    return unknown === undefined ? Result.succeed(value) : Result.fail(unknown)
  })
}

/** The names of the conditions for programs, and for the log. */
const NAMES = {
  ...CONDITIONS,
  from: "from",
  to: "to"
} as const satisfies Record<Exclude<keyof AuditEventFilter, "time" | "limit">, keyof EventFilter>

/** Rejects an unknown name: a misspelt restriction would restrict nothing. */
const readNames = (given: object, known: ReadonlyArray<string>): Read<void> => {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  return unknown === undefined ? Result.void : invalid([unknown], unknownName(nearestName(unknown, known)))
}

/** The same for options, which must be a plain object. Throws `InvalidArgument`. */
export const refuseUnknown: (given: unknown, known: ReadonlyArray<string>) => asserts given is object = (
  given,
  known
) => {
  if (!isPlain(given)) throw new InvalidArgument("", "must be an object of options")
  const names = readNames(given, known)
  if (Result.isFailure(names)) throw auditLogError(names.failure)
}

const readMoment = (name: string, value: unknown): Read<Micros.Micros> => {
  const millis = value instanceof Date ? value.getTime() : undefined
  const micros =
    millis !== undefined
      ? Micros.fromMillis(millis)
      : typeof value === "string"
        ? Micros.parse(value)
        : undefined
  return micros === undefined || Number.isNaN(micros)
    ? invalid([name], "must be a Date, or an ISO 8601 date or date-time")
    : Result.succeed(micros)
}

const readValue = (path: Path, value: unknown): Read<string> => {
  if (typeof value !== "string") return invalid(path, "must be a string")
  return value.isWellFormed()
    ? Result.succeed(value)
    : invalid(path, "must be well-formed Unicode, without lone surrogates")
}

/** The values of a condition. An empty list is rejected: its author may have meant no restriction. */
const readValues = (name: string, given: unknown): Read<OneOrSeveral> => {
  if (!Array.isArray(given)) return readValue([name], given)
  if (given.length < 1 || given.length > MAX_CONDITION_VALUES)
    return invalid([name], `must have 1 to ${MAX_CONDITION_VALUES} values`)
  const values: Array<string> = []
  for (const [index, one] of given.entries()) {
    const value = readValue([name, index], one)
    if (Result.isFailure(value)) return Result.fail(value.failure)
    values.push(value.success)
  }
  return Result.succeed(values)
}

/** What a filter selects, by which time, and how much of it. */
export interface AuditSelection {
  readonly filter: EventFilter
  readonly time: EventTime
  /** `Infinity` for all. */
  readonly limit: number
}

const isEventTime = Schema.is(EventTime)
const isLimit = Schema.is(Schema.Int.check(Schema.isGreaterThan(0)))

/** What a filter selects. */
export const readAuditFilter = (given: unknown): Read<AuditSelection> => {
  if (!isPlain(given)) return invalid([], "must be an object")
  const known = readNames(given, [...Object.keys(NAMES), "time", "limit"])
  if (Result.isFailure(known)) return Result.fail(known.failure)
  const conditions: Array<readonly [string, OneOrSeveral | number]> = []
  for (const [name, column] of Object.entries(NAMES)) {
    const value = given[name]
    if (value === undefined) continue
    if (column === "from" || column === "to") {
      const moment = readMoment(name, value)
      if (Result.isFailure(moment)) return Result.fail(moment.failure)
      conditions.push([column, moment.success])
    } else {
      const values = readValues(name, value)
      if (Result.isFailure(values)) return Result.fail(values.failure)
      conditions.push([column, values.success])
    }
  }
  const { time = "recorded", limit = Infinity } = given
  if (!isEventTime(time)) return invalid(["time"], `must be one of ${EVENT_TIMES.join(", ")}`)
  if (limit !== Infinity && !isLimit(limit)) return invalid(["limit"], "must be a whole number from 1")
  return Result.succeed({ filter: Object.fromEntries(conditions), time, limit })
}

const isLogName = Schema.is(Schema.String.check(Schema.isPattern(/^[!-~]{1,200}$/)))

/** The name of a log, which is the id of its workspace. */
export const readLogName = (name: unknown): Read<string> =>
  isLogName(name)
    ? Result.succeed(name)
    : invalid(["name"], "must have 1 to 200 characters of printable ASCII, without spaces")
