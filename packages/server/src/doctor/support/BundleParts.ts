/** What a support bundle tells of an installation, a part each. */
import { readFile } from "node:fs/promises"
import { arch, availableParallelism, platform, release, totalmem, uptime } from "node:os"
import { countRows } from "@cairn/storage-sql"
import { FILE_NAMES, fileFacts, filesOf } from "@cairn/storage-sqlite"
import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { METRICS_PATH } from "../../metrics/MetricsPage.ts"
import { fileVariable, isFromFile } from "../../settings/SecretFiles.ts"
import type { Setting } from "../../settings/SettingDeclaration.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import { textThat } from "../../settings/TextSchemas.ts"
import { version } from "../../Version.ts"
import type { CheckResult } from "../Check.ts"
import type { OpenedDatabase } from "../OpenedDatabase.ts"
import type { Patient } from "../Patient.ts"
import { anonymous, anonymousLine } from "./Anonymous.ts"

/** What runs the server. */
const ENGINES = ["node", "v8", "uv", "openssl", "sqlite", "icu", "tz"] as const

/** Versions and the machine. */
export const machineFacts = () => ({
  cairn: version,
  node: Object.fromEntries(ENGINES.map((name) => [name, process.versions[name] ?? null])),
  platform: platform(),
  release: release(),
  arch: arch(),
  processors: availableParallelism(),
  memory_bytes: totalmem(),
  up_seconds: Math.round(uptime()),
  time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  at: new Date().toISOString()
})

const settings: ReadonlyArray<Setting<unknown>> = Object.values(SETTINGS)

/** What stands in place of a value that is left out. */
const SET = "set"

/** Settings whose text is one of a few words. */
const OF_WORDS = new Set(
  [
    SETTINGS.logLevel,
    SETTINGS.otlpProtocol,
    SETTINGS.otelMetricsExporter,
    SETTINGS.otelTracesExporter,
    SETTINGS.otelSampler
  ].map(({ name }) => name)
)

/** Whether a value can name nobody and hold no secret: it is a number, a switch, or a word of a list. */
const isHarmless = (setting: Setting<unknown>, text: string): boolean => {
  if (setting.secret === true || setting.mayHoldSecret === true) return false
  return Option.match(Schema.decodeOption(setting.schema)(text), {
    onNone: () => false,
    onSome: (value) =>
      OF_WORDS.has(setting.name) || typeof value === "number" || text === "true" || text === "false"
  })
}

/** Each setting and where it comes from, with its value where that is harmless. */
export const settingFacts = ({ given, leftOut }: Patient) =>
  settings.map((setting) => {
    const inFile = isFromFile(setting) && given[fileVariable(setting)] !== undefined
    const text = given[setting.name]
    const source = text !== undefined ? "environment" : inFile ? "file" : "default"
    const value =
      source === "default" ? setting.fallback : text && !isHarmless(setting, text) ? SET : (text ?? SET)
    return { name: setting.name, source, value, ...(leftOut.has(setting.name) ? { wrong: true } : {}) }
  })

/** What the doctor has found, without what it is about. */
export const doctorFacts = (results: ReadonlyArray<CheckResult>) =>
  results.map(({ findings, skipped, ...result }) => ({
    ...result,
    skipped: skipped === null ? null : anonymous(skipped),
    findings: findings.map(({ severity, cause, mend, about }) => ({
      severity,
      cause: anonymousLine(cause),
      mend: anonymous(mend),
      concerned: about.length
    }))
  }))

const sqliteFacts = (patient: Patient, { files }: OpenedDatabase, filename: string) =>
  Effect.forEach(FILE_NAMES, (name) =>
    Effect.gen(function* () {
      const client = files[name]
      const path = filesOf(filename)[name]
      const [file, wal] = yield* Effect.all([
        patient.machine.rights(path),
        patient.machine.rights(`${path}-wal`)
      ])
      return {
        file: name,
        bytes: file?.bytes ?? null,
        wal_bytes: wal?.bytes ?? null,
        ...(client === undefined ? {} : yield* Effect.try(() => fileFacts(client)))
      }
    })
  )

/** Workspaces, and what people have set up in all of them together. */
const COUNTED = ["workspace", "api_key", "member", "webhook", "log_stream", "alert_rule", "checkpoint"]

const countsOf = ({ log }: OpenedDatabase) =>
  Effect.map(
    Effect.forEach(COUNTED, (table) =>
      Effect.map(Effect.provideService(countRows(table), SqlClient.SqlClient, log), (count) => [table, count])
    ),
    Object.fromEntries
  )

/** The database: its migrations, sizes, counts and settings. */
export const databaseFacts = (patient: Patient) =>
  Effect.gen(function* () {
    const { database } = patient.settings
    const open = yield* patient.opening
    const migrations = open.versions.map(({ found, known }, at) => ({
      part: open.postgres === null ? FILE_NAMES[at] : "database",
      found,
      known
    }))
    if (database.kind === "sqlite") {
      const files = yield* sqliteFacts(patient, open, database.filename)
      return { kind: database.kind, migrations, counts: yield* countsOf(open), files }
    }
    if (open.postgres === null) return { kind: database.kind, migrations }
    const { adapter, sql } = open.postgres
    return {
      kind: database.kind,
      migrations,
      counts: yield* countsOf(open),
      tables: yield* adapter.tableSizes(sql),
      settings: yield* adapter.toldSettings(sql)
    }
  })

const LIMIT_MILLIS = 5_000

const fetchMetrics = (url: string, headers: Record<string, string>) =>
  Effect.tryPromise(async (signal) => {
    const answer = await fetch(`${url}${METRICS_PATH}`, {
      headers,
      redirect: "error",
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MILLIS)])
    })
    if (answer.status !== 200) throw new Error(`the server answers ${answer.status}`)
    return answer.text()
  })

const hostOf = (host: string): string => {
  const at = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return at.includes(":") ? `[${at}]` : at
}

/** The metrics of the server that runs here, where its settings let them be read. */
export const metricsOf = ({ settings: { metrics, host, port } }: Patient) =>
  Effect.gen(function* () {
    if (metrics.port !== null && metrics.port !== 0)
      return yield* fetchMetrics(`http://${hostOf(metrics.host)}:${metrics.port}`, {})
    if (metrics.token === "" || port === 0)
      return "# Not read: neither CAIRN_METRICS_PORT nor CAIRN_METRICS_TOKEN is set.\n"
    return yield* fetchMetrics(`http://${hostOf(host)}:${port}`, { authorization: `Bearer ${metrics.token}` })
  })

/** Lines of a log that are kept, the newest. */
const LINES = 2_000

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/
const LEVEL = /^(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)$/

const Line = Schema.fromJsonString(
  Schema.Struct({
    timestamp: textThat((text) => TIME.test(text)),
    level: textThat((text) => LEVEL.test(text)),
    message: Schema.String
  })
)
const decodeLine = Schema.decodeUnknownOption(Line)

/** The newest lines of a log in JSON: when, how grave and what, and nothing that came with it. */
export const logLines = (file: string) =>
  Effect.map(
    Effect.tryPromise(() => readFile(file, "utf8")),
    (text) => {
      const lines = text.split("\n").filter((line) => line !== "")
      const kept = lines.slice(-LINES).flatMap((line) => Option.toArray(decodeLine(line)))
      const told = kept.map(({ timestamp, level, message }) =>
        JSON.stringify({ timestamp, level, message: anonymousLine(message) })
      )
      return `${[`# ${lines.length} lines, ${told.length} of the newest ${LINES} are included`, ...told].join("\n")}\n`
    }
  )
