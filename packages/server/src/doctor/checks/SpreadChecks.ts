/** Checks of the machines over which Citus spreads the log. */
import type { MachineFacts } from "@cairn/storage-postgres"
import { SETTINGS } from "../../settings/Settings.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import { ofMachines } from "../PostgresPatient.ts"
import { MACHINE_CHECK } from "../WholeDatabase.ts"

const away = ({ name, node, silence }: MachineFacts): Finding =>
  fault(
    `${name}, which has a part of the log, does not answer the coordinator (${silence}): its workspaces take no events`,
    `start PostgreSQL on ${name}; or, if its standby takes its place, on the coordinator SELECT citus_update_node(${node}, 'HOST OF THE STANDBY', PORT, force => true)`
  )

const majorOf = (version: number): number => Math.floor(version / 10_000)

/** Another version than the coordinator has. */
const versionsOf = (
  { name, facts, citus, coordinator }: MachineFacts,
  version: number
): ReadonlyArray<Finding> => {
  if (facts === null) return []
  const other = (what: string, its: string | number, own: string | number, mend: string) =>
    warning(`${name} has ${what} ${its}, and the coordinator has ${own}`, mend)
  const [its, own] = [majorOf(facts.version), majorOf(version)]
  return [
    ...(its === own ? [] : [other("PostgreSQL", its, own, "pg_upgrade the older one to the newer version")]),
    ...(citus === coordinator
      ? []
      : [
          other(
            "Citus",
            citus,
            coordinator,
            "install the newer one on both, start PostgreSQL there again, and ALTER EXTENSION citus UPDATE in this database on both"
          )
        ])
  ]
}

const machines: Check = {
  id: MACHINE_CHECK,
  title: "Machines of the log",
  looks:
    "Whether a machine over which Citus spreads the log does not answer, or has another version of PostgreSQL or Citus than the coordinator",
  needs: [SETTINGS.database.name],
  database: "postgres",
  run: ofMachines((all, { version }) =>
    all.flatMap((machine) => (machine.facts === null ? [away(machine)] : versionsOf(machine, version)))
  )
}

/** Checks of a log that is spread. */
export const SPREAD_CHECKS: ReadonlyArray<Check> = [machines]
