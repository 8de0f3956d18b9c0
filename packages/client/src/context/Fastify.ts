/**
 * Middleware for Fastify 5.
 *
 * @packageDocumentation
 */
import { enterContext, makeContext, type RunningContext } from "./AuditContext.ts"
import { type RequestOptions, requestFields } from "./RequestFields.ts"

/** What of a Fastify request this needs. */
export interface FastifyRequestLike {
  /** By the application's own setting `trustProxy`. */
  readonly ip: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

type Hook<R> = (request: R, reply: unknown, done: () => void) => void

/** What of a Fastify instance this needs. */
export interface FastifyLike<R> {
  readonly addHook: (name: "onRequest" | "preValidation", hook: Hook<R>) => unknown
}

/**
 * Gives each request a context for its events, in all routes of the instance. The address is Fastify's
 * `request.ip`: set `trustProxy` to what stands in front of the application.
 *
 * @example
 * auditFastify(app, { actor: (request) => request.user })
 */
export const auditFastify = <R extends FastifyRequestLike>(
  app: FastifyLike<R>,
  options: RequestOptions<R> = {}
): void => {
  const contexts = new WeakMap<R, RunningContext>()
  const enter: Hook<R> = (request, _reply, done) => {
    const known = contexts.get(request)
    const header = (name: string) => {
      const value = request.headers[name]
      return typeof value === "string" ? value : value?.[0]
    }
    const context = known ?? makeContext(requestFields(request, { address: request.ip, header }, options))
    contexts.set(request, context)
    enterContext(context, done)
  }
  app.addHook("onRequest", enter)
  // Older releases of Node call the events of a body's stream from outside of the request's context.
  app.addHook("preValidation", enter)
}
