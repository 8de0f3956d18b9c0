/** Who may call each operation of the OpenAPI document. */
import type { Scope } from "@cairn/core/workspace"
import type { Access } from "./Authorization.ts"
import { type Json, mapOperations, type Place, withComponents } from "./OpenDocument.ts"

/** What an operation asks of its caller; see {@link Access}. */
export interface Permission {
  readonly scope: Scope | null
  readonly access: Access
}

const VIEWER_TOKEN = {
  type: "http",
  scheme: "Bearer",
  bearerFormat: "JWT",
  description:
    "A viewer token, which `POST /api/v1/viewer-token` makes: it reads the events of one tenant or actor, or both, until it ends"
}

const requirements = ({ scope, access }: Permission): ReadonlyArray<Json> => {
  if (scope === null) return []
  const key = { apiKey: [] }
  if (access === "key_or_viewer") return [key, { viewerToken: [] }]
  return access === "key_or_link" ? [key, {}] : [key]
}

const WITHOUT_KEY: Record<Access, string> = {
  key: "",
  key_or_viewer: ", or a viewer token",
  key_or_link: ", or no key by a signed link"
}

const sentence = ({ scope, access }: Permission): string =>
  scope === null ? "Takes no key." : `Needs an API key with the scope \`${scope}\`${WITHOUT_KEY[access]}.`

/**
 * The document that says of each operation which scope it needs, as `x-required-scope` and in words, and
 * where a viewer token or a signed link does.
 */
export const withSecurity = (
  document: Json,
  permissionOf: (place: Place) => Permission
): Record<string, unknown> =>
  withComponents(
    mapOperations(document, (operation, place) => {
      const permission = permissionOf(place)
      const description = typeof operation.description === "string" ? `${operation.description}\n\n` : ""
      return {
        ...operation,
        description: `${description}${sentence(permission)}`,
        ...(permission.scope === null ? {} : { "x-required-scope": permission.scope }),
        security: requirements(permission)
      }
    }),
    "securitySchemes",
    { viewerToken: VIEWER_TOKEN }
  )
