/** Checks of several PostgreSQL servers, one of which takes over when another dies. */
import { describeLoss } from "@cairn/core/log"
import type { HostFacts } from "@cairn/storage-postgres"
import { Effect, Redacted } from "effect"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, fault, warning } from "../Check.ts"
import { ofFacts, ofHosts, ofPostgres, severalHosts } from "../PostgresPatient.ts"
import { Skipped } from "../Skipped.ts"
import { opened, upToDate } from "../WholeDatabase.ts"
import { serverRemedy } from "./DatabaseChecks.ts"
import { ofLogs, RIGHT_ONE } from "./LogChecks.ts"
import { altered } from "./PostgresChecks.ts"

const needs = [SETTINGS.database.name]
const database = "postgres" as const

const silent: Check = {
  id: "postgres-hosts",
  title: "Servers of the URL",
  looks: "Whether a server that `CAIRN_DATABASE_URL` names does not answer, beside one that does",
  needs,
  database,
  run: ofHosts((hosts) =>
    hosts.flatMap(({ name, state, silence }) =>
      state === null
        ? [warning(`${name} cannot take over: ${silence}`, `${serverRemedy(silence)}; this is about ${name}`)]
        : []
    )
  )
}

interface AnsweringHost extends HostFacts {
  readonly state: NonNullable<HostFacts["state"]>
}

const answering = (hosts: ReadonlyArray<HostFacts>): ReadonlyArray<AnsweringHost> =>
  hosts.flatMap(({ state, ...host }) => (state === null ? [] : [{ ...host, state }]))

const systems: Check = {
  id: "postgres-systems",
  title: "One database system",
  looks:
    "Whether the servers of `CAIRN_DATABASE_URL` are different systems (`system_identifier`), not one primary and its standbys",
  needs,
  database,
  run: ofHosts((hosts) => {
    const [first, ...others] = answering(hosts).filter(({ state }) => state.system !== null)
    return others
      .filter(({ state }) => state.system !== first?.state.system)
      .map(({ name }) =>
        fault(
          `${name} and ${first?.name} are different database systems: neither has what the other accepts`,
          `take the wrong one out of CAIRN_DATABASE_URL, or make a standby of it: pg_basebackup --write-recovery-conf`
        )
      )
  })
}

const primaries: Check = {
  id: "postgres-primaries",
  title: "One primary",
  looks:
    "Whether two servers of `CAIRN_DATABASE_URL` take writes: an old primary came back and was not fenced",
  needs,
  database,
  run: ofHosts((hosts) => {
    const [newest, ...others] = answering(hosts)
      .filter(({ state }) => !state.standby)
      .toSorted((one, other) => (other.state.timeline ?? 0) - (one.state.timeline ?? 0))
    const on = ({ name, state }: AnsweringHost) =>
      state.timeline === null ? name : `${name} on timeline ${state.timeline}`
    return others
      .filter(({ state }) => state.system === newest?.state.system)
      .map((other) =>
        fault(
          `${on(other)} takes writes beside ${newest === undefined ? "" : on(newest)}: what it accepts is in no other log`,
          `stop PostgreSQL on ${other.name}, unless it is the one that was promoted last, and make a standby of it: pg_rewind or pg_basebackup`
        )
      )
  })
}

const synchronous: Check = {
  id: "postgres-synchronous",
  title: "Commits on two servers",
  looks:
    "Whether commits wait for no standby, though `CAIRN_DATABASE_URL` names several servers: a failover can lose what was answered `202`",
  needs,
  database,
  run: (patient) =>
    Effect.gen(function* () {
      yield* severalHosts(patient)
      return yield* ofFacts(
        ({ synchronous_standby_names: names, synchronous_commit: commit, is_standby }) => {
          if (is_standby) return []
          if (names === "")
            return [
              warning(
                "commits wait for no standby (synchronous_standby_names is empty): a failover can lose the last accepted events",
                `once a standby is connected, ${altered("synchronous_standby_names", "'ANY 1 (*)'")}; with Patroni, synchronous_mode: true`
              )
            ]
          return commit === "local"
            ? [
                warning(
                  "commits wait for no standby (synchronous_commit is local): a failover can lose the last accepted events",
                  `${altered("synchronous_commit", "on")}; and ALTER ROLE cairn RESET synchronous_commit if the role has its own`
                )
              ]
            : []
        }
      )(patient)
    })
}

const losses: Check = {
  id: "losses",
  title: "What was seen of the database",
  looks:
    "Whether a server has seen a newer timeline of the database, or a longer log, than the database has now: nothing is accepted until that is resolved",
  needs,
  database,
  run: (patient) =>
    Effect.gen(function* () {
      yield* upToDate(patient)
      return yield* ofPostgres((sql, { openLosses }) =>
        Effect.map(openLosses(sql), (all) => {
          const ids = all.flatMap(({ workspace_id }) => (workspace_id === null ? [] : [workspace_id]))
          return [
            ...all
              .filter(({ workspace_id }) => workspace_id === null)
              .map((loss) =>
                fault(`${describeLoss(loss)}: it is an old primary or an older copy`, RIGHT_ONE)
              ),
            ...ofLogs(ids, (logs, about) =>
              fault(
                `${logs} ${ids.length === 1 ? "lacks" : "lack"} events that a server has seen`,
                RIGHT_ONE,
                about
              )
            )
          ]
        })
      )(patient)
    })
}

/** Connections to each of them. */
const ONE = 1

const replicas: Check = {
  id: "read-replicas",
  title: "Read replicas",
  looks:
    "Whether a server of `CAIRN_DATABASE_READ_URL` does not answer, takes writes, or is no standby of the database: it is never used then",
  needs: [...needs, SETTINGS.databaseRead.name],
  database,
  run: (patient) =>
    Effect.gen(function* () {
      const { postgres } = yield* opened(patient)
      const { database: configured } = patient.settings
      if (postgres === null || configured.kind === "sqlite" || configured.readUrl === undefined)
        return yield* new Skipped({ reason: "CAIRN_DATABASE_READ_URL is not set" })
      const url = Redacted.make(configured.readUrl)
      const found = yield* postgres.adapter.hostFacts({ url, maxConnections: ONE })
      const system = answering(yield* postgres.hosts).find(({ state }) => !state.standby)?.state.system
      return found.flatMap(({ name, state, silence }) => {
        if (state === null)
          return [
            warning(
              `the replica ${name} cannot be used: ${silence}`,
              `${READ_REMEDY}, or start PostgreSQL there`
            )
          ]
        if (!state.standby) return [warning(`${name} is no replica: it takes writes`, READ_REMEDY)]
        return state.system !== null && typeof system === "string" && state.system !== system
          ? [warning(`${name} is a replica of another database system`, READ_REMEDY)]
          : []
      })
    })
}

const READ_REMEDY = "let CAIRN_DATABASE_READ_URL name hot standbys of the database"

/** Checks of what a failover leaves, or would lose. */
export const FAILOVER_CHECKS: ReadonlyArray<Check> = [
  silent,
  systems,
  primaries,
  synchronous,
  replicas,
  losses
]
