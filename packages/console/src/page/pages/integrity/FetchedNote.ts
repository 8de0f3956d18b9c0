/** The checkpoint that the service signs when it is asked. */
import type { SessionCalls } from "@cairn/client/session"

/** A note, and when the page has asked for it: a note has no time. */
export interface FetchedNote {
  readonly note: string
  readonly at: string
}

/** Asks for it; kept under the key "checkpoint" by every page that shows it. */
export const readNewest = async (
  { checkpoints }: SessionCalls,
  signal: AbortSignal
): Promise<FetchedNote> => ({
  note: await checkpoints.latest({ signal }),
  at: new Date().toISOString()
})
