import { Access, Api, ERROR_STATUS, openApiDocument, permissionFor } from "@cairn/api"
import { CONDITION_NAMES, MAX_CONDITION_VALUES, MAX_IDENTIFIER, MAX_TARGETS } from "@cairn/core/event"
import { rolesWith, scopeOf } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"

type Json = { readonly [key: string]: unknown }

/** The document as a client gets it. */
const document = JSON.parse(JSON.stringify(openApiDocument("https://audit.example.com"))) as {
  readonly openapi: string
  readonly info: Json
  readonly servers: unknown
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description?: string }>
  readonly paths: Record<string, Record<string, Operation>>
  readonly components: {
    readonly schemas: Record<string, Json>
    readonly securitySchemes: Json
    readonly headers: Json
    readonly responses: Record<string, Response>
  }
}

interface Response {
  readonly description: string
  readonly headers: Json
  readonly content: Record<string, { readonly schema: Json; readonly examples?: Record<string, Example> }>
}

interface Example {
  readonly value: { readonly error: keyof typeof ERROR_STATUS }
}

interface Operation {
  readonly operationId: string
  readonly summary?: string
  readonly security: ReadonlyArray<Json>
  readonly parameters: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly schema: Json
    readonly required: boolean
    readonly description?: string
  }>
  readonly requestBody?: {
    readonly required: boolean
    readonly content: Record<string, { readonly schema: Json }>
  }
  readonly description?: string
  readonly "x-required-scope"?: string
  readonly "x-required-permission"?: string
  readonly "x-roles"?: ReadonlyArray<string>
  readonly responses: Record<string, Response | { readonly $ref: string }>
}

/** A response, from the shared ones where the operation refers to it. */
const resolved = (response: Response | { readonly $ref: string }): Response => {
  if (!("$ref" in response)) return response
  const shared = document.components.responses[response.$ref.replace("#/components/responses/", "")]
  assert.isDefined(shared, response.$ref)
  return shared as Response
}

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation }))
)

/** Every object within a value. */
const objectsIn = (value: unknown): ReadonlyArray<Json> => {
  if (typeof value !== "object" || value === null) return []
  const inner = Object.values(value).flatMap(objectsIn)
  return Array.isArray(value) ? inner : [value as Json, ...inner]
}

const endpoints = Object.values(Api.groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path, annotations }) => ({
    method: method.toLowerCase(),
    path: path.replace(/:(\w+)/g, "{$1}"),
    permission: permissionFor(identifier),
    access: Context.get(annotations, Access)
  }))
)

