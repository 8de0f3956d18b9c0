/** What an identity provider says of a person (OpenID Connect Core section 5.1), as far as it is used. */
import { nameFault } from "@cairn/core/event"
import type { ProviderClaims } from "@cairn/core/people"
import { emailFault } from "@cairn/core/workspace"
import { Option, Schema } from "effect"
import type { OpenIdConnectSettings } from "../../settings/SignInSettings.ts"

/** What is taken of it. */
export interface PersonClaims extends ProviderClaims {
  readonly name: string | null
  readonly groups: ReadonlyArray<string>
}

/** Most characters of a name that is taken. */
const LONGEST_NAME = 200

type Claims = Readonly<Record<string, unknown>>

const decodeRecord = Schema.decodeUnknownOption(Schema.Record(Schema.String, Schema.Unknown))

/** A subject has at most 255 ASCII characters (OpenID Connect Core section 2). */
const decodeAccount = Schema.decodeUnknownOption(
  Schema.Struct({ iss: Schema.String, sub: Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,255}$/)) })
)

const addressOf = ({ email }: Claims): string | null =>
  typeof email === "string" && emailFault(email) === undefined ? email : null

/** Some providers write the two values as texts. */
const isConfirmed = ({ email_verified: verified }: Claims, trustsAddresses: boolean): boolean =>
  verified === true || verified === "true" || (verified === undefined && trustsAddresses)

const nameOf = ({ name }: Claims): string | null =>
  typeof name === "string" &&
  !/\p{Cc}/u.test(name) &&
  nameFault(name, { least: 1, most: LONGEST_NAME }) === undefined
    ? name
    : null

/** The groups of a claim that is a text or a list; undefined if there is no such claim. */
const groupsOf = (claims: Claims, claim: string): ReadonlyArray<string> | undefined => {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (value === undefined || value === null) return undefined
  const list: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
  return list.filter((group) => typeof group === "string")
}

/**
 * Whether the provider's userinfo is needed beside an ID token: for the address, or for groups that roles
 * depend on.
 */
export const needsUserInfo = ({ groupsClaim, roles }: OpenIdConnectSettings, idToken: unknown): boolean => {
  const claims = Option.getOrElse(decodeRecord(idToken), () => ({}))
  const wantsGroups = roles.some(({ kind }) => kind === "group")
  return addressOf(claims) === null || (wantsGroups && groupsOf(claims, groupsClaim) === undefined)
}

/**
 * The claims of a verified ID token and, where it was asked for, of the userinfo, whose subject was compared;
 * none if the ID token names no account. What the ID token says counts before the userinfo, and an address
 * together with whether it is confirmed, from the same of the two. What has another form than it should is
 * left out.
 */
export const personClaims = (
  { groupsClaim, trustsAddresses }: OpenIdConnectSettings,
  idToken: unknown,
  userInfo: unknown
): Option.Option<PersonClaims> =>
  Option.map(decodeAccount(idToken), ({ iss: issuer, sub: subject }) => {
    const claims = Option.getOrElse(decodeRecord(idToken), () => ({}))
    const more = Option.getOrElse(decodeRecord(userInfo), () => ({}))
    const source = addressOf(claims) === null ? more : claims
    const address = addressOf(source)
    return {
      account: { issuer, subject },
      address,
      isConfirmed: address !== null && isConfirmed(source, trustsAddresses),
      name: nameOf(claims) ?? nameOf(more),
      groups: groupsOf(claims, groupsClaim) ?? groupsOf(more, groupsClaim) ?? []
    }
  })
