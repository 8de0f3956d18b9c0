/** What roles there are, who may give which, and what each may do. */
import type { Permission, Schemas } from "../../data/Schemas.ts"

/** The name of a role. */
export type RoleName = Schemas["Member"]["role"]

/** The roles, the most powerful first. */
export const ROLES: ReadonlyArray<RoleName> = ["owner", "admin", "developer", "auditor", "member"]

/** A line of the table of roles: what those of a role and above may do. */
export interface Capability {
  readonly name: "read" | "export" | "inspect" | "send" | "operate" | "people" | "settings" | "owners"
  /** The least powerful role that may do it. */
  readonly from: RoleName
  /** The permissions that it stands for. */
  readonly permissions: ReadonlyArray<Permission>
}

/** The table of roles. A test holds it against the service's permission model. */
export const CAPABILITIES: ReadonlyArray<Capability> = [
  {
    name: "read",
    from: "member",
    permissions: ["events:read", "log:verify", "alerts:read", "workspace:read", "usage:read"]
  },
  { name: "export", from: "auditor", permissions: ["exports:read", "exports:create"] },
  {
    name: "inspect",
    from: "auditor",
    permissions: ["alert_rules:read", "webhooks:read", "log_streams:read", "api_keys:read", "members:read"]
  },
  { name: "send", from: "developer", permissions: ["events:write", "viewer_tokens:create"] },
  {
    name: "operate",
    from: "developer",
    permissions: [
      "alerts:acknowledge",
      "alert_rules:write",
      "webhooks:write",
      "log_streams:write",
      "api_keys:write"
    ]
  },
  { name: "people", from: "admin", permissions: ["members:write", "sessions:read", "sessions:end"] },
  { name: "settings", from: "admin", permissions: ["workspace:write", "viewer_key:rotate", "anchors:close"] },
  { name: "owners", from: "owner", permissions: ["owners:write"] }
]

/** Whether a role may do something of the table. */
export const may = (role: RoleName, { from }: Capability): boolean =>
  ROLES.indexOf(role) <= ROLES.indexOf(from)

/** The roles that have a permission, the most powerful first. */
export const rolesThatMay = (permission: Permission): ReadonlyArray<RoleName> =>
  ROLES.filter((role) =>
    CAPABILITIES.some((line) => line.permissions.includes(permission) && may(role, line))
  )

/** Whether a role is less powerful than another. */
export const isLower = (role: RoleName, than: RoleName): boolean => ROLES.indexOf(role) > ROLES.indexOf(than)

/** The roles that somebody with these permissions may give. */
export const rolesToGive = (permissions: ReadonlyArray<Permission>): ReadonlyArray<RoleName> =>
  ROLES.filter((role) => role !== "owner" || permissions.includes("owners:write"))

/**
 * Whether access with a role can end by itself: owners and admins get notifications that they must not miss.
 */
export const canEnd = (role: RoleName): boolean => role !== "owner" && role !== "admin"

/** Whether somebody with these permissions may change or remove a member. */
export const mayChange = (
  permissions: ReadonlyArray<Permission>,
  { role }: Pick<Schemas["Member"], "role">
): boolean =>
  permissions.includes("members:write") && (role !== "owner" || permissions.includes("owners:write"))

/** What tells owners apart. */
type OwnerFields = Pick<Schemas["Member"], "id" | "role" | "signed_in_at">

/**
 * Whether the workspace would be without an owner, or without one who has signed in, if this one went. The
 * service decides; the page says it before.
 */
export const isLastOwner = (members: ReadonlyArray<OwnerFields>, member: OwnerFields): boolean => {
  if (member.role !== "owner") return false
  const others = members.filter(({ id, role }) => role === "owner" && id !== member.id)
  return member.signed_in_at === null
    ? others.length === 0
    : !others.some(({ signed_in_at }) => signed_in_at !== null)
}
