/** How people sign in, and how long they stay signed in: the settings, and what is read of them. */
import { join } from "node:path"
import { Effect, Schema } from "effect"
import { byKind, type Database } from "./Database.ts"
import { RoleRule, readRoleMapping } from "./RoleMapping.ts"
import { type Environment, invalidSetting, readSetting, type Setting } from "./SettingDeclaration.ts"
import { emptyOr, readBy, textThat, wholeNumber } from "./TextSchemas.ts"

/** The identity provider. */
export interface OpenIdConnectSettings {
  /** As the provider names itself. */
  readonly issuer: string
  readonly clientId: string
  /** Null for a client without one. Never to be shown. */
  readonly clientSecret: string | null
  /** What people call it. */
  readonly name: string
  /** Separated by spaces; `openid` is among them. */
  readonly scopes: string
  /** The claim with the groups of a person. */
  readonly groupsClaim: string
  readonly roles: ReadonlyArray<RoleRule>
  /** Whether an address counts as confirmed of which the provider does not say so. */
  readonly trustsAddresses: boolean
}

/** Of `Configuration`. */
export interface SignInSettings {
  /** The identity provider; null for none. */
  readonly oidc: OpenIdConnectSettings | null
  /** Where a link goes that sets the service up; null for no such link. */
  readonly setupFile: string | null
  /** Minutes without a request after which a session ends. */
  readonly sessionIdleMinutes: number
  /** Hours after which a session ends, however much it is used. */
  readonly sessionHours: number
}

