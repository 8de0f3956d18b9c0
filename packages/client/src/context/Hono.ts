/**
 * Middleware for Hono 4.
 *
 * @packageDocumentation
 */
import { enterContext, makeContext } from "./AuditContext.ts"
import { checkProxies, forwardedAddress, type RequestOptions, requestFields } from "./RequestFields.ts"

/** What of a Hono context this needs. */
export interface HonoContextLike {
  readonly req: { readonly header: (name: string) => string | undefined }
  readonly env: unknown
}

/** The options of middleware that cannot see the connection. */
export interface ProxyOptions {
  /**
   * How many proxies of one's own stand in front of the application, each of which adds the address that it
   * sees to `X-Forwarded-For`: none unless given.
   */
  readonly proxies?: number | undefined
}

/** The peer of the connection, where the adapter for Node hands it over. */
const peerOf = (env: unknown): string | undefined =>
  (env as { incoming?: { socket?: { remoteAddress?: string } } } | undefined)?.incoming?.socket?.remoteAddress

/**
 * Gives each request a context for its events. The address is that of the connection, as far as the adapter
 * tells it (that for Node does), or what `proxies` or `address` say.
 *
 * @example
 * app.use(auditHono<Context>({ actor: (c) => c.get("user"), proxies: 1 }))
 */
export const auditHono = <C extends HonoContextLike = HonoContextLike>({
  proxies = 0,
  ...options
}: RequestOptions<C> & ProxyOptions = {}): ((context: C, next: () => Promise<void>) => Promise<void>) => {
  checkProxies(proxies)
  return (context, next) => {
    const header = (name: string) => context.req.header(name)
    const address = proxies > 0 ? forwardedAddress(header("x-forwarded-for"), proxies) : peerOf(context.env)
    return enterContext(makeContext(requestFields(context, { address, header }, options)), next)
  }
}
