/**
 * The calls of a page of the service itself, in a browser in which a person has signed in: by the session's
 * cookie, which no script can read, and without a key.
 */
import { type Endpoints, makeEndpoints } from "../Endpoints.ts"
import { Http } from "../Http.ts"
import { makePersonEndpoints, type PersonEndpoints } from "./PersonEndpoints.ts"

export type { Endpoints } from "../Endpoints.ts"
export { CairnApiError, CairnConnectionError, CairnTimeoutError } from "../Errors.ts"
export type { components } from "../Schema.ts"
export type { PersonEndpoints } from "./PersonEndpoints.ts"

/** What the calls are made with. */
export interface SessionOptions {
  /** The service's base address, which the page came from. */
  readonly url: string
  /** The workspace that calls are about, `wsp_…`; the person's calls need none. */
  readonly workspaceId?: string | undefined
  /**
   * The person whom the page shows, `per_…`: once another one has signed in in this browser, calls fail with
   * `403 other_person` and change nothing.
   */
  readonly personId?: string | undefined
  /** Makes requests; the platform's own unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The calls of the interface, and those about the person. */
export type SessionCalls = Endpoints & PersonEndpoints

/** What stands where a key would: it goes nowhere. */
const NO_KEY = "no-key-but-a-session"

/**
 * The calls of one workspace. The browser adds the cookie, to its own origin alone, and says that the request
 * is of the same origin, without which the service changes nothing.
 *
 * @throws TypeError for an address that cannot be used.
 */
export const sessionCalls = ({
  url,
  workspaceId,
  personId,
  fetch = globalThis.fetch
}: SessionOptions): SessionCalls => {
  const bySession: typeof fetch = (address, init) => {
    const headers = new Headers(init?.headers)
    headers.delete("authorization")
    if (workspaceId !== undefined) headers.set("x-cairn-workspace", workspaceId)
    if (personId !== undefined) headers.set("x-cairn-person", personId)
    return fetch(address, { ...init, headers })
  }
  const http = new Http({ url, apiKey: NO_KEY, fetch: bySession })
  return { ...makeEndpoints({ http }), ...makePersonEndpoints({ http }) }
}
