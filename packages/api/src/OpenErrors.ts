/** The errors of the OpenAPI document: one schema for their bodies, and a response for each kind, shared. */
import { ERROR_DESCRIPTIONS } from "./ErrorBody.ts"
import { ERROR_STATUS, type ErrorCode } from "./ErrorCode.ts"
import {
  isRecord,
  type Json,
  mapOperations,
  mapRecord,
  member,
  type Place,
  withComponents
} from "./OpenDocument.ts"

const PREFIX = "#/components/schemas/Error_"

const isCode = (text: string): text is ErrorCode => Object.hasOwn(ERROR_STATUS, text)

const details = {
  errors: {
    type: "array",
    items: { $ref: "#/components/schemas/FieldError" },
    description: "The wrong values of a body, or the parameter that is not valid"
  },
  unknown_fields: {
    type: "array",
    items: { type: "string" },
    description: "Members of a body that the server does not know, by their JSON paths"
  }
}

const code = {
  type: "string",
  enum: Object.keys(ERROR_STATUS),
  description: "A stable code, to branch on"
}

const message = { type: "string", description: "For a person; it may be worded differently tomorrow" }

/** The bodies of errors: Cairn's own, and that of RFC 9457. */
const SCHEMAS = {
  FieldError: {
    type: "object",
    description: "What is wrong with one member of a body, or with a parameter",
    properties: {
      field: {
        type: "string",
        description: "Its JSON path, such as `targets[0].type`, or the parameter's name"
      },
      message: { type: "string", description: "What is wrong with it" }
    },
    required: ["field", "message"]
  },
  Error: {
    type: "object",
    description: "What went wrong",
    properties: {
      error: code,
      message,
      ...details
    },
    required: ["error", "message"]
  },
  Problem: {
    type: "object",
    description: "The same as problem details (RFC 9457), with `Accept: application/problem+json`",
    properties: {
      type: { type: "string", enum: ["about:blank"], description: "The status says it all" },
      title: { type: "string", description: "The status in words" },
      status: { type: "integer", minimum: 400, maximum: 599, description: "The status" },
      detail: { type: "string", description: "The same as `message`" },
      error: code,
      message,
      ...details
    },
    required: ["type", "title", "status", "detail", "error", "message"]
  }
} as const

/** The codes that a response's body may have; undefined if it is no error's, or has a schema of its own. */
const codesOf = (response: Json): ReadonlyArray<ErrorCode> | undefined => {
  const { schema } = member(member(response, "content"), "application/json")
  if (!isRecord(schema)) return undefined
  const schemas = Array.isArray(schema.anyOf) ? schema.anyOf : [schema]
  const codes = schemas.map((one: unknown) =>
    isRecord(one) && typeof one.$ref === "string" && one.$ref.startsWith(PREFIX)
      ? one.$ref.slice(PREFIX.length)
      : ""
  )
  return codes.every(isCode) ? codes : undefined
}

const pascal = (text: string): string =>
  text.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/** Another of the generated responses: for codes that an operation's contract does not name. */
const generated = (codes: ReadonlyArray<ErrorCode>) => ({
  description: "",
  content: { "application/json": { schema: { anyOf: codes.map((one) => ({ $ref: `${PREFIX}${one}` })) } } }
})

/**
 * What an operation may answer though its contract does not say it: any request may have an unknown
 * parameter, and one that has no body may be sent with one.
 */
const unexpected = (operation: Json, { path, method }: Place): ReadonlyArray<ErrorCode> => {
  if (!path.startsWith("/api/v1/")) return []
  if (method === "get" || isRecord(operation.requestBody)) return ["invalid_parameter"]
  return [
    "invalid_parameter",
    "malformed_json",
    "payload_too_large",
    "unsupported_media_type",
    "validation_failed"
  ]
}

const codeNames = Object.keys(ERROR_STATUS).filter(isCode)

/** The document whose operations list every error that they may answer. */
export const withEveryError = (document: Json): Record<string, unknown> =>
  mapOperations(document, (operation, place) => {
    const responses = member(operation, "responses")
    const said = Object.values(responses).flatMap((response) =>
      isRecord(response) ? (codesOf(response) ?? []) : []
    )
    const codes = new Set([...unexpected(operation, place), ...said])
    const errors = Map.groupBy(
      codeNames.filter((one) => codes.has(one)),
      (one) => String(ERROR_STATUS[one])
    )
    const own = Object.entries(responses).filter(
      ([, response]) => !isRecord(response) || codesOf(response) === undefined
    )
    const all = [...own, ...[...errors].map(([status, ones]) => [status, generated(ones)] as const)]
    return { ...operation, responses: Object.fromEntries(all) }
  })

/** The name of the response for some codes; the headers of those under `/api/v1` are others. */
const responseName = (codes: ReadonlyArray<ErrorCode>, { path }: Place): string =>
  `${path.startsWith("/api/v1/") ? "" : "Plain"}${codes.map(pascal).join("Or")}`

/** A response that several operations share, by the codes that it may have. */
const sharedResponse = (codes: ReadonlyArray<ErrorCode>, headers: unknown) => ({
  description: codes.map((one) => `\`${one}\`: ${ERROR_DESCRIPTIONS[one]}`).join(". "),
  headers,
  content: {
    "application/json": {
      schema: { $ref: "#/components/schemas/Error" },
      examples: Object.fromEntries(
        codes.map((one) => [one, { value: { error: one, message: ERROR_DESCRIPTIONS[one] } }])
      )
    },
    "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } }
  }
})

/**
 * The document with one schema for the bodies of errors, in place of one for each code, and with responses
 * that operations share.
 */
export const withSharedErrors = (document: Json): Record<string, unknown> => {
  const shared = Object.entries(member(document, "paths")).flatMap(([path, item]) =>
    Object.values(isRecord(item) ? item : {}).flatMap((operation) =>
      Object.values(member(operation, "responses")).flatMap((response) => {
        const codes = isRecord(response) ? codesOf(response) : undefined
        return codes === undefined || !isRecord(response)
          ? []
          : [[responseName(codes, { path, method: "" }), sharedResponse(codes, response.headers)] as const]
      })
    )
  )
  const named = mapOperations(document, (operation, place) => ({
    ...operation,
    responses: mapRecord(operation.responses, (response) => {
      const codes = codesOf(response)
      return codes === undefined ? response : { $ref: `#/components/responses/${responseName(codes, place)}` }
    })
  }))
  const components = member(named, "components")
  const schemas = Object.entries(member(components, "schemas")).filter(([name]) => !name.startsWith("Error_"))
  return withComponents(
    { ...named, components: { ...components, schemas: { ...Object.fromEntries(schemas), ...SCHEMAS } } },
    "responses",
    Object.fromEntries(shared)
  )
}
