/** The headers of requests and responses, which the generator of the OpenAPI document does not know. */
import type { EndpointName } from "./ApiGroups.ts"

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text = (description: string) => ({ description, schema: { type: "string" } })

const HEADERS = {
  "X-Request-Id": text("Names the request: its own when it has a sane one"),
  "X-Cairn-Position": text(
    "Where the server reads from replicas of its database: how far it was written when the change was in it, sealed. A read that " +
      "sends it back sees the change, whichever process answers. The greatest text of several takes the place of the others"
  ),
  "RateLimit-Policy": text(
    "The workspace's limit (draft-ietf-httpapi-ratelimit-headers-10); absent without one"
  ),
  RateLimit: text("What is left of it"),
  "Retry-After": {
    description: "Whole seconds to wait before trying again",
    schema: { type: "integer", minimum: 1 }
  },
  Location: {
    description: "Where what was created is, or where to go on by a signed address",
    schema: { type: "string", format: "uri-reference" }
  },
  "WWW-Authenticate": text(
    "The scheme that is asked for (RFC 6750): with `invalid_token` where a token was sent, with `insufficient_scope` and the scope " +
      "that is needed where the token lacks it"
  ),
  Accept: text("The media type that a body must have, where it has another"),
  "Accept-Encoding": text("The coding that a body may have, where it has another (RFC 9110 section 12.5.3)")
} as const

/** The endpoints that read the log, which replicas of the database may answer. */
export const READ_FROM_REPLICAS: ReadonlySet<string> = new Set<EndpointName>([
  "listEvents",
  "getEvent",
  "countEvents",
  "eventHistogram",
  "eventFacets",
  "exportEvents",
  "verify"
])

const POSITION_PARAMETER = {
  name: "X-Cairn-Position",
  in: "header",
  required: false,
  description:
    "That of a previous response, which the answer includes then, whichever process gives it; `400` for a text that has not its form",
  schema: { type: "string", minLength: 83, maxLength: 83 }
}

/** The parameters of an operation, with the header that a read may have. */
const withPosition = ({ operationId, parameters }: Record<string, unknown>) => {
  const own = Array.isArray(parameters) ? parameters : []
  const name = String(operationId).split(".").at(-1) ?? ""
  return READ_FROM_REPLICAS.has(name) ? [...own, POSITION_PARAMETER] : own
}

/** The headers of a response with this status. */
const headersOf = (
  status: string,
  { limited, changes }: { readonly limited: boolean; readonly changes: boolean }
): ReadonlyArray<keyof typeof HEADERS> => [
  "X-Request-Id",
  ...(changes && status < "400" ? (["X-Cairn-Position"] as const) : []),
  ...(limited ? (["RateLimit-Policy", "RateLimit"] as const) : []),
  ...(limited && (status === "429" || status === "503") ? (["Retry-After"] as const) : []),
  ...(status === "201" || status === "302" ? (["Location"] as const) : []),
  ...(status === "401" || status === "403" ? (["WWW-Authenticate"] as const) : []),
  ...(status === "415" ? (["Accept", "Accept-Encoding"] as const) : [])
]

const mapRecord = (
  value: unknown,
  f: (child: Record<string, unknown>, key: string) => unknown
): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).map(([key, child]) => [
      key,
      isRecord(child) ? f(child, key) : child
    ])
  )

/**
 * The same document with the headers of every response. Rate limits hold under `/api/v1`, where a workspace
 * is known.
 */
export const withHeaders = (document: Record<string, unknown>): Record<string, unknown> => ({
  ...document,
  paths: mapRecord(document.paths, (item, path) =>
    mapRecord(item, (operation, method) => ({
      ...operation,
      parameters: withPosition(operation),
      responses: mapRecord(operation.responses, (response, status) => ({
        ...response,
        headers: Object.fromEntries(
          headersOf(status, { limited: path.startsWith("/api/v1/"), changes: method !== "get" }).map(
            (name) => [name, { $ref: `#/components/headers/${name}` }]
          )
        )
      }))
    }))
  ),
  components: { ...(isRecord(document.components) ? document.components : {}), headers: HEADERS }
})
