/** The commands with which the operator erases. */
import { shellQuote } from "./ShellQuote.ts"

/** What is erased, in which workspace, and why. */
export interface Erasure {
  readonly workspaceId: string
  readonly kind: "actor" | "tenant"
  readonly id: string
  readonly reason: string
}

/** Events that one command names, far below what a command may be long. */
const EVENTS_AT_ONCE = 1_000

/** The commands: the first one shows what the second one does. A tenant's take its events from a file. */
export const eraseCommands = ({
  workspaceId,
  kind,
  id,
  reason
}: Erasure): readonly [dryRun: string, erase: string] => {
  const before = `cairn erase --workspace ${shellQuote(workspaceId)}`
  const why = `--reason ${shellQuote(reason)}`
  if (kind === "actor") {
    const command = `${before} --actor ${shellQuote(id)} ${why}`
    return [`${command} --dry-run`, command]
  }
  const each = (last: string) =>
    [
      `jq -r .id events.ndjson | xargs -n ${EVENTS_AT_ONCE} | tr ' ' , | while read -r ids; do`,
      `  ${before} --event "$ids" ${why} ${last} < /dev/null`,
      "done"
    ].join("\n")
  return [each("--dry-run"), each("--yes")]
}
