/**
 * Query parameters: each at most once, but for conditions with several values, and each rejected by its name.
 * Unknown ones are rejected before anything is read.
 */
import { type LimitBounds, PAGE_BOUNDS } from "@cairn/api"
import { Micros } from "@cairn/core/encoding"
import {
  CONDITION_NAMES,
  CONDITIONS,
  COUNTRY_FORM,
  type ConditionName,
  conditionsOf,
  EVENT_TIMES,
  type EventFilter,
  type EventTime,
  hasAtMost,
  MAX_CONDITION_VALUES,
  MAX_IDENTIFIER,
  MAX_NAME,
  type OneOrSeveral,
  valuesOf
} from "@cairn/core/event"
import { Cursor, type Occurrence } from "@cairn/core/log"
import { Effect } from "effect"
import { type ApiError, invalidParameter } from "./ApiError.ts"

/**
 * Thrown while reading and caught by {@link readQuery}: an Effect for each of thirteen parameters costs more.
 */
class Rejected {
  readonly error: ApiError
  constructor(name: string, reason: string) {
    this.error = invalidParameter(name, reason)
  }
}

/** Percent-decoded, with a plus for a space; undefined when the octets are not UTF-8. */
const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

const CURSOR = "must be the next_cursor of a previous response"
const CURSOR_OF_ANOTHER_TIME = "is of a list with another `time`; begin without a cursor"

/** Most parameters of one request; no endpoint takes as many. */
const MAX_PARAMETERS = 300

const textOf = (name: string, value: string, maxLength: number): string => {
  const text = decoded(value)
  if (text === undefined) throw new Rejected(name, "must be percent-encoded UTF-8")
  if (text.includes("\0")) throw new Rejected(name, "must not contain U+0000")
  if (!hasAtMost(text, maxLength)) throw new Rejected(name, `must have at most ${maxLength} characters`)
  return text
}

/** The parameters of one request. Those beyond {@link MAX_PARAMETERS} are not looked at. */
export class Query {
  /** Whether there are more than {@link MAX_PARAMETERS}. */
  readonly tooMany: boolean
  /** By its name, the value of each parameter, or its values where it is given more than once. */
  readonly #values = new Map<string, string | Array<string>>()

  /** Takes the part of the target after the question mark. */
  constructor(query: string) {
    const pairs = query.split("&", MAX_PARAMETERS + 1)
    this.tooMany = pairs.length > MAX_PARAMETERS
    for (const pair of pairs.slice(0, MAX_PARAMETERS)) {
      if (pair === "") continue
      const mark = pair.indexOf("=")
      const name = decoded(mark < 0 ? pair : pair.slice(0, mark))
      if (name === undefined) continue
      const value = mark < 0 ? "" : pair.slice(mark + 1)
      const before = this.#values.get(name)
      if (before === undefined) this.#values.set(name, value)
      else if (typeof before === "string") this.#values.set(name, [before, value])
      else before.push(value)
    }
  }

  /** A text of at most `maxLength` characters. */
  text(name: string, maxLength: number): string | undefined {
    const value = this.#values.get(name)
    if (value === undefined) return undefined
    if (typeof value !== "string") throw new Rejected(name, "must be given once")
    return textOf(name, value, maxLength)
  }

  /** The same, or up to {@link MAX_CONDITION_VALUES} of them, each once. */
  texts(name: string, maxLength: number): OneOrSeveral | undefined {
    const values = this.#values.get(name)
    if (values === undefined || typeof values === "string") return this.text(name, maxLength)
    if (values.length > MAX_CONDITION_VALUES)
      throw new Rejected(name, `must be given at most ${MAX_CONDITION_VALUES} times`)
    const distinct = [...new Set(values.map((value) => textOf(name, value, maxLength)))]
    return distinct.length === 1 ? distinct[0] : distinct
  }

  /** The `limit`, or another whole number from 1 on. */
  limit({ maximum, otherwise }: LimitBounds = PAGE_BOUNDS, name = "limit"): number {
    const text = this.text(name, MAX_IDENTIFIER)
    if (text === undefined) return otherwise
    const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (value >= 1 && value <= maximum) return value
    throw new Rejected(name, `must be an integer from 1 to ${maximum}`)
  }

  /** A whole number from 1 on, which must be there. */
  size(name: string): number {
    const text = this.text(name, MAX_IDENTIFIER) ?? ""
    const value = /^[1-9]\d{0,15}$/.test(text) ? Number(text) : Number.NaN
    if (!Number.isSafeInteger(value)) throw new Rejected(name, "must be given, as a whole number from 1 on")
    return value
  }

  /** One of a few names. */
  choice<const A extends string>(name: string, choices: ReadonlyArray<A>): A | undefined {
    const text = this.text(name, MAX_IDENTIFIER)
    if (text === undefined) return undefined
    const choice = choices.find((one) => one === text)
    if (choice === undefined) throw new Rejected(name, `must be one of ${choices.join(", ")}`)
    return choice
  }