describe("The OpenAPI document", () => {
  it("is of OpenAPI 3.1 and says what it is about and where", () => {
    assert.match(document.openapi, /^3\.1\.\d+$/)
    assert.strictEqual(document.info.title, "Cairn")
    assert.isString(document.info.version)
    assert.deepStrictEqual(document.servers, [{ url: "https://audit.example.com" }])
  })

  it("lists every endpoint of the interface so far, and nothing else", () => {
    assert.deepStrictEqual(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort(), [
      "DELETE /api/v1/alert-rules/{id}",
      "DELETE /api/v1/api-keys/{id}",
      "DELETE /api/v1/log-streams/{id}",
      "DELETE /api/v1/me/sessions",
      "DELETE /api/v1/me/sessions/{id}",
      "DELETE /api/v1/members/{id}",
      "DELETE /api/v1/members/{id}/sessions",
      "DELETE /api/v1/sessions/{id}",
      "DELETE /api/v1/webhooks/{id}",
      "GET /api/v1/alert-rules",
      "GET /api/v1/alert-rules/{id}",
      "GET /api/v1/alerts",
      "GET /api/v1/anchors",
      "GET /api/v1/anchors/{id}",
      "GET /api/v1/anchors/{id}/verify",
      "GET /api/v1/api-keys",
      "GET /api/v1/api-keys/{id}",
      "GET /api/v1/checkpoint",
      "GET /api/v1/checkpoint/consistency",
      "GET /api/v1/checkpoints",
      "GET /api/v1/deliveries",
      "GET /api/v1/deliveries/{id}",
      "GET /api/v1/events",
      "GET /api/v1/events/count",
      "GET /api/v1/events/export",
      "GET /api/v1/events/facets",
      "GET /api/v1/events/histogram",
      "GET /api/v1/events/live",
      "GET /api/v1/events/{id}",
      "GET /api/v1/events/{id}/proof",
      "GET /api/v1/exports",
      "GET /api/v1/exports/{id}",
      "GET /api/v1/exports/{id}/download",
      "GET /api/v1/log-streams",
      "GET /api/v1/log-streams/{id}",
      "GET /api/v1/me",
      "GET /api/v1/me/sessions",
      "GET /api/v1/members",
      "GET /api/v1/members/{id}",
      "GET /api/v1/sessions",
      "GET /api/v1/usage",
      "GET /api/v1/verification",
      "GET /api/v1/verify",
      "GET /api/v1/viewer/settings",
      "GET /api/v1/webhooks",
      "GET /api/v1/webhooks/{id}",
      "GET /api/v1/webhooks/{id}/deliveries",
      "GET /api/v1/workspace",
      "GET /healthz",
      "GET /readyz",
      "PATCH /api/v1/alert-rules/{id}",
      "PATCH /api/v1/log-streams/{id}",
      "PATCH /api/v1/members/{id}",
      "PATCH /api/v1/webhooks/{id}",
      "PATCH /api/v1/workspace",
      "POST /api/v1/alert-rules",
      "POST /api/v1/alert-rules/backtest",
      "POST /api/v1/alert-rules/{id}/backtest",
      "POST /api/v1/alerts/{id}/acknowledge",
      "POST /api/v1/anchors",
      "POST /api/v1/api-keys",
      "POST /api/v1/deliveries/{id}/redeliver",
      "POST /api/v1/events",
      "POST /api/v1/events/batch",
      "POST /api/v1/events/proofs",
      "POST /api/v1/exports",
      "POST /api/v1/log-streams",
      "POST /api/v1/log-streams/{id}/pause",
      "POST /api/v1/log-streams/{id}/resume",
      "POST /api/v1/log-streams/{id}/test",
      "POST /api/v1/members",
      "POST /api/v1/members/{id}/invite",
      "POST /api/v1/viewer-token",
      "POST /api/v1/viewer-tokens",
      "POST /api/v1/webhooks",
      "POST /api/v1/webhooks/{id}/rotate-secret",
      "POST /api/v1/webhooks/{id}/test",
      "POST /api/v1/workspace/viewer-key/rotate"
    ])
  })

  it("gives every operation a name of its own and a summary", () => {
    const names = operations.map(({ operation }) => operation.operationId)
    assert.strictEqual(new Set(names).size, names.length)
    for (const { path, operation } of operations) assert.isString(operation.summary, path)
  })

  it("resolves every reference, and defines no schema that nothing refers to", () => {
    const references = objectsIn(document).flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []))
    assert.isAbove(references.length, 50)
    const defined = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    const headers = Object.keys(document.components.headers).map((name) => `#/components/headers/${name}`)
    const shared = Object.keys(document.components.responses).map((name) => `#/components/responses/${name}`)
    assert.deepStrictEqual([...new Set(references)].sort(), [...defined, ...headers, ...shared].sort())
  })

  it("says of each operation what it takes: a key with which scope, a session with which role, or what else", () => {
    const [apiKey, session, viewerToken] = [{ apiKey: [] }, { session: [] }, { viewerToken: [] }]
    const takes = {
      key: [apiKey, session],
      key_or_viewer: [apiKey, viewerToken, session],
      key_or_link: [apiKey, session, {}],
      session: [session],
      anyone: []
    }
    const { securitySchemes } = document.components
    for (const scheme of ["apiKey", "viewerToken"])
      assert.deepInclude(securitySchemes[scheme], { type: "http", scheme: "Bearer" })
    assert.deepInclude(securitySchemes.session, { type: "apiKey", in: "cookie", name: "__Host-cairn" })
    for (const { path, method, operation } of operations) {
      const { permission = null, access = "key" } =
        endpoints.find((one) => one.path === path && one.method === method) ?? {}
      const needed = path.startsWith("/api/v1/")
      assert.strictEqual(access !== "anyone", needed, path)
      assert.strictEqual(permission !== null, needed && access !== "session", path)
      assert.deepStrictEqual(operation.security, takes[access], `${method} ${path}`)
      const asked =
        permission === null ? [null, null, null] : [scopeOf(permission), permission, rolesWith(permission)]
      const named = [
        operation["x-required-scope"] ?? null,
        operation["x-required-permission"] ?? null,
        operation["x-roles"] ?? null
      ]
      assert.deepStrictEqual(named, asked, path)
      if (permission !== null) {
        assert.include(operation.description, `the scope \`${scopeOf(permission)}\``)
        for (const role of rolesWith(permission)) assert.include(operation.description, `\`${role}\``)
      }
      assert.strictEqual("401" in operation.responses, needed, path)
    }
  })

  it("declares the parameters that a path names, as required", () => {
    for (const { path, operation } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const declared = operation.parameters.filter((parameter) => parameter.in === "path")
      assert.deepStrictEqual(
        declared.map(({ name }) => name),
        named
      )
      for (const parameter of operation.parameters) {
        // The only queries without which there is no answer.
        const needed =
          parameter.in === "path" ||
          path.endsWith("/consistency") ||
          (path.endsWith("/facets") && parameter.name === "field")
        assert.strictEqual(parameter.required, needed, `${path} ${parameter.name}`)
        assert.isString(parameter.schema.type, `${path} ${parameter.name}`)
        assert.isString(parameter.description, `${path} ${parameter.name}`)
      }
    }
  })

  it("bounds limits as the server does", () => {
    const limitOf = (path: string) =>
      document.paths[path]?.get?.parameters.find(({ name }) => name === "limit")?.schema
    const page = { type: "integer", minimum: 1, maximum: 100, default: 25 }
    assert.deepStrictEqual(limitOf("/api/v1/events"), page)
    assert.deepStrictEqual(limitOf("/api/v1/api-keys"), page)
    assert.deepStrictEqual(limitOf("/api/v1/verify"), {
      type: "integer",
      minimum: 1,
      maximum: 1_000_000,
      default: 10_000
    })
  })

  it("answers with the statuses of the interface", () => {
    const statuses = (path: string, method: string) =>
      Object.keys(document.paths[path]?.[method]?.responses ?? {})
    assert.deepStrictEqual(statuses("/api/v1/events", "post"), [
      "202",
      "400",
      "401",
      "403",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503"
    ])
    assert.deepStrictEqual(statuses("/api/v1/events/batch", "post"), [
      "202",
      "400",
      "401",
      "403",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503"
    ])
    assert.deepStrictEqual(statuses("/api/v1/events", "get"), [
      "200",
      "400",
      "401",
      "403",
      "429",
      "500",
      "503"
    ])
    assert.deepStrictEqual(statuses("/api/v1/events/{id}", "get"), [
      "200",
      "400",
      "401",
      "403",
      "404",
      "429",
      "500",
      "503"
    ])
    assert.deepStrictEqual(statuses("/api/v1/api-keys", "post")[0], "201")
  })

  it("has one schema for errors, in both forms, and shares the responses, each with the codes of its status", () => {
    const schemas = document.components.schemas as Record<string, { readonly properties: Json }>
    for (const name of ["Error", "Problem"])
      assert.deepInclude(schemas[name]?.properties.error, { enum: Object.keys(ERROR_STATUS) })
    const own: Array<string> = []
    for (const { path, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        if (!("$ref" in response)) {
          own.push(`${path} ${status}`)
          continue
        }
        const { content } = resolved(response)
        assert.deepStrictEqual(Object.keys(content), ["application/json", "application/problem+json"])
        const codes = Object.values(content["application/json"]?.examples ?? {}).map(
          ({ value }) => value.error
        )
        assert.isNotEmpty(codes, response.$ref)
        for (const code of codes) assert.strictEqual(ERROR_STATUS[code], Number(status), response.$ref)
      }
    }
    // The one with the reason for each item.
    assert.deepStrictEqual(own, ["/api/v1/events/batch 422"])
  })

  it("tells the members of each union apart, by a property and by their names", () => {
    const unions = Object.entries(document.components.schemas).flatMap(([name, { oneOf, discriminator }]) =>
      Array.isArray(oneOf) ? [[name, discriminator] as const] : []
    )
    const properties = unions.map(([name, discriminator]) => [name, (discriminator as Json).propertyName])
    assert.deepStrictEqual(Object.fromEntries(properties), {
      BatchItem: "status",
      AlertRule: "rule_type",
      AlertRuleInput: "rule_type",
      Destination: "type",
      DestinationInput: "type",
      DestinationPatch: "type"
    })
    for (const { anyOf } of objectsIn(document)) {
      // Of others, one is null, or they are a text and several of the same.
      if (!Array.isArray(anyOf)) continue
      const [one, several] = anyOf as ReadonlyArray<Json>
      if (several?.type === "array") assert.deepStrictEqual(several.items, one)
      else assert.deepInclude(anyOf, { type: "null" })
    }
  })

  it("says which parameters may be given more than once, and how often", () => {
    const parameters = document.paths["/api/v1/events"]?.get?.parameters ?? []
    const byName = new Map(parameters.map((parameter): [string, Json] => [parameter.name, { ...parameter }]))
    for (const name of CONDITION_NAMES) {
      const { style, explode, schema } = byName.get(name) ?? assert.fail(`no parameter ${name}`)
      assert.deepStrictEqual([style, explode], ["form", true], name)
      assert.deepInclude(schema as Json, { type: "array", maxItems: MAX_CONDITION_VALUES })
      assert.containsAllKeys((schema as { items: Json }).items, ["pattern", "maxLength"])
    }
    for (const name of ["from", "to", "cursor", "limit", "total"])
      assert.notProperty(byName.get(name) ?? {}, "explode", name)
  })

  it("writes an integer as one, and says of an object without known members that it has any", () => {
    for (const schema of objectsIn(document)) {
      if (Array.isArray(schema.anyOf)) assert.isAbove(schema.anyOf.length, 1)
      assert.notProperty(schema, "allOf")
      if (schema.type === "object" && !("properties" in schema))
        assert.property(schema, "additionalProperties")
    }
  })

  it("names the headers that answers carry, each where it stands", () => {
    const carriers = (header: string) =>
      operations.flatMap(({ path, operation }) =>
        Object.entries(operation.responses).flatMap(([status, response]) =>
          header in resolved(response).headers ? [{ path, status }] : []
        )
      )
    const statusesWith = (header: string) => [...new Set(carriers(header).map(({ status }) => status))].sort()
    assert.deepStrictEqual(statusesWith("Location"), ["201", "302"])
    assert.deepStrictEqual(statusesWith("WWW-Authenticate"), ["401", "403"])
    assert.deepStrictEqual(statusesWith("Accept-Encoding"), ["415"])
    assert.deepStrictEqual(statusesWith("Retry-After"), ["429", "503"])
    for (const { path, operation } of operations) {
      for (const [status, response] of Object.entries(operation.responses)) {
        const { headers } = resolved(response)
        assert.property(headers, "X-Request-Id")
        assert.strictEqual("RateLimit" in headers, path.startsWith("/api/v1/"), path)
        if (status === "429") assert.property(headers, "Retry-After")
      }
    }
  })

  it("leaves every answer open, so that a server may learn to say more, and closes what a request may say", () => {
    const { schemas } = document.components
    const closed = Object.keys(schemas).filter((name) =>
      objectsIn(schemas[name]).some(({ additionalProperties }) => additionalProperties === false)
    )
    for (const name of closed) assert.match(name, /(Input|Patch|Rotation)$/)
    for (const object of objectsIn(document.paths)) assert.notStrictEqual(object.additionalProperties, false)
    const bodies = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.values(item).flatMap(({ requestBody }) =>
        objectsIn(requestBody ?? {}).flatMap(({ $ref }) =>
          typeof $ref === "string" ? [{ path, name: $ref.slice($ref.lastIndexOf("/") + 1) }] : []
        )
      )
    )
    assert.isAbove(bodies.length, 12)
    const membersOf = (name: string): ReadonlyArray<string> => {
      const { oneOf } = schemas[name] ?? {}
      if (!Array.isArray(oneOf)) return [name]
      return oneOf.map(({ $ref }: { readonly $ref: string }) => $ref.slice($ref.lastIndexOf("/") + 1))
    }
    for (const { path, name } of bodies) {
      for (const one of membersOf(name)) assert.include(closed, one, path)
    }
  })

  it("describes every member of every body, every tag and every operation, and says which are times", () => {
    const { schemas } = document.components
    const described = (schema: Json): boolean =>
      typeof schema.description === "string" ||
      (typeof schema.$ref === "string" && described(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}))
    const bare: Array<string> = []
    const walk = (schema: Json, path: string): void => {
      for (const [name, property] of Object.entries((schema.properties ?? {}) as Record<string, Json>)) {
        const isEnvelope = name === "data" || name === "pagination"
        if (!described(property) && !isEnvelope) bare.push(`${path}.${name}`)
        // The lifetime of a token is Unix seconds.
        const isTime = /(_at|^period_start|^period_end)$/.test(name) && property.type !== "integer"
        if (isTime && !/Input|Patch/.test(path))
          assert.include(JSON.stringify(property), '"format":"date-time"', `${path}.${name}`)
        walk(property, `${path}.${name}`)
      }
      for (const inner of [schema.items, schema.anyOf, schema.oneOf].flat())
        if (typeof inner === "object" && inner !== null) walk(inner as Json, path)
    }
    for (const [name, schema] of Object.entries(schemas)) {
      assert.isString(schema.description, name)
      walk(schema, name)
    }
    for (const { path, method, operation } of operations) {
      assert.isString(operation.description, path)
      for (const response of Object.values(operation.responses))
        for (const { schema } of Object.values(resolved(response).content ?? {}))
          walk(schema, `${method} ${path}`)
    }
    assert.deepStrictEqual(bare, [])
    for (const tag of document.tags) assert.isString(tag.description, tag.name)
  })

  it("tells an event's limits", () => {
    const { properties, required } = document.components.schemas.EventInput as {
      readonly properties: Record<string, Json>
      readonly required: ReadonlyArray<string>
    }
    assert.deepStrictEqual(required, ["actor_id", "action"])
    assert.deepInclude(properties.action, {
      type: "string",
      minLength: 1,
      maxLength: MAX_IDENTIFIER,
      not: { pattern: "^cairn\\." }
    })
    assert.deepInclude(properties.version, {
      anyOf: [{ type: "integer", format: "int64" }, { type: "null" }]
    })
    assert.deepInclude(properties.targets, {
      anyOf: [
        { type: "array", items: { $ref: "#/components/schemas/TargetInput" }, maxItems: MAX_TARGETS },
        { type: "null" }
      ]
    })
  })
})
