/** Query parameters: each at most once, each refused by its name. Unknown ones are ignored. */
import { Cursor, DEFAULT_LIMIT, type EventFilter, MAX_LIMIT, Micros } from "@cairn/core"
import { Effect } from "effect"
import { ApiError } from "./ApiError.ts"

/** Refuses a parameter. */
export const invalidParameter = (name: string, reason: string): ApiError =>
  new ApiError({ code: "invalid_parameter", message: `${name}: ${reason}` })

/** Thrown while reading and caught by {@link readQuery}: a failure an Effect for each of thirteen parameters would cost more. */
class Refused {
  readonly error: ApiError
  constructor(error: ApiError) {
    this.error = error
  }
}

/** The parameters of one request. */
export class Query {
  readonly #params: URLSearchParams
  constructor(params: URLSearchParams) {
    this.#params = params
  }

  /** A text; absent when empty. */
  text(name: string): string | undefined {
    const values = this.#params.getAll(name)
    if (values.length > 1) throw new Refused(invalidParameter(name, "must be given once"))
    return values[0] === "" ? undefined : values[0]
  }

  /** A whole number within bounds. */
  integer(
    name: string,
    bounds: { readonly min: number; readonly max: number; readonly otherwise: number }
  ): number {
    const text = this.text(name)
    if (text === undefined) return bounds.otherwise
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN
    if (value >= bounds.min && value <= bounds.max) return value
    throw new Refused(invalidParameter(name, `must be an integer from ${bounds.min} to ${bounds.max}`))
  }

  /** A moment. */
  moment(name: string): Micros.Micros | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    // A plus sign that was not escaped arrives as a space.
    const micros = Micros.parse(text) ?? Micros.parse(text.replace(/ (\d\d:?\d\d)$/, "+$1"))
    if (micros === undefined)
      throw new Refused(invalidParameter(name, "must be an ISO 8601 date or date-time"))
    return micros
  }

  /** Where to continue. */
  cursor(): Micros.Micros | null {
    const text = this.text("cursor")
    if (text === undefined) return null
    const micros = Cursor.decode(text)
    if (micros === undefined)
      throw new Refused(invalidParameter("cursor", "must be one from a previous response"))
    return micros
  }

  /** Results of a page. */
  limit(): number {
    return this.integer("limit", { min: 1, max: MAX_LIMIT, otherwise: DEFAULT_LIMIT })
  }
}

/** Runs a reader; its refusal becomes the failure. */
export const readQuery = <A>(
  params: URLSearchParams,
  read: (query: Query) => A
): Effect.Effect<A, ApiError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read(new Query(params)))
    } catch (refused) {
      if (refused instanceof Refused) return Effect.fail(refused.error)
      throw refused
    }
  })

const FILTERS = {
  action: "action",
  actorId: "actor_id",
  resource: "resource",
  resourceId: "resource_id",
  tenantId: "tenant_id",
  sessionId: "session_id",
  search: "search",
  targetType: "target_type",
  targetId: "target_id"
} as const

/** The filter of a list of events. */
export const eventFilter = (query: Query): EventFilter => {
  const filter: { -readonly [K in keyof EventFilter]: EventFilter[K] } = {}
  for (const [field, name] of Object.entries(FILTERS)) {
    const value = query.text(name)
    if (value !== undefined) filter[field as keyof typeof FILTERS] = value
  }
  const from = query.moment("from")
  const to = query.moment("to")
  if (from !== undefined) filter.from = from
  if (to !== undefined) filter.to = to
  return filter
}
