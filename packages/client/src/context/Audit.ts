import type { Enqueued, EnqueueOptions, EventSink } from "../EventSink.ts"
import { joined } from "../Joined.ts"
import type { EventInput } from "../Types.ts"
import { auditContext } from "./AuditContext.ts"

/** What a handler says of what it did; the rest comes from its context. */
export type AuditFields = Partial<Omit<EventInput, "action">>

/** Puts an event into the queue. */
export type Audit = (action: string, fields?: AuditFields, options?: EnqueueOptions) => Promise<Enqueued>

/**
 * A function with which a handler only says what was done: actor, address, session, tenant and request id
 * come from the running request, however deep in it the call is.
 *
 * @example
 * const audit = createAudit(cairn)
 * await audit("invoice.paid", { resource: "invoice", resource_id: "42" })
 */
export const createAudit =
  (sink: Pick<EventSink, "enqueue">): Audit =>
  (action, fields = {}, options = {}) => {
    // What is missing the sink refuses, with the name of the field.
    const event = { ...joined(auditContext() ?? {}, fields), action } as EventInput
    return sink.enqueue(event, options)
  }
