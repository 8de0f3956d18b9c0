/** A method for each operation of the interface, from one table. */
import { type Retry, repeated } from "./Backoff.ts"
import { Deadline } from "./Deadline.ts"
import type {
  CallOptions,
  List,
  Listed,
  Method,
  Opened,
  OperationOf,
  PathOf,
  Plain
} from "./EndpointTypes.ts"
import { CairnApiError, CairnConnectionError } from "./Errors.ts"
import { type Call, type Http, isRecord } from "./Http.ts"

/** Calls, by what they are about. */
type Lines = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** A line of the table, as it is at run time; its type says what the call takes and gives. */
interface Line {
  readonly kind: "json" | "text" | "list" | "open"
  readonly method: Method
  readonly path: string
  readonly takes: Takes
}

/** What a call takes behind its id. */
type Takes = "body" | "query" | "none"

const line = (kind: Line["kind"], method: Method, path: string, takes: Takes): Line => ({
  kind,
  method,
  path,
  takes
})

// The casts bind a line to the types of its operation: nothing of them is there at run time.
const make =
  <M extends Method>(method: M, takes: Takes) =>
  <P extends PathOf<M>>(path: P) =>
    line("json", method, path, takes) as unknown as Plain<OperationOf<M, P>>
/** A line for what is read by its id, or is one alone. */
export const get = make("get", "none")
const ask = make("get", "query")
const post = make("post", "body")
const act = make("post", "none")
const test = make("post", "query")
const patch = make("patch", "body")
/** A line for what is removed by its id. */
export const remove = make("delete", "none")
/** A line for a list. */
export const list = <P extends PathOf<"get">>(path: P) =>
  line("list", "get", path, "query") as unknown as Listed<OperationOf<"get", P>>
const text = <P extends PathOf<"get">>(path: P) =>
  line("text", "get", path, "none") as unknown as Plain<OperationOf<"get", P>>
const file = <P extends PathOf<"get">>(path: P) =>
  line("open", "get", path, "query") as unknown as Opened<OperationOf<"get", P>>

