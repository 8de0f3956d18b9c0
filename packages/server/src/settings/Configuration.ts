/** The settings of a process, read from its environment. */

import { type Network, parseNetwork } from "@cairn/core/encoding"
import { Effect } from "effect"
import { type BackupSettings, readBackup } from "./BackupSettings.ts"
import { byKind, type Database } from "./Database.ts"
import { defaultExportStore, type ExportStoreSettings } from "./ExportSettings.ts"
import type { LogLevelName } from "./LogLevel.ts"
import type { OutboundSettings } from "./OutboundSettings.ts"
import {
  type Environment,
  type InvalidConfiguration,
  invalidSetting,
  readSetting
} from "./SettingDeclaration.ts"
import { SETTINGS } from "./Settings.ts"
import { readSignIn, type SignInSettings } from "./SignInSettings.ts"
import { readTelemetry, type TelemetrySettings } from "./TelemetrySettings.ts"
import type { VerificationSettings } from "./VerificationSettings.ts"

/** The settings of `cairn serve`, and those of them that the other commands share. */
export interface Configuration extends SignInSettings {
  readonly host: string
  readonly port: number
  readonly baseUrl: string
  readonly database: Database
  /**
   * Redis, whose buckets hold rate limits across processes; empty for none. With its password: never to be
   * shown.
   */
  /** Seconds that a start waits for the database to be there. */
  readonly databaseWaitSeconds: number
  readonly redisUrl: string
  /**
   * Keys that encrypt secrets at rest, newest first, each the base64 of 32 bytes; empty when the variable is
   * not set.
   */
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
  /** Seconds between two checkpoints that the service signs by itself; 0 signs none. */
  readonly checkpointEverySeconds: number
  readonly outbound: OutboundSettings
  /** Where the files of exports lie. May hold a secret: never to be shown. */
  readonly exportStore: ExportStoreSettings
  /**
   * Where contents go before retention removes them; null for nowhere. May hold a secret: never to be shown.
   */
  readonly archiveStore: ExportStoreSettings | null
  /** Backups to a store; null for none. May hold a secret: never to be shown. */
  readonly backup: BackupSettings | null
  /** Days before a shorter retention of a workspace's contents takes effect. */
  readonly retentionDelayDays: number
  /** What the logs of new workspaces are named after. */
  readonly logOrigin: string
  /** Who may embed the page at `/viewer`. */
  readonly frameAncestors: ReadonlyArray<string>
  readonly metrics: {
    /** Token for `/metrics`; empty for none. Never to be shown. */
    readonly token: string
    /** Port on which it needs none, and its address; null for no such port. */
    readonly port: number | null
    readonly host: string
  }
  /** The collector that metrics are pushed to; null for none. May hold a secret: never to be shown. */
  readonly telemetry: TelemetrySettings
  readonly trustedProxies: ReadonlyArray<Network>
  readonly geoipFiles: ReadonlyArray<string> | null
  readonly logLevel: LogLevelName
  readonly inboxCapacity: number
  /** Seconds in which a server that was stopped still takes requests. */
  readonly drainSeconds: number
  /** Most connections to a PostgreSQL database, for each of the process's two threads. */
  readonly connections: number
}

/** Mail has a sender, so the two variables belong together. */
const readOutbound = Effect.fnUntraced(function* (environment: Environment) {
  const url = yield* readSetting(environment, SETTINGS.smtpUrl)
  const from = yield* readSetting(environment, SETTINGS.mailFrom)
  if (url !== "" && from === "") {
    return yield* invalidSetting(SETTINGS.mailFrom, from)
  }
  const folder = yield* readSetting(environment, SETTINGS.streamFolder)
  const outbound: OutboundSettings = {
    mail: url === "" ? null : { url, from },
    allow: yield* readSetting(environment, SETTINGS.outboundAllow),
    http: (yield* readSetting(environment, SETTINGS.outboundHttp)) === "true",
    streamFolder: folder === "" ? null : folder
  }
  return outbound
})

/** The database, with its replicas. */
const readWholeDatabase = Effect.fnUntraced(function* (environment: Environment) {
  const database = yield* readSetting(environment, SETTINGS.database)
  const readUrl = yield* readSetting(environment, SETTINGS.databaseRead)
  if (readUrl === "") return database
  return yield* byKind<Effect.Effect<Database, InvalidConfiguration>>(database, {
    sqlite: () => Effect.fail(invalidSetting(SETTINGS.databaseRead, readUrl)),
    postgres: (primary) => Effect.succeed({ ...primary, readUrl })
  })
})

/** Reads every setting; the first wrong one fails. */
export const readConfiguration = Effect.fnUntraced(function* (environment: Environment) {
  const port = yield* readSetting(environment, SETTINGS.port)
  const host = yield* readSetting(environment, SETTINGS.host)
  const baseUrl = yield* readSetting(environment, SETTINGS.baseUrl)
  const database = yield* readWholeDatabase(environment)
  const exportStore = yield* readSetting(environment, SETTINGS.exportStore)
  const trustedProxies = yield* readSetting(environment, SETTINGS.trustedProxies)
  const configuration: Configuration = {
    host,
    port,
    baseUrl,
    database,
    secretKeys: yield* readSetting(environment, SETTINGS.secretKey),
    databaseWaitSeconds: yield* readSetting(environment, SETTINGS.databaseWaitSeconds),
    redisUrl: yield* readSetting(environment, SETTINGS.redisUrl),
    anchor: {
      urls: yield* readSetting(environment, SETTINGS.anchorUrls),
      privateKey: yield* readSetting(environment, SETTINGS.anchorPrivateKey),
      formerAccounts: yield* readSetting(environment, SETTINGS.anchorFormerAccounts),
      chainId: yield* readSetting(environment, SETTINGS.anchorChainId),
      confirmations: yield* readSetting(environment, SETTINGS.anchorConfirmations),
      maxFeeGwei: yield* readSetting(environment, SETTINGS.anchorMaxFee),
      everySeconds: yield* readSetting(environment, SETTINGS.anchorEvery)
    },
    verification: {
      everySeconds: yield* readSetting(environment, SETTINGS.verifyEvery),
      rate: yield* readSetting(environment, SETTINGS.verifyRate)
    },
    checkpointEverySeconds: yield* readSetting(environment, SETTINGS.checkpointEvery),
    ...(yield* readSignIn(environment, database)),
    outbound: yield* readOutbound(environment),
    exportStore: exportStore ?? defaultExportStore(database),
    archiveStore: yield* readSetting(environment, SETTINGS.archiveStore),
    backup: yield* readBackup(environment, database),
    retentionDelayDays: yield* readSetting(environment, SETTINGS.retentionDelay),
    logOrigin: yield* readSetting(environment, SETTINGS.logOrigin),
    frameAncestors: yield* readSetting(environment, SETTINGS.frameAncestors),
    metrics: {
      token: yield* readSetting(environment, SETTINGS.metricsToken),
      port: yield* readSetting(environment, SETTINGS.metricsPort),
      host: yield* readSetting(environment, SETTINGS.metricsHost)
    },
    telemetry: yield* readTelemetry(environment),
    trustedProxies: trustedProxies.flatMap((text) => parseNetwork(text) ?? []),
    geoipFiles: yield* readSetting(environment, SETTINGS.geoipFiles),
    logLevel: yield* readSetting(environment, SETTINGS.logLevel),
    inboxCapacity: yield* readSetting(environment, SETTINGS.inboxCapacity),
    drainSeconds: yield* readSetting(environment, SETTINGS.drainSeconds),
    connections: yield* readSetting(environment, SETTINGS.connections)
  }
  return configuration
})
