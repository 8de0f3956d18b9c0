import { EventRefusedError } from "../Errors.ts"
import { harmlessContext, type Preparation, prepareEvent } from "../Prepare.ts"
import type { PreparedEvent } from "../Prepared.ts"
import { makeRedactor, type SecretPath } from "../Redaction.ts"
import { consoleReports, harmless, type OnError } from "../Report.ts"
import type { EventInput } from "../Types.ts"
import type { OutboxAdapter } from "./OutboxAdapter.ts"
import { outboxRows } from "./OutboxRows.ts"
import { MAX_LEASE_MILLIS, type OutboxStatements, outboxStatements } from "./OutboxStatements.ts"
import { migrations, type OutboxNames } from "./OutboxTable.ts"
import { Relay, type RelayOptions } from "./Relay.ts"

/** How events of an outbox are made, and where its tables are. */
export interface OutboxOptions extends OutboxNames {
  /** Members that every event has which has none of its own. */
  readonly context?: Preparation["context"]
  /** Where secrets are; they are taken out before an event is written. */
  readonly redact?: ReadonlyArray<SecretPath> | undefined
  /** Hears of a `context` that fails, which costs its members alone; the console unless given. */
  readonly onError?: OnError | undefined
}

/** An event that is in the outbox once the caller's transaction commits. */
export interface Audited {
  /** Its idempotency key. */
  readonly key: string
}

/** What `audit` gives: the event's key, or a promise of it where the driver is asynchronous. */
export type AuditedBy<Done> = Done extends Promise<void> ? Promise<Audited> : Audited

/** A lease outlasts the requests of a round, which take three times the longest time of one at most. */
const LEASE = { least: 1000, usual: 60_000, requests: 4 }

const isPromise = (done: unknown): done is PromiseLike<void> =>
  typeof (done as { readonly then?: unknown } | undefined)?.then === "function"

/**
 * An outbox: events that share the fate of the caller's transaction. {@link Outbox.audit} writes a row into a
 * table of the application's own database, in its transaction; a {@link Relay} sends what is committed. A
 * transaction that is rolled back leaves no event, and one that is committed always leaves its events.
 *
 * @example
 * const outbox = new Outbox(pgAdapter(pool))
 * await outbox.migrate()
 * await client.query("BEGIN")
 * await client.query("UPDATE invoices SET paid = true WHERE id = $1", [42])
 * await outbox.audit(client, { actor_id: "ada", action: "invoice.paid", resource_id: "42" })
 * await client.query("COMMIT")
 */
export class Outbox<Tx, Done extends void | Promise<void>> {
  readonly #adapter: OutboxAdapter<Tx, Done>
  readonly #names: OutboxNames
  readonly #preparation: Preparation
  readonly #statements: OutboxStatements

  /** @throws TypeError for names that the database cannot keep as they are, and for what is no path. */
  constructor(adapter: OutboxAdapter<Tx, Done>, options: OutboxOptions = {}) {
    this.#adapter = adapter
    this.#names = options
    const { context, redact, onError = consoleReports() } = options
    const report = harmless(onError)
    this.#preparation = {
      context: harmlessContext(context, (error) =>
        report(error, { kind: "fields", events: [], outcomes: [] })
      ),
      redact: redact === undefined ? undefined : makeRedactor(redact)
    }
    this.#statements = outboxStatements(adapter.dialect, options)
  }

  /**
   * Writes an event into the outbox, in the caller's transaction: one INSERT. The event gets its idempotency
   * key and its `occurred_at` before anything else. It is bound: `const { audit } = outbox` works. Where the
   * driver is synchronous, so is this.
   *
   * @throws EventRefusedError for what the service would never take, before the database is asked; and what
   *   the driver throws. Either way the transaction should be rolled back.
   */
  readonly audit = (tx: Tx, event: EventInput): AuditedBy<Done> => {
    const isSync: boolean = this.#adapter.isSync
    return (isSync ? this.#insert(tx, event) : this.#insertLater(tx, event)) as AuditedBy<Done>
  }

  /** Makes the tables where they are missing. `OUTBOX_SQL` is for migrations of one's own. */
  async migrate(): Promise<void> {
    for (const statement of migrations(this.#adapter.dialect, this.#names)) {
      await this.#adapter.run({ parts: [statement], values: [], hasRows: false })
    }
  }

  /**
   * Starts to send what is committed, and goes on until the relay is closed. Any number of relays can do so
   * at once, in one process or in many.
   *
   * @throws TypeError for an address, key or time that cannot be used.
   */
  relay(options: RelayOptions): Relay {
    const { leaseMillis = LEASE.usual, statementMillis = 30_000, requestMillis = 10_000 } = options
    if (!(leaseMillis >= LEASE.least && leaseMillis <= MAX_LEASE_MILLIS)) {
      throw new TypeError(`leaseMillis must be from ${LEASE.least} to ${MAX_LEASE_MILLIS}`)
    }
    const { run } = this.#adapter
    const lease = { leaseMillis: Math.floor(leaseMillis), statementMillis }
    return new Relay(outboxRows({ run, statements: this.#statements, ...lease }), {
      ...options,
      requestMillis: Math.min(requestMillis, leaseMillis / LEASE.requests)
    })
  }

  #insert(tx: Tx, event: EventInput): Audited {
    const prepared = this.#prepare(event)
    const done = this.#adapter.insert(tx, this.#statements.insert(prepared))
    if (isPromise(done)) throw new TypeError("the adapter says that it is synchronous, and is not")
    return { key: prepared.key }
  }

  async #insertLater(tx: Tx, event: EventInput): Promise<Audited> {
    const prepared = this.#prepare(event)
    await this.#adapter.insert(tx, this.#statements.insert(prepared))
    return { key: prepared.key }
  }

  #prepare(event: EventInput): PreparedEvent {
    const prepared = prepareEvent(event, this.#preparation)
    if (prepared.key.includes("\0")) {
      const message = "must have no NUL: the database cannot keep it"
      const errors = [{ field: "idempotency_key", message }]
      throw new EventRefusedError({
        error: "validation_failed",
        message: `idempotency_key ${message}`,
        errors
      })
    }
    return prepared
  }
}
