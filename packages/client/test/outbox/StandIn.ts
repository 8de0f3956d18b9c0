/** A service within the test: it takes events as the real one does, and keeps them in memory. */

/** An event as it was sent. */
export type Body = Readonly<Record<string, unknown>>

/** How the service answers a request; `undefined`: as it should. */
export type Fault = (bodies: ReadonlyArray<Body>) => Promise<Response | undefined> | Response | undefined

/** A service that takes all but events with the action `refused`. */
export interface StandIn {
  readonly fetch: typeof fetch
  /** What it recorded, in its order. */
  readonly log: ReadonlyArray<Body>
  /** The actors of those events. */
  readonly actors: () => ReadonlyArray<unknown>
  /** How many events came that it had already. */
  readonly duplicates: () => number
  /** Answers as this says, from now on. */
  readonly answer: (fault: Fault) => void
  /** Refuses nothing, from now on. */
  readonly takesAll: () => void
}

const REFUSAL = {
  error: "validation_failed",
  message: "action is wrong",
  errors: [{ field: "action", message: "is wrong" }]
}

export const standIn = (): StandIn => {
  const log: Array<Body> = []
  const keys = new Set<unknown>()
  let duplicates = 0
  let refuses = true
  let fault: Fault = () => undefined
  const itemOf = (event: Body) => {
    if (refuses && event.action === "refused") return { id: null, status: "rejected", ...REFUSAL }
    const isDuplicate = keys.has(event.idempotency_key)
    if (isDuplicate) duplicates++
    else log.push(event)
    keys.add(event.idempotency_key)
    return { id: crypto.randomUUID(), status: isDuplicate ? "duplicate" : "queued" }
  }
  return {
    log,
    actors: () => log.map(({ actor_id }) => actor_id),
    duplicates: () => duplicates,
    answer: (next) => {
      fault = next
    },
    takesAll: () => {
      refuses = false
    },
    fetch: async (address, request) => {
      const body: Body & { readonly events?: ReadonlyArray<Body> } = JSON.parse(String(request?.body))
      const ended = new Promise<never>((_, reject) => {
        const { signal } = request ?? {}
        signal?.addEventListener("abort", () => reject(signal.reason))
      })
      const failed = await Promise.race([fault(body.events ?? [body]), ended])
      if (failed !== undefined) return failed
      const headers = { "x-request-id": "req_1" }
      if (String(address).endsWith("/batch")) {
        return Response.json({ events: body.events?.map(itemOf) }, { status: 202, headers })
      }
      const item = itemOf(body)
      return item.status === "rejected"
        ? Response.json(REFUSAL, { status: 422, headers })
        : Response.json(item, { status: 202, headers })
    }
  }
}

/** A fault for requests that get no answer before they are ended. */
export const silence: Fault = () => new Promise(() => {})