const ENDPOINTS = {
  events: {
    /** Events, newest first: `for await (const event of cairn.events.list({ actor_id: "ada" }))`. */
    list: list("/api/v1/events"),
    /** The exact number of the events that a filter finds. */
    count: ask("/api/v1/events/count"),
    /** How many events there were over time. */
    histogram: ask("/api/v1/events/histogram"),
    /** The most frequent values of a field, for suggestions. */
    facets: ask("/api/v1/events/facets"),
    /** The events of a filter as a file, unread: it is sent as it is made. */
    export: file("/api/v1/events/export"),
    /** How many events of a filter are new, as server-sent events, unread. */
    live: file("/api/v1/events/live"),
    /** One event. */
    get: get("/api/v1/events/{id}"),
    /** What proves that an event is in the log: for `verifyEvent` of `@cairn/client/verify`. */
    proof: get("/api/v1/events/{id}/proof"),
    /** The proofs of several events under one checkpoint. */
    proofs: post("/api/v1/events/proofs"),
    /** Checks the hash chain on the server. */
    verify: ask("/api/v1/verify"),
    /** How far the service itself has verified the log, and what it found. */
    verification: get("/api/v1/verification")
  },
  checkpoints: {
    /** The newest checkpoint, a signed note. */
    latest: text("/api/v1/checkpoint"),
    /** The checkpoints that the service signed by itself, newest first. */
    list: list("/api/v1/checkpoints"),
    /** What proves that the log only grew between two sizes. */
    consistency: ask("/api/v1/checkpoint/consistency")
  },
  anchors: {
    /** Anchors, newest first. */
    list: list("/api/v1/anchors"),
    /** One anchor. */
    get: get("/api/v1/anchors/{id}"),
    /** Computes an anchor's Merkle root again, on the server. */
    verify: get("/api/v1/anchors/{id}/verify"),
    /** Closes the open period now. */
    closePeriod: act("/api/v1/anchors")
  },
  exports: {
    /** Exports, newest first. */
    list: list("/api/v1/exports"),
    /** Begins an export. */
    create: post("/api/v1/exports"),
    /** How far an export is. */
    get: get("/api/v1/exports/{id}"),
    /** The file of a completed export, unread. The time limit is that of the first byte. */
    download: file("/api/v1/exports/{id}/download")
  },
  viewerTokens: {
    /** Makes a token for the viewer. */
    create: post("/api/v1/viewer-token")
  },
  alerts: {
    /** Alerts, newest first. */
    list: list("/api/v1/alerts"),
    /** Says that somebody has seen an alert. */
    acknowledge: act("/api/v1/alerts/{id}/acknowledge")
  },
  alertRules: {
    /** The rules. */
    list: list("/api/v1/alert-rules"),
    /** Makes a rule. */
    create: post("/api/v1/alert-rules"),
    /** One rule. */
    get: get("/api/v1/alert-rules/{id}"),
    /** Changes a rule. */
    update: patch("/api/v1/alert-rules/{id}"),
    /** Removes a rule. */
    delete: remove("/api/v1/alert-rules/{id}"),
    /** What a rule would have raised. */
    backtest: act("/api/v1/alert-rules/{id}/backtest"),
    /** What a rule that does not exist yet would have raised. */
    backtestNew: post("/api/v1/alert-rules/backtest")
  },
  webhooks: {
    /** The webhooks. */
    list: list("/api/v1/webhooks"),
    /** Makes a webhook; its secret is shown this once. */
    create: post("/api/v1/webhooks"),
    /** One webhook. */
    get: get("/api/v1/webhooks/{id}"),
    /** Changes a webhook. */
    update: patch("/api/v1/webhooks/{id}"),
    /** Removes a webhook. */
    delete: remove("/api/v1/webhooks/{id}"),
    /** Sends a test. */
    test: test("/api/v1/webhooks/{id}/test"),
    /** Makes a new secret; the old one signs too for a while. */
    rotateSecret: act("/api/v1/webhooks/{id}/rotate-secret"),
    /** What was sent to a webhook, newest first. */
    deliveries: list("/api/v1/webhooks/{id}/deliveries")
  },
  deliveries: {
    /** What was sent by e-mail, webhook and stream, newest first. */
    list: list("/api/v1/deliveries"),
    /** One delivery with its attempts. */
    get: get("/api/v1/deliveries/{id}"),
    /** Sends it again. */
    redeliver: act("/api/v1/deliveries/{id}/redeliver")
  },
  logStreams: {
    /** The log streams. */
    list: list("/api/v1/log-streams"),
    /** Makes a log stream. */
    create: post("/api/v1/log-streams"),
    /** One log stream. */
    get: get("/api/v1/log-streams/{id}"),
    /** Changes a log stream. */
    update: patch("/api/v1/log-streams/{id}"),
    /** Removes a log stream. */
    delete: remove("/api/v1/log-streams/{id}"),
    /** Sends a test. */
    test: test("/api/v1/log-streams/{id}/test"),
    /** Stops it until it is resumed. */
    pause: act("/api/v1/log-streams/{id}/pause"),
    /** Lets it go on where it stopped. */
    resume: act("/api/v1/log-streams/{id}/resume")
  },
  members: {
    /** The members. */
    list: list("/api/v1/members"),
    /** Adds a member. */
    create: post("/api/v1/members"),
    /** One member. */
    get: get("/api/v1/members/{id}"),
    /** Changes a member. */
    update: patch("/api/v1/members/{id}"),
    /** Removes a member. */
    delete: remove("/api/v1/members/{id}"),
    /** Sends an invitation again. */
    invite: act("/api/v1/members/{id}/invite"),
    /** Ends all sessions of a member for the workspace. */
    endSessions: remove("/api/v1/members/{id}/sessions")
  },
  sessions: {
    /** The sessions of members. */
    list: list("/api/v1/sessions"),
    /** Ends a session for the workspace. */
    delete: remove("/api/v1/sessions/{id}")
  },
  apiKeys: {
    /** The API keys, without their secrets. */
    list: list("/api/v1/api-keys"),
    /** Makes a key; its secret is shown this once. */
    create: post("/api/v1/api-keys"),
    /** One key. */
    get: get("/api/v1/api-keys/{id}"),
    /** Revokes a key. */
    revoke: remove("/api/v1/api-keys/{id}")
  },
  workspace: {
    /** The workspace and its settings. */
    get: get("/api/v1/workspace"),
    /** Changes settings. */
    update: patch("/api/v1/workspace"),
    /** How its viewer tells events. */
    viewerSettings: get("/api/v1/viewer/settings"),
    /** Makes a new key for viewer tokens. */
    rotateViewerKey: post("/api/v1/workspace/viewer-key/rotate"),
    /** What was used of the plan. */
    usage: get("/api/v1/usage")
  },
  health: {
    /** Whether the server runs. */
    live: get("/healthz"),
    /** Whether it can serve. */
    ready: ask("/readyz")
  }
}

