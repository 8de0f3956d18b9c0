/** Checks of the logs: where they end, what was signed for them, what waits, and who reads them. */
import { decodeSigned, SIGNED_CONSUMER, SIGNED_KEY } from "@cairn/core/checkpoint"
import { Micros } from "@cairn/core/encoding"
import { readVerification, VERIFICATION_CONSUMER } from "@cairn/core/verification"
import {
  consumerStandings,
  countRows,
  headStandings,
  signedStandings,
  stateRowsOf,
  waitingStanding
} from "@cairn/storage-sql"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import type { OpenedDatabase } from "../OpenedDatabase.ts"
import { Skipped } from "../Skipped.ts"
import { ofDatabase } from "../WholeDatabase.ts"

const needs = [SETTINGS.database.name]

const inTables =
  (client: SqlClient.SqlClient) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, SqlClient.SqlClient, client)

/** A finding about several workspaces, which it counts. */
export const ofLogs = (
  ids: ReadonlyArray<string>,
  find: (logs: string, about: ReadonlyArray<string>) => Finding
): ReadonlyArray<Finding> =>
  ids.length === 0 ? [] : [find(ids.length === 1 ? "a log" : `${ids.length} logs`, ids.slice(0, 10))]

/** What to do where a log is shorter than it was. */
export const RIGHT_ONE =
  "connect to the database that has them, or restore a newer backup; if neither is left, cairn recover lists what is lost, and accepts it"

const heads: Check = {
  id: "chain-heads",
  title: "Heads of the chains",
  looks: "Whether each log ends with the event that its head names, with the same hash",
  needs,
  run: ofDatabase(({ log }) =>
    Effect.map(headStandings.pipe(inTables(log)), (all) => {
      const chained = all.filter(({ sequence }) => sequence > 0)
      const behind = chained.filter(({ sequence, last }) => (last ?? 0) !== sequence)
      const other = chained.filter(
        ({ sequence, last, event_hash, found_hash }) => last === sequence && event_hash !== found_hash
      )
      return [
        ...ofLogs(
          behind.map(({ workspace_id }) => workspace_id),
          (logs, about) =>
            fault(
              `${logs} ${about.length === 1 ? "has" : "have"} not the newest event that the head names: events were removed or added by hand`,
              "cairn verify -w WORKSPACE for each, then restore a backup",
              about
            )
        ),
        ...ofLogs(
          other.map(({ workspace_id }) => workspace_id),
          (logs, about) =>
            fault(
              `the newest event of ${logs} has another hash than the head: one of them was changed`,
              "cairn verify -w WORKSPACE for each, then restore a backup",
              about
            )
        )
      ]
    })
  )
}

/** What was recorded of the newest signature of each log, outside the log. */
const recordedSigned = (database: OpenedDatabase) =>
  Effect.map(stateRowsOf(SIGNED_CONSUMER).pipe(inTables(database.consumers)), (rows) =>
    rows
      .filter(({ key }) => key === SIGNED_KEY)
      .flatMap(({ workspace_id, value }) =>
        Option.match(decodeSigned(value), {
          onNone: () => [],
          onSome: (signed) => [{ workspace_id, ...signed }]
        })
      )
  )

const checkpoints: Check = {
  id: "checkpoints",
  title: "Checkpoints and trees",
  looks:
    "Whether a log is shorter than what was signed for it, its newest checkpoint is not the one on record, or its key is missing",
  needs,
  run: ofDatabase((database) =>
    Effect.gen(function* () {
      const issued = yield* signedStandings.pipe(inTables(database.log))
      const recorded = yield* recordedSigned(database)
      const keys = yield* countRows("checkpoint_key").pipe(inTables(database.log))
      // Read last: a log only grows.
      const ends = new Map(
        (yield* headStandings.pipe(inTables(database.log))).map(({ workspace_id, sequence }) => [
          workspace_id,
          sequence
        ])
      )
      const endOf = (workspaceId: string) => ends.get(workspaceId) ?? 0
      const short = new Set([
        ...issued
          .filter(({ workspace_id, size }) => size > endOf(workspace_id))
          .map(({ workspace_id }) => workspace_id),
        ...recorded
          .filter(({ workspace_id, furthest, lost }) => !lost && furthest > endOf(workspace_id))
          .map(({ workspace_id }) => workspace_id)
      ])
      const other = issued.filter(({ workspace_id, size, root }) =>
        recorded.some(
          (one) =>
            one.workspace_id === workspace_id && one.size === size && one.root !== "" && one.root !== root
        )
      )
      return [
        ...ofLogs([...short], (logs, about) =>
          fault(`${logs} ${about.length === 1 ? "is" : "are"} shorter than what was signed`, RIGHT_ONE, about)
        ),
        ...ofLogs(
          other.map(({ workspace_id }) => workspace_id),
          (logs, about) =>
            fault(
              `the newest checkpoint of ${logs} has another root than was recorded when it was signed`,
              "cairn verify -w WORKSPACE --against FILE, with evidence that is kept elsewhere",
              about
            )
        ),
        ...(issued.length > 0 && keys === 0
          ? [
              fault(
                "the keys that signed checkpoints are gone",
                "restore a backup: the table checkpoint_key is empty"
              )
            ]
          : [])
      ]
    })
  )
}

