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

/** Stands for the file of the export: a path that nobody has, so that no other file is taken. */
export const EXPORT_FILE = "</path/to/export.ndjson>"

/**
 * The commands: the first one shows what the second one does. A tenant's take its events from a file, and of
 * that only what is the tenant's.
 */
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
  const ids = `jq -r --arg t ${shellQuote(id)} 'select(.tenant_id == $t).id' ${shellQuote(EXPORT_FILE)}`
  // No pipe leads into the loop: the command asks at the terminal.
  const each = (last: string) =>
    [
      `for ids in $(${ids} | xargs -n ${EVENTS_AT_ONCE} | tr ' ' ,); do`,
      `  ${before} --event "$ids" ${why}${last}`,
      "done"
    ].join("\n")
  return [each(" --dry-run"), each("")]
}
