/** What three log streams and five alert rules cost ingestion. */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ALERT_CONSUMER, AlertRules, decodeAlertRule } from "@cairn/core/alert"
import { Consumers } from "@cairn/core/consumer"
import { Micros } from "@cairn/core/encoding"
import { decodeLogStreamSettings, LogStreams } from "@cairn/core/outbound"
import { Effect, Result } from "effect"
import type { Bench } from "../Bench.ts"
import type { LogDatabase } from "../databases/LogDatabase.ts"
import { type Row, ratioRow } from "../Row.ts"
import { newTenant, startServer, type Tenant } from "../ServerUnderTest.ts"
import { burst, ROOMY_INBOX } from "./Ingestion.ts"

/** One of each kind, with its own defaults. */
const RULES = ["new_country", "high_volume_destructive", "ingestion_spike", "repeated_action", "off_hours"]
const STREAMS = ["first", "second", "third"]
/** Of row 3, with them. */
const SHARE = 0.85

/** Sets them up, as their management would. */
const setUp = Effect.fnUntraced(function* (workspaceId: string) {
  const rules = yield* AlertRules
  const streams = yield* LogStreams
  const now = yield* Micros.now
  const common = { workspace_id: workspaceId, created_at: now, updated_at: now }
  for (const rule_type of RULES) {
    const definition = Result.getOrThrow(decodeAlertRule({ name: rule_type, rule_type }))
    yield* rules.create({ ...common, id: `rul_${rule_type}`, definition })
  }
  for (const name of STREAMS) {
    yield* streams.create({
      ...common,
      id: `str_${name}`,
      settings: Result.getOrThrow(decodeLogStreamSettings({ name })),
      destination: { type: "file", path: `${name}.ndjson` },
      sealed: null,
      after: 0
    })
  }
})

const linesOf = (file: string): number =>
  existsSync(file) ? Number.parseInt(execFileSync("wc", ["-l", file], { encoding: "utf8" }), 10) : 0

/** Waits until something is so; the seconds it took. */
const until = async (holds: () => boolean | Promise<boolean>): Promise<number> => {
  const begun = performance.now()
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 200))
  return (performance.now() - begun) / 1000
}

/** Seconds until each stream has sent this many events. */
const untilSent = (folder: string, { workspaceId }: Tenant, events: number): Promise<number> => {
  const files = STREAMS.map((name) => join(folder, workspaceId, `${name}.ndjson`))
  return until(() => files.every((file) => linesOf(file) >= events))
}

/** Seconds until the rules have evaluated this many events. */
const untilEvaluated = (database: LogDatabase, { workspaceId }: Tenant, events: number): Promise<number> => {
  const position = Effect.flatMap(Consumers, ({ list }) => list(workspaceId)).pipe(
    Effect.map((all) => all.find(({ consumer }) => consumer === ALERT_CONSUMER)?.sequence ?? 0)
  )
  const seen = position.pipe(Effect.provide(database.storage), Effect.scoped)
  return until(async () => (await Effect.runPromise(seen)) >= events)
}

/**
 * Events a second until the last is in the chain, and how many seconds the streams and the alerts were behind
 * then.
 */
const sustained = async (database: LogDatabase, seconds: number, fanOut: boolean) => {
  const folder = mkdtempSync(join(tmpdir(), "cairn-streams-"))
  const tenant = newTenant(database)
  if (fanOut)
    await Effect.runPromise(setUp(tenant.workspaceId).pipe(Effect.provide(database.storage), Effect.scoped))
  const cairn = await startServer(database, { ...ROOMY_INBOX, CAIRN_STREAM_FOLDER: folder })
  const { sustained: perSecond, events } = await burst(database, cairn, tenant, seconds)
  const [behind, alertsBehind] = fanOut
    ? await Promise.all([untilSent(folder, tenant, events), untilEvaluated(database, tenant, events)])
    : [0, 0]
  await cairn.stop()
  await database.remove()
  rmSync(folder, { recursive: true, force: true })
  return { perSecond, behind, alertsBehind, events }
}

/** Measures it, against row 3 of the same run. */
export const fanOut = async ({ server, settings: { seconds } }: Bench): Promise<ReadonlyArray<Row>> => {
  const alone = await sustained(await server.newDatabase(), seconds, false)
  const together = await sustained(await server.newDatabase(), seconds, true)
  return [
    ratioRow({
      number: "17",
      what: "row 3 with three file streams and five alert rules, against without",
      database: server.product,
      limit: alone.perSecond,
      measured: together.perSecond,
      unit: "/s",
      atLeast: SHARE,
      note: `the last stream had all ${together.events} events ${together.behind.toFixed(1)} s after the chain, the rules ${together.alertsBehind.toFixed(1)} s`
    })
  ]
}
