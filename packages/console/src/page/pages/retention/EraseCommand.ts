/** The commands with which the operator erases. */
import { shellOption, shellWord } from "@cairn/core/encoding"

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
  const before = `cairn erase ${shellOption("workspace", workspaceId)}`
  const why = shellOption("reason", reason)
  if (kind === "actor") {
    const command = `${before} ${shellOption("actor", id)} ${why}`
    return [`${command} --dry-run`, command]
  }
  const ids = `jq -r --arg t ${shellWord(id)} 'select(.tenant_id == $t).id' ${shellWord(EXPORT_FILE)}`
  // No pipe leads into the loop: the command asks at the terminal.
  const each = (last: string) =>
    [
      `for ids in $(${ids} | xargs -n ${EVENTS_AT_ONCE} | tr ' ' ,); do`,
      `  ${before} --event "$ids" ${why}${last}`,
      "done"
    ].join("\n")
  return [each(" --dry-run"), each("")]
}
