import { letGo, repeated } from "../Backoff.ts"
import { Deadline } from "../Deadline.ts"
import { CairnTimeoutError } from "../Errors.ts"
import type { PendingEvents } from "../PendingEvents.ts"
import type { Outcome, PreparedEvent } from "../Prepared.ts"
import type { OutboxAdapter, Row, Statement } from "./OutboxAdapter.ts"
import type { OutboxStatements, RowName } from "./OutboxStatements.ts"

/** What the rows are reached with. */
export interface OutboxRowsOptions {
  readonly run: OutboxAdapter<never>["run"]
  readonly statements: OutboxStatements
  /** How long others leave claimed rows alone. */
  readonly leaseMillis: number
  /** Most milliseconds that is waited for a statement. */
  readonly statementMillis: number
}

/** What PostgreSQL calls a conflict of two transactions: the same again, and it goes well. */
const CONFLICTS: ReadonlySet<unknown> = new Set(["40001", "40P01"])
/** How long it is tried again, with pauses: relays that conflict once and are as fast conflict again. */
const CONFLICT_MILLIS = 5_000
const CONFLICT_RETRY = { baseMillis: 2, maxMillis: 100 }

/** How often a claim is prolonged within a lease. */
const RENEWALS = 4

/** Whether the database gave such a code, wherever the driver puts it. */
const isConflict = (error: unknown, depth = 0): boolean => {
  if (typeof error !== "object" || error === null || depth > 4) return false
  const { code, originalCode, cause, meta, driverAdapterError } = error as Readonly<Record<string, unknown>>
  if (CONFLICTS.has(code) || CONFLICTS.has(originalCode)) return true
  return [cause, meta, driverAdapterError].some((inner) => isConflict(inner, depth + 1))
}

/** A row, by the names or by the order of its columns. */
const eventOf = (row: Row | ReadonlyArray<unknown>): RowName & PreparedEvent => {
  const [id, key, json] = Array.isArray(row) ? row : [(row as Row).id, (row as Row).key, (row as Row).event]
  if (typeof id !== "string" || typeof key !== "string" || typeof json !== "string") {
    throw new TypeError("a row of the outbox has no id, key and event")
  }
  return { id, key, json }
}

const byId = (a: RowName, b: RowName): number => a.id.length - b.id.length || (a.id < b.id ? -1 : 1)

const refusalOf = (outcome: Outcome): string | undefined => {
  if (outcome.status !== "refused") return undefined
  const { refusal, requestId } = outcome
  return JSON.stringify({ ...refusal, ...(requestId === undefined ? {} : { request_id: requestId }) })
}

/** Runs statements, each for as long as is waited for one, and again after a conflict. */
const makeExecute = ({
  run,
  statementMillis
}: Pick<OutboxRowsOptions, "run" | "statementMillis">): OutboxRowsOptions["run"] => {
  const once = (statement: Statement): Promise<ReadonlyArray<Row>> =>
    new Promise((resolve, reject) => {
      const late = () =>
        reject(new CairnTimeoutError(`the outbox gave no answer within ${statementMillis} ms`))
      const timer = setTimeout(late, statementMillis)
      // A relay that is closed although the database does not answer holds up no end of its process.
      letGo(timer)
      run(statement)
        .then(resolve, reject)
        .finally(() => clearTimeout(timer))
    })

  return async (statement) => {
    const deadline = new Deadline(CONFLICT_MILLIS, undefined)
    try {
      return await repeated(deadline, CONFLICT_RETRY, isConflict, () => once(statement))
    } finally {
      deadline.end()
    }
  }
}

/**
 * The rows of an outbox, as one relay sees them. It claims rows for as long as the lease, by the database's
 * clock, and another relay takes over those of one that is gone. At-least-once: between an answer of the
 * service and the removal of its rows, or after a lease, an event is sent again with its key, and the service
 * records it once.
 */
export const outboxRows = ({ statements, leaseMillis, ...running }: OutboxRowsOptions): PendingEvents => {
  const execute = makeExecute(running)
  const relay = crypto.randomUUID()
  /** Rows that this relay has claimed, by their keys. */
  const taken = new Map<string, RowName>()
  /** Statements that failed after the service's answer: they come before the next claim. */
  const owed: Array<Statement> = []
  /** When the oldest of its claims was made or prolonged. */
  let claimedAt = 0

  const pay = async (): Promise<void> => {
    for (let next = owed[0]; next !== undefined; next = owed[0]) {
      await execute(next)
      owed.shift()
    }
  }

  /** Prolongs the claims on what it has for longer, long before they end. */
  const renew = async (): Promise<void> => {
    const now = performance.now()
    if (taken.size === 0 || now - claimedAt < leaseMillis / RENEWALS) return
    const ids = [...taken.values()].map(({ id }) => id)
    await execute(statements.renew({ relay, leaseMillis }, ids))
    claimedAt = now
  }

  /** Gives back what it has. Where that fails the next claim has it again. */
  const release = async (keys: ReadonlyArray<string>): Promise<void> => {
    const ids = keys.flatMap((key) => taken.get(key)?.id ?? [])
    for (const key of keys) taken.delete(key)
    if (ids.length > 0) await execute(statements.release(relay, ids))
  }

  return {
    add: () => Promise.reject(new TypeError("events come into an outbox in transactions")),
    room: async () => {},
    take: async (limit) => {
      await pay()
      await renew()
      if (taken.size === 0) claimedAt = performance.now()
      const claim = { relay, leaseMillis, held: [...taken.keys()] }
      const claimed = await execute(statements.claim(claim, limit))
      const rows = claimed.map(eventOf).sort(byId)
      // Of two rows with one key the second waits: its fate may be another.
      const first = new Map([...rows].reverse().map((row) => [row.key, row] as const))
      const second = rows.filter((row) => first.get(row.key) !== row).map(({ id }) => id)
      if (second.length > 0) await execute(statements.release(relay, second))
      for (const { id, key } of first.values()) taken.set(key, { id, key })
      return rows.filter((row) => first.get(row.key) === row)
    },
    settle: async (outcomes) => {
      const gone: Array<RowName> = []
      const refused: Array<RowName & { readonly refusal: string }> = []
      for (const outcome of outcomes) {
        const row = taken.get(outcome.key)
        if (row === undefined) continue
        taken.delete(outcome.key)
        const refusal = refusalOf(outcome)
        if (refusal === undefined) gone.push(row)
        else refused.push({ ...row, refusal })
      }
      if (gone.length > 0) owed.push(statements.remove(gone))
      if (refused.length > 0) owed.push(...statements.refuse(refused))
      // What fails comes before the next claim, which says so: what became of the events is known already.
      await pay().catch(() => {})
    },
    release: (events) => release(events.map(({ key }) => key)),
    size: () => taken.size,
    close: async () => {
      await pay()
      await release([...taken.keys()])
    }
  }
}
