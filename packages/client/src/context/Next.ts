/**
 * For route handlers of Next 16.
 *
 * @packageDocumentation
 */
import { enterContext, makeContext } from "./AuditContext.ts"
import type { ProxyOptions } from "./Hono.ts"
import { checkProxies, forwardedAddress, type RequestOptions, requestFields } from "./RequestFields.ts"

/**
 * Gives each request of a route handler a context for its events. Next does not tell the connection's
 * address: say how many `proxies` stand in front of it, or give `address`.
 *
 * @example
 * export const POST = withAudit({ actor: sessionOf, proxies: 1 }, async (request) => { … })
 */
export const withAudit = <R extends { readonly headers: Headers }, Rest extends ReadonlyArray<unknown>, A>(
  { proxies = 0, ...options }: RequestOptions<R> & ProxyOptions,
  handler: (request: R, ...rest: Rest) => A
): ((request: R, ...rest: Rest) => A) => {
  checkProxies(proxies)
  return (request, ...rest) => {
    const header = (name: string) => request.headers.get(name) ?? undefined
    const address = forwardedAddress(header("x-forwarded-for"), proxies)
    const context = makeContext(requestFields(request, { address, header }, options))
    return enterContext(context, () => handler(request, ...rest))
  }
}
