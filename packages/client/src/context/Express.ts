/**
 * Middleware for Express 5.
 *
 * @packageDocumentation
 */
import { bindEmitter, type EmitterLike, enterContext, makeContext } from "./AuditContext.ts"
import { type RequestOptions, requestFields } from "./RequestFields.ts"

/** What of an Express request this needs. */
export interface ExpressRequestLike extends EmitterLike {
  /** By the application's own setting `trust proxy`. */
  readonly ip?: string | undefined
  readonly get: (name: string) => string | undefined
}

/**
 * Gives each request a context for its events. The address is Express's `req.ip`: set `trust proxy` to what
 * stands in front of the application.
 *
 * @example
 * app.use(auditExpress<Request>({ actor: (req) => req.user }))
 */
export const auditExpress =
  <R extends ExpressRequestLike = ExpressRequestLike>(options: RequestOptions<R> = {}) =>
  (request: R, response: EmitterLike, next: () => void): void => {
    const facts = { address: request.ip, header: (name: string) => request.get(name) }
    const context = makeContext(requestFields(request, facts, options))
    bindEmitter(context, request)
    bindEmitter(context, response)
    enterContext(context, next)
  }
