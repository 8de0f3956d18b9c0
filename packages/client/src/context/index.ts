/**
 * Actor, address, session, tenant and request id for events that are logged deep in a request.
 *
 * @packageDocumentation
 */

export {
  type Audit,
  type AuditFields,
  type AuditInTransaction,
  createAudit,
  type OutboxLike
} from "./Audit.ts"
export { auditContext, type ContextFields, setAuditContext, withAuditContext } from "./AuditContext.ts"
export type { Actor, RequestOptions } from "./RequestFields.ts"