/** A sequencer empties the inbox within a second. */
const OLD_WAIT = Micros.MINUTE
/** A share of the inbox beyond which senders will soon be refused. */
const NEARLY_FULL = 0.8

const ago = (micros: number): string => `${Math.round(micros / Micros.SECOND)} seconds`

const inbox: Check = {
  id: "inbox",
  title: "Inbox",
  looks:
    "Whether accepted events wait for more than a minute, the inbox is nearly full, or requests are parked",
  needs: [SETTINGS.database.name, SETTINGS.inboxCapacity.name],
  run: ofDatabase((database, { settings: { inboxCapacity } }) =>
    Effect.gen(function* () {
      const { events, oldest } = yield* waitingStanding.pipe(inTables(database.inbox))
      const parked = yield* countRows("parked").pipe(inTables(database.inbox))
      const waited = oldest === null ? 0 : (yield* Micros.now) - oldest
      const worker = "start cairn serve, with the role all or worker, and look into its log"
      return [
        ...(waited > OLD_WAIT
          ? [
              warning(
                `${events} accepted events wait, the oldest for ${ago(waited)}: nobody appends them`,
                worker
              )
            ]
          : []),
        ...(events > inboxCapacity * NEARLY_FULL
          ? [
              fault(
                `${events} events wait, and beyond ${inboxCapacity} senders are refused`,
                `${worker}; CAIRN_INBOX_CAPACITY says how many may wait`
              )
            ]
          : []),
        ...(parked > 0
          ? [
              fault(
                `${parked} accepted requests could not be appended and are parked`,
                "read the column reason of the table parked, and report it with cairn support-bundle FILE"
              )
            ]
          : [])
      ]
    })
  )
}

/** Events that a consumer may be behind, and the time in which it has to have done something about it. */
const BEHIND = { events: 1_000, time: 10 * Micros.MINUTE }

/** What was signed is a record and reads nothing; the verification has a check of its own. */
const NOT_READING = new Set([SIGNED_CONSUMER, VERIFICATION_CONSUMER])

const consumers: Check = {
  id: "consumers",
  title: "Consumers",
  looks: `Whether alerts or a log stream are ${BEHIND.events.toLocaleString("en")} events behind and do not move, or are paused`,
  needs,
  run: ofDatabase((database) =>
    Effect.gen(function* () {
      const all = yield* consumerStandings.pipe(inTables(database.consumers))
      const ends = new Map(
        (yield* headStandings.pipe(inTables(database.log))).map(({ workspace_id, sequence }) => [
          workspace_id,
          sequence
        ])
      )
      const now = yield* Micros.now
      return all
        .filter(({ name }) => !NOT_READING.has(name))
        .flatMap(({ workspace_id, name, sequence, paused, updated_at }): ReadonlyArray<Finding> => {
          const lag = (ends.get(workspace_id) ?? 0) - Math.max(0, sequence)
          const kind = name.startsWith("stream:") ? "a log stream" : `the consumer ${name}`
          const command = (verb: string) => `cairn consumer ${verb} -w ${workspace_id} ${name}`
          if (paused !== 0)
            return [
              warning(`${kind} is paused, ${Math.max(0, lag)} events behind`, command("resume"), [
                workspace_id,
                name
              ])
            ]
          if (lag < BEHIND.events || now - updated_at < BEHIND.time) return []
          return [
            warning(
              `${kind} is ${lag} events behind and has not moved for ${ago(now - updated_at)}`,
              `cairn consumer list -w ${workspace_id} says why; start cairn serve, with the role all or worker`,
              [workspace_id, name]
            )
          ]
        })
    })
  )
}

const verification: Check = {
  id: "verification",
  title: "Verification",
  looks: "Whether the service's own verification has found a break, or has begun no pass for twice its time",
  needs: [SETTINGS.database.name, SETTINGS.verifyEvery.name],
  run: ofDatabase((database, { settings }) =>
    Effect.gen(function* () {
      const every = settings.verification.everySeconds * Micros.SECOND
      const rows = yield* stateRowsOf(VERIFICATION_CONSUMER).pipe(inTables(database.consumers))
      if (rows.length === 0) return yield* new Skipped({ reason: "no log was verified yet" })
      const now = yield* Micros.now
      const logs = Array.from(
        Map.groupBy(rows, ({ workspace_id }) => workspace_id),
        ([id, own]) => ({
          id,
          found: readVerification(own)
        })
      )
      const broken = logs.filter(({ found }) => (found?.breaks ?? 0) > 0)
      const old = logs.filter(
        ({ found }) => every > 0 && found !== undefined && now - found.beganAt > 2 * every
      )
      return [
        ...ofLogs(
          broken.map(({ id }) => id),
          (which, about) =>
            fault(
              `the service has found ${which} broken: events were changed or removed after they were recorded`,
              "keep the database as it is; cairn verify -w WORKSPACE lists the events, a backup or a bundle has them as they were",
              about
            )
        ),
        ...ofLogs(
          old.map(({ id }) => id),
          (which, about) =>
            warning(
              `the service has begun no verification of ${which} for more than ${2 * settings.verification.everySeconds} seconds`,
              "start cairn serve, with the role all or worker; cairn verify -w WORKSPACE does it now",
              about
            )
        )
      ]
    })
  )
}

/** Checks of the logs. */
export const LOG_CHECKS: ReadonlyArray<Check> = [heads, checkpoints, inbox, consumers, verification]
