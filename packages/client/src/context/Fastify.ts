/**
 * Middleware for Fastify 5.
 *
 * @packageDocumentation
 */
import { bindEmitter, type EmitterLike, enterContext, makeContext } from "./AuditContext.ts"
import { type RequestOptions, requestFields } from "./RequestFields.ts"

/** What of a Fastify request this needs. */
export interface FastifyRequestLike {
  /** By the application's own setting `trustProxy`. */
  readonly ip: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly raw: EmitterLike
}

type Hook<R> = (request: R, reply: { readonly raw: EmitterLike }, done: () => void) => void

/** What of a Fastify instance this needs. */
export interface FastifyLike<R> {
  readonly addHook: (name: "onRequest", hook: Hook<R>) => unknown
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
  app.addHook("onRequest", (request, reply, done) => {
    const header = (name: string) => {
      const value = request.headers[name]
      return typeof value === "string" ? value : value?.[0]
    }
    const context = makeContext(requestFields(request, { address: request.ip, header }, options))
    bindEmitter(context, request.raw)
    bindEmitter(context, reply.raw)
    enterContext(context, done)
  })
}
