/** What a key is for, and the scopes that it needs for that. */
import type { Permission, Schemas } from "../../data/Schemas.ts"

/** A scope of a key. */
export type Scope = Schemas["ApiKey"]["scopes"][number]

/** What a key is for. */
export type Purpose = "send" | "read" | "all" | "custom"

/** Every scope, in the order in which they are shown. */
export const SCOPES: ReadonlyArray<Scope> = ["ingest", "read", "export", "viewer", "admin"]

const OF_PURPOSE: Readonly<Record<Exclude<Purpose, "custom">, ReadonlyArray<Scope>>> = {
  send: ["ingest"],
  read: ["read"],
  all: ["ingest", "read", "export", "viewer"]
}

/** A permission that everybody has whose role has all permissions of the scope, and nobody else. */
const TELLING: Readonly<Record<Scope, Permission>> = {
  ingest: "events:write",
  read: "events:read",
  export: "exports:create",
  viewer: "viewer_tokens:create",
  admin: "owners:write"
}

/** The scopes that a person with these permissions may give to a key. */
export const scopesToGive = (permissions: ReadonlyArray<Permission>): ReadonlyArray<Scope> =>
  SCOPES.filter((scope) => permissions.includes(TELLING[scope]))

/** The scopes of a purpose; those that were picked, where it is one's own. */
export const scopesOf = (purpose: Purpose, picked: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  purpose === "custom" ? picked : OF_PURPOSE[purpose]

/** The purposes for which a key can be made by somebody who may give these scopes. */
export const purposesFor = (given: ReadonlyArray<Scope>): ReadonlyArray<Purpose> =>
  (["send", "read", "all", "custom"] as const).filter((purpose) =>
    scopesOf(purpose, given).every((scope) => given.includes(scope))
  )

/** The purpose that an address names (`?for=send`); undefined where there is none. */
export const purposeNamed = (name: string | undefined): Purpose | undefined =>
  (["send", "read", "all", "custom"] as const).find((purpose) => purpose === name)

/** How a key is. */
export type KeyState = "active" | "ending" | "ended" | "revoked"

/** Milliseconds before the end of a key at which its users should be warned. */
const SOON = 14 * 86_400_000

/** How a key is at a time. */
export const stateOf = (
  { revoked_at, expires_at }: Pick<Schemas["ApiKey"], "revoked_at" | "expires_at">,
  now: number
): KeyState => {
  if (revoked_at !== null) return "revoked"
  if (expires_at === null) return "active"
  const left = Date.parse(expires_at) - now
  return left <= 0 ? "ended" : left < SOON ? "ending" : "active"
}
