/**
 * The permission model, as one table: what each permission allows, and who has it. The gate of the server,
 * the console and the documentation read it.
 */
import { Schema } from "effect"
import type { Scope } from "./ApiKey.ts"

/**
 * The role of a member. `owner` may do everything; `admin` everything but what concerns owners; `developer`
 * keeps keys, rules, webhooks and log streams; `auditor` reads, verifies and exports, and changes nothing;
 * `member` reads the log.
 */
export const MemberRole = Schema.Literals(["owner", "admin", "developer", "auditor", "member"])
export type MemberRole = typeof MemberRole.Type

/** A line of the table. */
interface PermissionLine {
  /** The scope that an API key needs. */
  readonly scope: Scope
  /** The roles of members that have it. */
  readonly roles: ReadonlyArray<MemberRole>
  /** What it allows, in words that follow "may". */
  readonly allows: string
}

const EVERYONE = MemberRole.literals
const OWNERS = ["owner"] as const
const ADMINS = ["owner", "admin"] as const
const DEVELOPERS = ["owner", "admin", "developer"] as const
const AUDITORS = ["owner", "admin", "developer", "auditor"] as const

/** The table. */
export const PERMISSIONS = {
  "events:write": { scope: "ingest", roles: DEVELOPERS, allows: "send events" },
  "events:read": { scope: "read", roles: EVERYONE, allows: "list, search, count and read events" },
  "log:verify": {
    scope: "read",
    roles: EVERYONE,
    allows: "verify, and read proofs, checkpoints and anchors"
  },
  "anchors:close": { scope: "admin", roles: ADMINS, allows: "close a period and anchor it" },
  "alerts:read": { scope: "read", roles: EVERYONE, allows: "list alerts" },
  "alerts:acknowledge": { scope: "admin", roles: DEVELOPERS, allows: "acknowledge an alert" },
  "exports:read": { scope: "export", roles: AUDITORS, allows: "list exports and download their files" },
  "exports:create": { scope: "export", roles: AUDITORS, allows: "export events, and evidence" },
  "viewer_tokens:create": { scope: "viewer", roles: DEVELOPERS, allows: "make viewer tokens" },
  "alert_rules:read": { scope: "admin", roles: AUDITORS, allows: "read alert rules" },
  "alert_rules:write": { scope: "admin", roles: DEVELOPERS, allows: "change and back-test alert rules" },
  "webhooks:read": { scope: "admin", roles: AUDITORS, allows: "read webhooks and deliveries" },
  "webhooks:write": { scope: "admin", roles: DEVELOPERS, allows: "change webhooks, and send again" },
  "log_streams:read": { scope: "admin", roles: AUDITORS, allows: "read log streams and their lag" },
  "log_streams:write": { scope: "admin", roles: DEVELOPERS, allows: "change and replay log streams" },
  "api_keys:read": { scope: "admin", roles: AUDITORS, allows: "list API keys, without their secrets" },
  "api_keys:write": {
    scope: "admin",
    roles: DEVELOPERS,
    allows: "revoke API keys, and create lesser ones"
  },
  "members:read": { scope: "admin", roles: AUDITORS, allows: "list members" },
  "members:write": { scope: "admin", roles: ADMINS, allows: "invite, change and remove members" },
  "owners:write": { scope: "admin", roles: OWNERS, allows: "make, change and remove owners" },
  "sessions:read": { scope: "admin", roles: ADMINS, allows: "list the sessions of members" },
  "sessions:end": { scope: "admin", roles: ADMINS, allows: "end the sessions of members" },
  "workspace:read": { scope: "admin", roles: EVERYONE, allows: "read the workspace's settings" },
  "viewer_key:rotate": {
    scope: "admin",
    roles: ADMINS,
    allows: "replace the key that signs viewer tokens"
  },
  "workspace:write": { scope: "admin", roles: ADMINS, allows: "change the workspace's settings" },
  "usage:read": { scope: "admin", roles: EVERYONE, allows: "read what was used of the plan" }
} as const satisfies Record<string, PermissionLine>

/** The name of a permission. */
export type Permission = keyof typeof PERMISSIONS

const lines: Readonly<Record<Permission, PermissionLine>> = PERMISSIONS

/** Every permission, in the order of the table. */
export const PERMISSION_NAMES = Object.keys(PERMISSIONS) as ReadonlyArray<Permission>

/** The scope that an API key needs for a permission. */
export const scopeOf = (permission: Permission): Scope => lines[permission].scope

/** The roles that have a permission, the most powerful first. */
export const rolesWith = (permission: Permission): ReadonlyArray<MemberRole> => lines[permission].roles

/** Whether an API key with these scopes has a permission. */
export const scopesAllow = (scopes: ReadonlyArray<Scope>, permission: Permission): boolean =>
  scopes.includes(lines[permission].scope)

/** Whether a member with this role has a permission. */
export const roleAllows = (role: MemberRole, permission: Permission): boolean =>
  lines[permission].roles.includes(role)

/** What a role may do, in the order of the table. */
export const permissionsOf = (role: MemberRole): ReadonlyArray<Permission> =>
  PERMISSION_NAMES.filter((permission) => roleAllows(role, permission))

/**
 * The scopes that a member with this role may give to a key: those whose every permission the role has, so
 * that nobody makes a key that may do more than its maker.
 */
export const scopesWithin = (role: MemberRole, scopes: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  scopes.filter((scope) =>
    PERMISSION_NAMES.every((permission) => lines[permission].scope !== scope || roleAllows(role, permission))
  )