  /** One of a few names, which must be there. */
  chosen<const A extends string>(name: string, choices: ReadonlyArray<A>): A {
    const choice = this.choice(name, choices)
    if (choice === undefined) throw new Rejected(name, `must be given, as one of ${choices.join(", ")}`)
    return choice
  }

  /** A time; beyond the year 2255 the nearest double. */
  instant(name: string): Micros.Micros | undefined {
    const text = this.text(name, MAX_IDENTIFIER)
    if (text === undefined) return undefined
    // The plus sign of an offset that was not percent-encoded arrives as a space.
    const micros = Micros.parse(text.replace(/ (\d\d:?\d\d)$/, "+$1"))
    if (micros === undefined) throw new Rejected(name, "must be an ISO 8601 date or date-time")
    return micros
  }

  /** A time at which something may have been recorded. */
  moment(name: string): Micros.Micros | undefined {
    const micros = this.instant(name)
    if (micros === undefined) return undefined
    // Beyond the year 2255 a number is not exact, and a store may reject it; nothing is recorded there.
    return Math.min(Math.max(micros, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
  }

  /** Where to continue. */
  cursor(): Micros.Micros | null {
    const text = this.text("cursor", MAX_IDENTIFIER)
    if (text === undefined) return null
    const micros = Cursor.decode(text)
    if (micros === undefined)
      throw new Rejected("cursor", Cursor.decodeOccurrence(text) ? CURSOR_OF_ANOTHER_TIME : CURSOR)
    return micros
  }

  /** Where to continue in the order of occurrence. */
  occurrence(): Occurrence | null {
    const text = this.text("cursor", MAX_IDENTIFIER)
    if (text === undefined) return null
    const place = Cursor.decodeOccurrence(text)
    if (place === undefined)
      throw new Rejected("cursor", Cursor.decode(text) === undefined ? CURSOR : CURSOR_OF_ANOTHER_TIME)
    return place
  }
}

/**
 * The first parameter whose name is not known; one that cannot be decoded is shown as it stands. One pass
 * over the query.
 */
export const unknownParameter = (query: string, known: ReadonlySet<string>): string | undefined => {
  for (const pair of query.split("&", MAX_PARAMETERS + 1)) {
    if (pair === "") continue
    const mark = pair.indexOf("=")
    const raw = mark < 0 ? pair : pair.slice(0, mark)
    const name = decoded(raw) ?? raw
    if (!known.has(name)) return name
  }
  return undefined
}

/** Runs a reader over the query; a parameter that it rejects becomes the failure. */
export const readQuery = <A>(query: string, read: (query: Query) => A): Effect.Effect<A, ApiError> =>
  Effect.suspend(() => {
    try {
      const parameters = new Query(query)
      if (parameters.tooMany) throw new Rejected("query", `must have at most ${MAX_PARAMETERS} parameters`)
      return Effect.succeed(read(parameters))
    } catch (rejected) {
      if (rejected instanceof Rejected) return Effect.fail(rejected.error)
      throw rejected
    }
  })

/**
 * The longest text that can match: an identifier, a name, and for an action one with `.*` or `*.` in place of
 * the rest.
 */
const longest = (name: ConditionName): number => {
  if (name === "search" || name === "resource_name") return MAX_NAME
  return name === "action" ? MAX_IDENTIFIER + 1 : MAX_IDENTIFIER
}

/** The parameters of a filter by their names, times as texts. */
export const parametersOf = (filter: EventFilter): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(
    CONDITION_NAMES.flatMap((name) => {
      const values = filter[CONDITIONS[name]]
      return values === undefined ? [] : [[name, values]]
    })
  ),
  ...(filter.from === undefined ? {} : { from: Micros.format(filter.from) }),
  ...(filter.to === undefined ? {} : { to: Micros.format(filter.to) })
})

/** By which time a list is ordered, and which `from` and `to` compare with. */
const eventTime = (query: Query): EventTime => query.choice("time", EVENT_TIMES) ?? "recorded"

/** What a list, and whatever selects events as it does, is asked for. */
export const selection = (query: Query): { readonly filter: EventFilter; readonly time: EventTime } => {
  const conditions = conditionsOf((name) => {
    const values = query.texts(name, longest(name))
    const isNone = values !== undefined && name === "country" && !valuesOf(values).every(isCountry)
    if (isNone) throw new Rejected(name, "must be two upper-case letters")
    return values
  })
  const time = eventTime(query)
  const moment = (name: string) => (time === "recorded" ? query.moment(name) : query.instant(name))
  const [from, to] = [moment("from"), moment("to")]
  const times = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
  return { filter: { ...conditions, ...times }, time }
}

const isCountry = (value: string): boolean => COUNTRY_FORM.test(value)
