/**
 * What pages of other origins may do (CORS): read what is answered to viewer tokens, from where the token's
 * workspace lets its viewer be embedded.
 *
 * A preflight request carries no token, so it is answered to any origin, for what a viewer token may do. It
 * decides nothing: without `Access-Control-Allow-Origin` in the answer itself, a browser shows it to nobody.
 */
import { isOriginOf } from "@cairn/core/workspace"
import { Effect } from "effect"
import { subjectOf, type ViewerPage } from "../endpoints/ViewerPage.ts"
import type { Answer } from "../plumbing/Answer.ts"
import type { Exchange } from "../plumbing/Exchange.ts"
import { match } from "../plumbing/Routes.ts"
import { readViewerToken } from "./Gate.ts"

/** Headers that a page may send. Browsers allow a few others in any case. */
const ALLOWED_HEADERS = "authorization, content-type, x-cairn-position, x-request-id"
/** Headers that a page may read. */
const EXPOSED_HEADERS =
  "content-disposition, ratelimit, ratelimit-policy, retry-after, www-authenticate, x-cairn-position, x-request-id"
/** How long a browser may keep the answer to a preflight; none keeps it for longer than a day. */
const MAX_AGE_SECONDS = 7_200

/** The answer to a preflight request; undefined for any other, and for what a viewer token may not do. */
export const preflight = ({ message: { method, headers }, path }: Exchange): Answer | undefined => {
  const { origin, "access-control-request-method": wanted } = headers
  if (method !== "OPTIONS" || origin === undefined || wanted === undefined) return undefined
  const found = match(wanted, path)
  if (found.kind !== "route" || found.route.access !== "key_or_viewer") return undefined
  return {
    status: 204,
    body: "",
    contentType: "text/plain",
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": wanted,
      "access-control-allow-headers": ALLOWED_HEADERS,
      "access-control-max-age": String(MAX_AGE_SECONDS),
      vary: "origin, access-control-request-method"
    }
  }
}

/**
 * Sets the headers that let the page of a request read the answer to it, an error included, if it may. Who
 * may is no secret: the viewer's page says it in a header.
 */
export const makeCrossOrigin = (
  { ancestorsOf }: Pick<ViewerPage["Service"], "ancestorsOf">,
  baseUrl: string
): ((exchange: Exchange) => Effect.Effect<void>) => {
  const scheme = baseUrl.startsWith("https:") ? "https" : "http"
  return (exchange) => {
    const { origin, authorization } = exchange.message.headers
    exchange.vary.add("origin")
    const token = origin === undefined ? undefined : readViewerToken(authorization)
    const workspaceId = token === undefined ? undefined : subjectOf(token)
    if (origin === undefined || workspaceId === undefined) return Effect.void
    return Effect.matchEffect(ancestorsOf(workspaceId), {
      // The request itself fails for the same reason, or does not.
      onFailure: () => Effect.void,
      onSuccess: (sources) =>
        Effect.sync(() => {
          if (!isOriginOf(origin, sources, scheme)) return
          exchange.crossOrigin = {
            "access-control-allow-origin": origin,
            "access-control-expose-headers": EXPOSED_HEADERS
          }
        })
    })
  }
}
