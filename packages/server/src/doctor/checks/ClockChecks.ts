/** Checks of this machine's clock. */
import { Micros } from "@cairn/core/encoding"
import { CLOCK_SLACK, MAX_AHEAD_SECONDS } from "@cairn/core/log"
import { headStandings } from "@cairn/storage-sql"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { askTime } from "../NetworkTime.ts"
import { dateOf, servicesOf } from "../OwnServices.ts"
import { Skipped } from "../Skipped.ts"
import { ofDatabase, opened } from "../WholeDatabase.ts"

const SET_IT = "set the clock of this machine right, and keep it so: timedatectl set-ntp true"

/** Differences in seconds. */
const DIFFERENCE = { warning: 5, error: MAX_AHEAD_SECONDS }

/** How far this clock is from another, in microseconds; positive if it is ahead. */
const judge = (ahead: Micros.Micros, other: string, mend = SET_IT): ReadonlyArray<Finding> => {
  const seconds = Math.abs(ahead) / Micros.SECOND
  if (seconds <= DIFFERENCE.warning) return []
  const cause = `the clock of this machine is ${Math.round(seconds)} seconds ${ahead > 0 ? "ahead of" : "behind"} ${other}`
  return [seconds > DIFFERENCE.error ? fault(cause, mend) : warning(cause, mend)]
}

const ofEvents: Check = {
  id: "clock",
  title: "Clock and newest event",
  looks: "Whether the newest event lies in the future of this machine's clock",
  needs: [SETTINGS.database.name],
  run: ofDatabase(({ log }) =>
    Effect.gen(function* () {
      const all = yield* Effect.provideService(headStandings, SqlClient.SqlClient, log)
      const newest = Math.max(0, ...all.map(({ created_at }) => created_at))
      const ahead = newest - (yield* Micros.now)
      if (ahead <= CLOCK_SLACK) return []
      return [
        fault(
          `the newest event was recorded ${Math.round(ahead / Micros.SECOND)} seconds after the time of this machine: its clock is behind, or one was ahead then`,
          `${SET_IT}; if the clock is right, new events are dated right after that one until it has caught up`
        )
      ]
    })
  )
}

const ofDatabaseServer: Check = {
  id: "clock-database",
  title: "Clock and database",
  looks: `Whether this clock differs from PostgreSQL's by more than ${DIFFERENCE.warning} seconds; beyond ${DIFFERENCE.error} a server ahead accepts nothing`,
  needs: [SETTINGS.database.name],
  database: "postgres",
  run: (patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      if (postgres === null) return yield* new Skipped({ reason: "the database is not PostgreSQL" })
      const { clock_ahead } = yield* postgres.facts
      const others = postgres.machines.flatMap(({ name, facts }) =>
        facts === null
          ? []
          : judge(
              facts.clock_ahead,
              `that of ${name}, which dates events of its workspaces`,
              `on this machine and on ${name}: timedatectl set-ntp true`
            )
      )
      return [...judge(clock_ahead, "that of the database"), ...others]
    })
}

const ofServices: Check = {
  id: "clock-services",
  title: "Clock and services",
  looks: `Whether this clock differs by more than ${DIFFERENCE.warning} seconds from the date that the S3 store, the node or the identity provider reports`,
  needs: [
    SETTINGS.exportStore.name,
    SETTINGS.archiveStore.name,
    SETTINGS.anchorUrls.name,
    SETTINGS.oidcIssuer.name
  ],
  run: (patient) =>
    Effect.gen(function* () {
      const services = servicesOf(patient)
      if (services.length === 0)
        return yield* new Skipped({ reason: "there is no service that tells the time" })
      const found = yield* Effect.forEach(
        services,
        ({ name, url }) =>
          Effect.map(dateOf(url), (at) => (at === null ? [] : judge(at.ahead, `that of ${name}`))),
        { concurrency: 4 }
      )
      return found.flat()
    })
}

const ofTimeServer: Check = {
  id: "clock-ntp",
  title: "Clock and time server",
  looks: `Whether this clock differs from that of the server that \`--ntp\` names by more than ${DIFFERENCE.warning} seconds`,
  needs: [],
  run: ({ ntp }) =>
    Effect.gen(function* () {
      if (ntp === null) return yield* new Skipped({ reason: "no time server was named with --ntp" })
      const ahead = yield* Effect.result(askTime(ntp))
      return ahead._tag === "Success"
        ? judge(ahead.success, "that of the time server")
        : [
            warning(
              `the time server does not answer: ${ahead.failure.message}`,
              "name another one with --ntp",
              [ntp]
            )
          ]
    })
}

/** Checks of the clock. */
export const CLOCK_CHECKS: ReadonlyArray<Check> = [ofEvents, ofDatabaseServer, ofServices, ofTimeServer]