/** A host that is this machine: nobody can read or change what is sent to it. */
const LOOPBACK = /^(?:localhost|[a-z0-9-]{1,63}\.localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/** Whether a URL is of this machine. */
export const isLoopback = ({ hostname }: URL): boolean => LOOPBACK.test(hostname)

/** Longest issuer: it is part of a cookie. */
const LONGEST_ISSUER = 500

/** OpenID Connect Discovery 1.0 section 2: https, without a query or a fragment. */
const isIssuer = (text: string): boolean => {
  if (!/^https?:\/\/[^\s?#@]+$/.test(text) || text.length > LONGEST_ISSUER || !URL.canParse(text))
    return false
  const url = new URL(text)
  return url.protocol === "https:" || isLoopback(url)
}

const isScopes = (text: string): boolean =>
  /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/.test(text) &&
  text.split(" ").includes("openid")

/** Part of all settings, under the same names. */
export const SIGN_IN_SETTINGS = {
  oidcIssuer: {
    name: "CAIRN_OIDC_ISSUER",
    schema: emptyOr(isIssuer),
    allowed: "an https URL without a query, or an http one of this machine",
    fallback: "",
    meaning: "The identity provider by which people sign in, as it names itself: `https://idp.example.com`",
    details:
      "It must know `CAIRN_BASE_URL` followed by `/sign-in/oidc/callback` as a redirect URI. " +
      "A provider for many tenants needs the issuer of your own"
  },
  oidcClientId: {
    name: "CAIRN_OIDC_CLIENT_ID",
    schema: Schema.String,
    allowed: "the id that the provider gave this service",
    fallback: "",
    meaning: "The id that the provider gave this service",
    details: "Required with `CAIRN_OIDC_ISSUER`"
  },
  oidcClientSecret: {
    name: "CAIRN_OIDC_CLIENT_SECRET",
    schema: Schema.String,
    allowed: "the secret that the provider gave this service",
    fallback: "",
    meaning: "The secret that the provider gave this service",
    details: "Without one it is a public client. PKCE is used in both cases",
    secret: true
  },
  oidcName: {
    name: "CAIRN_OIDC_NAME",
    schema: textThat((text) => /^[^\p{Cc}]{1,60}$/u.test(text)),
    allowed: "1 to 60 characters",
    fallback: "single sign-on",
    meaning: "What the provider is called on the button that leads to it"
  },
  oidcScopes: {
    name: "CAIRN_OIDC_SCOPES",
    schema: textThat(isScopes),
    allowed: "scopes separated by single spaces, openid among them",
    fallback: "openid email profile",
    meaning: "What is asked of the provider, separated by spaces",
    details: "Some providers send groups only with a scope of their own"
  },
  oidcGroupsClaim: {
    name: "CAIRN_OIDC_GROUPS_CLAIM",
    schema: textThat((text) => text !== ""),
    allowed: "the name of a claim",
    fallback: "groups",
    meaning: "The claim that lists a person's groups"
  },
  oidcRoles: {
    name: "CAIRN_OIDC_ROLES",
    schema: readBy(Schema.Array(RoleRule), readRoleMapping),
    allowed: "group:NAME=ROLE@WORKSPACE and domain:example.com=ROLE@WORKSPACE, separated by commas",
    fallback: "",
    meaning:
      "Roles that a group or the domain of a confirmed address gives: `group:NAME=ROLE@WORKSPACE`, `domain:example.com=ROLE@WORKSPACE`, comma-separated",
    details:
      "Of several the most powerful counts. A comma in a group's name is written `%2C`, a percent sign `%25`"
  },
  oidcTrustAddresses: {
    name: "CAIRN_OIDC_TRUST_ADDRESSES",
    schema: Schema.Literals(["true", "false"]),
    allowed: "true or false",
    fallback: "false",
    meaning:
      "Whether an address counts as confirmed though the provider does not say so (`email_verified`): `true` or `false`",
    details:
      "Only for a provider whose users cannot choose their address. An address that it reports as not confirmed never counts"
  },
  setupFile: {
    name: "CAIRN_SETUP_FILE",
    schema: Schema.String,
    allowed: "the path of a file, or none",
    fallback: "",
    otherwise: "where the database is (`cairn-setup-link.txt`)",
    meaning:
      "File into which a start without an owner writes the link that sets the service up; `none` makes no link",
    details: "Only the user of the process can read it. With PostgreSQL the default is in `./data`"
  },
  sessionIdleMinutes: {
    name: "CAIRN_SESSION_IDLE_MINUTES",
    ...wholeNumber(5, 43_200),
    fallback: "480",
    meaning: "Minutes without a request after which a person has to sign in again"
  },
  sessionHours: {
    name: "CAIRN_SESSION_HOURS",
    ...wholeNumber(1, 8_760),
    fallback: "168",
    meaning: "Hours after which a person has to sign in again in any case"
  }
} satisfies Record<string, Setting<unknown>>

/** Neither the issuer nor the id that it gave is of use without the other. */
const readProvider = Effect.fnUntraced(function* (environment: Environment) {
  const { oidcIssuer, oidcClientId } = SIGN_IN_SETTINGS
  const issuer = yield* readSetting(environment, oidcIssuer)
  const clientId = yield* readSetting(environment, oidcClientId)
  const clientSecret = yield* readSetting(environment, SIGN_IN_SETTINGS.oidcClientSecret)
  const settings: OpenIdConnectSettings = {
    issuer,
    clientId,
    clientSecret: clientSecret === "" ? null : clientSecret,
    name: yield* readSetting(environment, SIGN_IN_SETTINGS.oidcName),
    scopes: yield* readSetting(environment, SIGN_IN_SETTINGS.oidcScopes),
    groupsClaim: yield* readSetting(environment, SIGN_IN_SETTINGS.oidcGroupsClaim),
    roles: yield* readSetting(environment, SIGN_IN_SETTINGS.oidcRoles),
    trustsAddresses: (yield* readSetting(environment, SIGN_IN_SETTINGS.oidcTrustAddresses)) === "true"
  }
  const { oidcRoles } = SIGN_IN_SETTINGS
  if (issuer === "" && clientId === "" && settings.roles.length === 0) return null
  if (issuer === "") {
    const { name } = clientId === "" ? oidcRoles : oidcClientId
    return yield* invalidSetting(oidcIssuer, "", `set when ${name} is`)
  }
  if (clientId === "") return yield* invalidSetting(oidcClientId, "", `set when ${oidcIssuer.name} is`)
  return settings
})

/** `data/cairn.db` gives `data/cairn-setup-link.txt`, and so does PostgreSQL. */
const defaultSetupFile = (database: Database): string =>
  byKind(database, {
    sqlite: ({ filename }) => `${filename.replace(/\.db$/, "")}-setup-link.txt`,
    postgres: () => join(".", "data", "cairn-setup-link.txt")
  })

/** Reads the settings; the first wrong one fails. */
export const readSignIn = Effect.fnUntraced(function* (environment: Environment, database: Database) {
  const setupFile = yield* readSetting(environment, SIGN_IN_SETTINGS.setupFile)
  const settings: SignInSettings = {
    oidc: yield* readProvider(environment),
    setupFile: setupFile === "none" ? null : setupFile || defaultSetupFile(database),
    sessionIdleMinutes: yield* readSetting(environment, SIGN_IN_SETTINGS.sessionIdleMinutes),
    sessionHours: yield* readSetting(environment, SIGN_IN_SETTINGS.sessionHours)
  }
  return settings
})
