/** From a request to the members of its events. */
import { uuid7 } from "../Uuid7.ts"
import type { ContextFields } from "./AuditContext.ts"

/** Who acts. */
export interface Actor {
  readonly id: string
  readonly name?: string | null | undefined
  readonly type?: string | null | undefined
}

/**
 * What an application knows of a request. Each function is called for every event, so that it may depend on
 * what an authentication after the middleware has set. If one throws or returns nothing, its member is left
 * out.
 */
export interface RequestOptions<R> {
  /** Who acts: `anonymous` where it gives nobody, `unknown` where it throws or gives no id. */
  readonly actor?: ((request: R) => Actor | null | undefined) | undefined
  /** The customer of yours that the request is for. */
  readonly tenant?: ((request: R) => string | null | undefined) | undefined
  /** The session, by a name of it that opens nothing: a hash of its id, never the id. */
  readonly session?: ((request: R) => string | null | undefined) | undefined
  /** The address of the end user, where the framework's own is not it. */
  readonly address?: ((request: R) => string | null | undefined) | undefined
  /** Further metadata for each event. */
  readonly metadata?: ((request: R) => Readonly<Record<string, unknown>> | undefined) | undefined
}

/** What a framework knows of a request by itself. */
export interface RequestFacts {
  readonly address: string | undefined
  /** A header by its name in lower case. */
  readonly header: (name: string) => string | undefined
}

/** The actor of a request that nobody is known to have made. */
const ANONYMOUS: Actor = { id: "anonymous", type: "anonymous" }
/** The actor where the application could not say who it is. */
const UNKNOWN: Actor = { id: "unknown", type: "unknown" }

/** An id that is text of others: short, and visible. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/

const V4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/
const V6 = /^[\da-f:.]{2,45}$/i

/** Without `node:net`, which edge runtimes do not have. */
const isAddress = (text: string): boolean =>
  V4.test(text) || (V6.test(text) && URL.canParse(`http://[${text}]`))

/**
 * An address as the service takes it, without the port, brackets or zone that it may be written with;
 * `undefined` for what is none: an event must not be refused for a header that anybody can write.
 */
export const addressOf = (text: string | null | undefined): string | undefined => {
  const trimmed = (text ?? "").trim()
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(trimmed) ?? []
  const [, beforePort] = /^([\d.]+):\d+$/.exec(trimmed) ?? []
  const [address = ""] = (bracketed ?? beforePort ?? trimmed).split("%")
  return isAddress(address) ? address : undefined
}

/**
 * The address of the end user behind this number of one's own proxies. Each of them adds the address that it
 * sees at the right end of `X-Forwarded-For`. Addresses further left were written by the client. With fewer
 * entries than proxies, or one that is no address, it is not known.
 */
export const forwardedAddress = (header: string | undefined, proxies: number): string | undefined =>
  proxies < 1 ? undefined : addressOf((header ?? "").split(",").at(-proxies))

/** Most characters of a name and of a type. */
const MAX = { name: 1024, type: 256 }

/** A name as a text: databases have numbers. `undefined` for what is none. */
const textOf = (value: unknown): string | undefined => {
  const isNumber = typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))
  if (isNumber) return String(value)
  return typeof value === "string" && value !== "" ? value : undefined
}

/** A text that anybody may have chosen must not keep an event out of the log: what is too long is cut. */
const cut = (value: unknown, characters: number): string | undefined => {
  const text = textOf(value)
  if (text === undefined || text.length <= characters) return text
  return [...text.slice(0, 2 * characters)].slice(0, characters).join("")
}

/** The actor that the application names; an unknown actor if an event cannot name that one. */
const actorOf = (actor: Actor | null | undefined): ContextFields | undefined => {
  if (actor === null || actor === undefined) return undefined
  const actor_id = textOf(actor.id)
  if (actor_id === undefined) return { actor_id: UNKNOWN.id, actor_type: UNKNOWN.type ?? undefined }
  return { actor_id, actor_name: cut(actor.name, MAX.name), actor_type: cut(actor.type, MAX.type) }
}

/** @throws TypeError for what is no number of proxies. */
export const checkProxies = (proxies: number): void => {
  if (!Number.isSafeInteger(proxies) || proxies < 0) throw new TypeError("proxies must be a whole number")
}

const requestIdOf = (header: RequestFacts["header"]): string => {
  const given = header("x-request-id")
  if (given !== undefined && REQUEST_ID.test(given)) return given
  return TRACE_PARENT.exec(header("traceparent") ?? "")?.[1] ?? uuid7(Date.now())
}

/** The result of the application's function; `otherwise` if it throws, so that no request fails for it. */
const given = <R, A>(ask: ((request: R) => A) | undefined, request: R, otherwise?: A): A | undefined => {
  try {
    return ask?.(request)
  } catch {
    return otherwise
  }
}

/** A function that gives the members that a request's events get. */
export const requestFields = <R>(
  request: R,
  facts: RequestFacts,
  options: RequestOptions<R>
): ((outer: ContextFields) => ContextFields) => {
  const own_id = requestIdOf(facts.header)
  return (outer) => {
    // Middleware within other middleware adds to it, and takes nothing from it.
    const isKnown = outer.actor_id !== undefined
    const actor = given(options.actor, request, isKnown ? null : UNKNOWN) ?? (isKnown ? undefined : ANONYMOUS)
    const request_id = outer.metadata?.request_id ?? own_id
    return {
      ...actorOf(actor),
      tenant_id: textOf(given(options.tenant, request)),
      session_id: textOf(given(options.session, request)),
      ip_address: addressOf(given(options.address, request)) ?? outer.ip_address ?? addressOf(facts.address),
      metadata: { ...given(options.metadata, request), request_id }
    }
  }
}