/** The calls of a table. */
export type CallsOf<Table> = {
  readonly [G in keyof Table]: {
    readonly [N in keyof Table[G]]: Table[G][N] extends { readonly call: infer C } ? C : never
  }
}

/** The calls of the interface, by what they are about. */
export type Endpoints = CallsOf<typeof ENDPOINTS>

/** What the calls work with. */
export interface EndpointTools {
  readonly http: Http
  readonly retry?: Retry | undefined
}

/** Most milliseconds of a call unless it says otherwise. */
const TIMEOUT_MILLIS = 30_000

/**
 * Whether the same request may be sent again: one that the service did not accept at all, or one that only
 * reads. A change that may have been made is not repeated.
 */
const mayRepeat = (method: string, error: unknown): boolean => {
  if (error instanceof CairnApiError) {
    return error.status === 429 || (method === "get" && [502, 503, 504].includes(error.status))
  }
  return method === "get" && error instanceof CairnConnectionError
}

/** A call until it is answered, or may not be repeated, or its time is over. */
const repeat = async <A>(
  { retry }: EndpointTools,
  method: string,
  limits: CallOptions,
  once: (limits: Pick<Call, "timeoutMillis" | "signal">) => Promise<A>
): Promise<A> => {
  const deadline = new Deadline(limits.timeoutMillis ?? TIMEOUT_MILLIS, limits.signal)
  try {
    const { signal } = deadline
    const again = (error: unknown) => mayRepeat(method, error)
    return await repeated(deadline, retry, again, () => once({ timeoutMillis: Infinity, signal }))
  } finally {
    deadline.end()
  }
}

const queryOf = (given: unknown): URLSearchParams => {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(isRecord(given) ? given : {})) {
    for (const one of Array.isArray(value) ? value : [value]) if (one != null) query.append(name, String(one))
  }
  return query
}

/** The pages of a list, from the one that the query names. */
const pagesOf = (
  read: (cursor?: string) => Promise<unknown>
): List<{ readonly data: ReadonlyArray<unknown> }> => ({
  page: () => read() as Promise<{ readonly data: ReadonlyArray<unknown> }>,
  async *[Symbol.asyncIterator]() {
    for (let cursor: string | undefined; ; ) {
      const page = await read(cursor)
      const { data, pagination } = isRecord(page) ? page : {}
      if (!Array.isArray(data)) throw new CairnConnectionError("the answer is no page")
      yield* data
      const next = isRecord(pagination) ? pagination.next_cursor : undefined
      if (typeof next !== "string" || next === cursor) return
      cursor = next
    }
  }
})

/** The request of a line with what the caller gave: the id, then the body or the query, then the options. */
const requestOf = ({ method, path, takes }: Line, given: ReadonlyArray<unknown>) => {
  const rest = [...given]
  const id = path.includes("{id}") ? rest.shift() : "none"
  // A path goes up at dots, to another endpoint.
  if (typeof id !== "string" || /^\.{0,2}$/.test(id)) throw new TypeError("id must be an id")
  const input = takes === "none" ? undefined : rest.shift()
  return {
    options: (rest[0] ?? {}) as CallOptions,
    query: queryOf(takes === "query" && input),
    request: {
      method: method.toUpperCase(),
      path: path.replace("{id}", encodeURIComponent(id)),
      // Nothing to send is no body.
      body: JSON.stringify(takes === "body" ? input : undefined)
    }
  }
}

const callOf =
  (tools: EndpointTools, entry: Line) =>
  (...given: ReadonlyArray<unknown>): unknown => {
    const { options, query, request } = requestOf(entry, given)
    const read = async (cursor?: string) => {
      const asked = new URLSearchParams(query)
      if (cursor) asked.set("cursor", cursor)
      const call = { ...request, query: asked, isText: entry.kind === "text" }
      const { body } = await repeat(tools, entry.method, options, (limits) =>
        tools.http.json({ ...call, ...limits })
      )
      return body
    }
    if (entry.kind === "list") return pagesOf(read)
    if (entry.kind !== "open") return read()
    return repeat(tools, entry.method, options, (limits) =>
      tools.http.open({ ...request, query, redirect: "follow", ...limits })
    )
  }

/** The calls of a table of lines: those of the interface unless given. */
export const makeEndpoints = <Table extends Lines = typeof ENDPOINTS>(
  tools: EndpointTools,
  table: Lines = ENDPOINTS
): CallsOf<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([name, group]) => [
      name,
      Object.fromEntries(Object.entries(group).map(([call, entry]) => [call, callOf(tools, entry as Line)]))
    ])
  ) as unknown as CallsOf<Table>
