/** Who may call each operation of the OpenAPI document. */
import { type Permission, rolesWith, scopeOf } from "@cairn/core/workspace"
import type { Access } from "./Authorization.ts"
import { type Json, mapOperations, type Place, withComponents } from "./OpenDocument.ts"

/** What an operation asks of its caller; see {@link Access}. */
export interface Asked {
  readonly permission: Permission | null
  readonly access: Access
}

const VIEWER_TOKEN = {
  type: "http",
  scheme: "Bearer",
  bearerFormat: "JWT",
  description:
    "A viewer token, which `POST /api/v1/viewer-token` makes: it reads the events of one tenant or actor, or both, until it ends"
}

const SESSION = {
  type: "apiKey",
  in: "cookie",
  name: "__Host-cairn",
  description:
    "The session of a person who has signed in, which a browser sends by itself. `X-Cairn-Workspace` names the workspace that is meant. " +
    "`X-Cairn-Person` may name the person whom a page shows, by `data.id` of `GET /api/v1/me`: another person's session is refused then. " +
    "What changes something is taken from the service's own pages only: by `Sec-Fetch-Site: same-origin`, or the `Origin` of the service"
}

const key = { apiKey: [] }
const session = { session: [] }

const REQUIREMENTS: Record<Access, ReadonlyArray<Json>> = {
  key: [key, session],
  key_or_viewer: [key, { viewerToken: [] }, session],
  key_or_link: [key, session, {}],
  session: [session],
  anyone: []
}

const WITHOUT_KEY: Readonly<Partial<Record<Access, string>>> = {
  key_or_viewer: ", or a viewer token",
  key_or_link: ", or no key by a signed link"
}

/** The names of roles in words: `owner`, `admin` or `developer`. */
const named = (roles: ReadonlyArray<string>): string =>
  roles
    .map((role) => `\`${role}\``)
    .join(", ")
    .replace(/, ([^,]*)$/, " or $1")

const sentence = ({ permission, access }: Asked): string => {
  if (access === "session") return "Needs the session of a person who has signed in; takes no key."
  if (permission === null) return "Takes no key."
  const roles = `the session of a member with the role ${named(rolesWith(permission))}`
  return `Needs an API key with the scope \`${scopeOf(permission)}\`, or ${roles}${WITHOUT_KEY[access] ?? ""}.`
}

const extensions = (permission: Permission): Json => ({
  "x-required-scope": scopeOf(permission),
  "x-required-permission": permission,
  "x-roles": rolesWith(permission)
})

/**
 * The document that says of each operation which scope a key needs and which role a member, as
 * `x-required-scope`, `x-required-permission` and `x-roles` and in words, and where a viewer token or a
 * signed link does.
 */
export const withSecurity = (document: Json, askedOf: (place: Place) => Asked): Record<string, unknown> =>
  withComponents(
    mapOperations(document, (operation, place) => {
      const asked = askedOf(place)
      const description = typeof operation.description === "string" ? `${operation.description}\n\n` : ""
      return {
        ...operation,
        description: `${description}${sentence(asked)}`,
        ...(asked.permission === null ? {} : extensions(asked.permission)),
        security: REQUIREMENTS[asked.access]
      }
    }),
    "securitySchemes",
    { viewerToken: VIEWER_TOKEN, session: SESSION }
  )
