/** A browser at a page to sign in, and the answers that it gets. */
import { Effect } from "effect"
import { type ClientAddress, subnetOf } from "../gate/ClientAddress.ts"
import { type Guard, take } from "../gate/Guard.ts"
import { isSameOrigin } from "../gate/SameOrigin.ts"
import { type Site, siteOf } from "../gate/SessionCookie.ts"
import type { Answer, AnswerCookie } from "../plumbing/Answer.ts"
import { ApiError } from "../plumbing/ApiError.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import { languageOf, PAGE_POLICY, type Visit } from "./pages/index.ts"

/** A request by a browser. */
export interface Visitor extends Visit {
  readonly exchange: Exchange
  readonly site: Site
  readonly address: ClientAddress
}

/** What is known of the browser. Its answers differ by its language and its cookie. */
export const visitorOf = (
  { addressOf, baseUrl }: Pick<Guard, "addressOf" | "baseUrl">,
  exchange: Exchange
): Visitor => {
  const { message } = exchange
  exchange.vary.add("accept-language").add("cookie")
  return {
    exchange,
    site: siteOf(baseUrl, message),
    address: addressOf(message),
    language: languageOf(message.headers["accept-language"]),
    host: message.headers.host ?? ""
  }
}

const HEADERS = {
  "content-security-policy": PAGE_POLICY,
  // A form of the page says where it comes from; no other site learns of an address with a secret in it.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY"
}

/** A page. */
export const pageAnswer = (
  page: string,
  status = 200,
  cookies: ReadonlyArray<AnswerCookie> = []
): Answer => ({
  status,
  body: page,
  contentType: "text/html; charset=utf-8",
  headers: HEADERS,
  cookies
})

/** Sends the browser to another page. */
export const goTo = (location: string, cookies: ReadonlyArray<AnswerCookie> = []): Answer => ({
  status: 303,
  body: "",
  contentType: "text/plain; charset=utf-8",
  headers: { ...HEADERS, location },
  cookies
})

/** Fails unless the request comes from a page of the service. */
export const ownPageOnly = ({ baseUrl }: Pick<Guard, "baseUrl">, { exchange }: Visitor) =>
  isSameOrigin(baseUrl, exchange.message)
    ? Effect.void
    : Effect.fail(
        new ApiError({ code: "cross_origin", message: "This did not come from a page of the service" })
      )

/** Counts a request of a network against `perMinute` of its kind. */
export const limited = (
  guard: Pick<Guard, "limiter">,
  { exchange, address }: Visitor,
  kind: string,
  perMinute: number
) => take(guard, exchange, `sign-in ${kind} ${subnetOf(address)}`, perMinute)
