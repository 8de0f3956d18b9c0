/** The headers of responses, which the generator of the OpenAPI document does not know. */

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const text = (description: string) => ({ description, schema: { type: "string" } })

const HEADERS = {
  "X-Request-Id": text("Names the request: its own when it has a sane one"),
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

/** The headers of a response with this status. */
const headersOf = (status: string, limited: boolean): ReadonlyArray<keyof typeof HEADERS> => [
  "X-Request-Id",
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
    mapRecord(item, (operation) => ({
      ...operation,
      responses: mapRecord(operation.responses, (response, status) => ({
        ...response,
        headers: Object.fromEntries(
          headersOf(status, path.startsWith("/api/v1/")).map((name) => [
            name,
            { $ref: `#/components/headers/${name}` }
          ])
        )
      }))
    }))
  ),
  components: { ...(isRecord(document.components) ? document.components : {}), headers: HEADERS }
})
