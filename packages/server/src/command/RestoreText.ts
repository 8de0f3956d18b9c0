/** What `cairn restore` says. */
import { Micros } from "@cairn/core/encoding"
import type { WorkspaceLoss } from "@cairn/storage-sqlite"
import type { CheckedCheckpoint } from "./BackupChecks.ts"
import { print } from "./Shared.ts"

/** What the database that is there has and the backup lacks. */
export interface FoundLosses {
  readonly losses: ReadonlyArray<WorkspaceLoss>
  /** Why more is not known; empty if all is. */
  readonly unreadable: ReadonlyArray<string>
}

/** A log that was verified. */
interface VerifiedLog {
  readonly workspace_id: string
  readonly valid: boolean
  readonly events_checked: number
  readonly breaks: number
}

const lossLine = (loss: WorkspaceLoss, done: boolean): ReadonlyArray<string> => {
  const { workspace_id, name, events_now, events_in_backup, events_lost, waiting_lost } = loss
  if (events_lost + waiting_lost === 0 && events_in_backup !== null) return []
  const waiting = waiting_lost === 0 ? "" : ` and ${waiting_lost} that wait`
  const inBackup =
    events_in_backup === null ? "the backup lacks the workspace" : `${events_in_backup} in the backup`
  const [had, lost] = done ? ["had", "are lost"] : ["has", "would be lost"]
  return [
    `${name} (${workspace_id}) ${had} ${events_now} events, ${inBackup}: ${events_lost}${waiting} ${lost}`
  ]
}

/** What the command has found, and whether it goes on. */
export interface Outcome {
  readonly dryRun: boolean
  readonly refused: boolean
  /** Where what was replaced is; null if nothing was. */
  readonly aside: string | null
  /** What follows from a loss. */
  readonly afterLoss: string
}

/** What is lost, and what is there now. */
const linesOf = (
  { losses, unreadable }: FoundLosses,
  database: string,
  { dryRun, refused, aside, afterLoss }: Outcome
): ReadonlyArray<string> => {
  const done = !dryRun && !refused
  const lines = losses.flatMap((loss) => lossLine(loss, done))
  return [
    ...lines,
    ...(unreadable.length === 0
      ? []
      : [`Other losses are unknown, since the existing database cannot be read: ${unreadable.join("; ")}`]),
    ...(done ? [`Restored to ${database}`] : ["Nothing was changed"]),
    ...(aside === null ? [] : [`The database that was there is in ${aside}`]),
    ...(done && lines.length > 0 ? [afterLoss] : [])
  ]
}

/** The time in the name of what was replaced. */
export const stampOf = (now: Micros.Micros): string =>
  Micros.format(now).slice(0, "2026-01-01T00:00:00".length).replace(/[-:]/g, "")

/** The result. */
export const reportRestore = (
  asJson: boolean,
  backup: string,
  database: string,
  checked: {
    readonly chains: ReadonlyArray<VerifiedLog>
    readonly checkpoints: ReadonlyArray<CheckedCheckpoint>
  },
  found: FoundLosses,
  outcome: Outcome,
  key: string
) => {
  const { chains, checkpoints } = checked
  const { dryRun, refused, aside } = outcome
  const restored = !dryRun && !refused
  const events = chains.reduce((sum, { events_checked }) => sum + events_checked, 0)
  return print(
    asJson,
    { backup, database, restored, replaced: aside, events, chains, checkpoints, ...found, secret_key: key },
    [
      `${backup} holds: ${events} events in ${chains.length} workspaces, ${checkpoints.length} signed checkpoints`,
      ...linesOf(found, database, outcome),
      ...(restored ? [key] : [])
    ].join("\n")
  )
}
