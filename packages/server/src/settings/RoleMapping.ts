/** Which roles the groups and addresses of an identity provider give: `CAIRN_OIDC_ROLES`, read. */
import { addressKey, MemberRole } from "@cairn/core/workspace"
import { Option, Schema } from "effect"
import { splitAtCommas } from "./TextSchemas.ts"

/** A line of the mapping. */
export const RoleRule = Schema.Struct({
  /** What gives the role: a group as the provider names it, or the domain of a confirmed address. */
  kind: Schema.Literals(["group", "domain"]),
  /** The group's name, or the domain in lower case. */
  name: Schema.String,
  role: MemberRole,
  workspaceId: Schema.String
})
export type RoleRule = typeof RoleRule.Type

/** What an identity provider says of a person, as far as it gives roles. */
interface RoleClaims {
  readonly groups: ReadonlyArray<string>
  readonly address: string | null
  readonly isConfirmed: boolean
}

/** A role in a workspace. */
export interface MappedRole {
  readonly workspaceId: string
  readonly role: MemberRole
}

const RULE =
  /^(group|domain):(.+)=([a-z]+)@(wsp_[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/
const DOMAIN = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/
/** Longest rule that is read, in characters. */
const LONGEST = 1_000

const decodeRule = Schema.decodeUnknownOption(RoleRule)

/** The name of a group, in which a comma is written `%2C` and a percent sign `%25`. */
const groupName = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const domainName = (text: string): string | undefined => {
  const domain = addressKey(text)
  return DOMAIN.test(domain) ? domain : undefined
}

const readRule = (text: string): RoleRule | undefined => {
  const [, kind, name = "", role, workspaceId] = text.length > LONGEST ? [] : (RULE.exec(text) ?? [])
  const read = kind === "domain" ? domainName(name) : groupName(name)
  return Option.getOrUndefined(decodeRule({ kind, name: read, role, workspaceId }))
}

/**
 * Reads `group:NAME=ROLE@WORKSPACE` and `domain:example.com=ROLE@WORKSPACE`, separated by commas; `undefined`
 * if one of them is neither.
 */
export const readRoleMapping = (text: string): ReadonlyArray<RoleRule> | undefined => {
  const rules = splitAtCommas(text).map(readRule)
  return rules.every((rule) => rule !== undefined) ? rules : undefined
}

/** The domain of an address, by which rules compare it: all of it, and no domain above it. */
const domainOf = (address: string): string => addressKey(address).slice(address.lastIndexOf("@") + 1)

const gives = ({ kind, name }: RoleRule, { groups, address, isConfirmed }: RoleClaims): boolean =>
  kind === "group" ? groups.includes(name) : isConfirmed && address !== null && domainOf(address) === name

/** How powerful a role is: the most powerful has rank 0. */
const rankOf = (role: MemberRole): number => MemberRole.literals.indexOf(role)

/**
 * The roles that a mapping gives, one for each workspace: of several the most powerful. Names of groups are
 * compared as they are.
 */
export const rolesFor = (mapping: ReadonlyArray<RoleRule>, claims: RoleClaims): ReadonlyArray<MappedRole> => {
  const given = new Map<string, MemberRole>()
  for (const rule of mapping) {
    if (!gives(rule, claims)) continue
    const known = given.get(rule.workspaceId)
    if (known === undefined || rankOf(rule.role) < rankOf(known)) given.set(rule.workspaceId, rule.role)
  }
  return Array.from(given, ([workspaceId, role]) => ({ workspaceId, role }))
}
