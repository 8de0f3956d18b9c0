import type { Enqueued, EnqueueOptions, EventSink } from "../EventSink.ts"
import { joined } from "../Joined.ts"
import type { EventInput } from "../Types.ts"
import { auditContext } from "./AuditContext.ts"

/** What a handler says of what it did; the rest comes from its context. */
export type AuditFields = Partial<Omit<EventInput, "action">>

/** Puts an event into the queue. */
export type Audit = (action: string, fields?: AuditFields, options?: EnqueueOptions) => Promise<Enqueued>

/** Writes an event into an outbox, in the caller's transaction, and gives what the outbox gives. */
export type AuditInTransaction<Tx, Audited> = (tx: Tx, action: string, fields?: AuditFields) => Audited

/** What of an outbox this needs. */
export interface OutboxLike<Tx, Audited> {
  readonly audit: (tx: Tx, event: EventInput) => Audited
}

/**
 * As for a client below, for an outbox: the function takes the transaction first.
 *
 * @example
 * const audit = createAudit(outbox)
 * await audit(tx, "invoice.paid", { resource: "invoice", resource_id: "42" })
 */
export function createAudit<Tx, Audited>(outbox: OutboxLike<Tx, Audited>): AuditInTransaction<Tx, Audited>
/**
 * A function with which a handler only says what was done: actor, address, session, tenant and request id
 * come from the running request, however deep in it the call is.
 *
 * @example
 * const audit = createAudit(cairn)
 * await audit("invoice.paid", { resource: "invoice", resource_id: "42" })
 */
export function createAudit(sink: Pick<EventSink, "enqueue">): Audit
export function createAudit<Tx, Audited>(
  to: Pick<EventSink, "enqueue"> | OutboxLike<Tx, Audited>
): Audit | AuditInTransaction<Tx, Audited> {
  if ("audit" in to) return inTransaction(to)
  const audit: Audit = (action, fields = {}, options = {}) => to.enqueue(withContext(action, fields), options)
  return audit
}

const inTransaction =
  <Tx, Audited>(outbox: OutboxLike<Tx, Audited>): AuditInTransaction<Tx, Audited> =>
  (tx, action, fields = {}) =>
    outbox.audit(tx, withContext(action, fields))

/** What is missing is refused where the event is taken, with the name of the field. */
const withContext = (action: string, fields: AuditFields): EventInput =>
  ({ ...joined(auditContext() ?? {}, fields), action }) as EventInput
