/** The checkpoint that the service signs when it is asked. */
import type { SessionCalls } from "@cairn/client/session"
import type { PageClock } from "@cairn/ui/locale"

/** A note, and when the page got it, by the page's clock: a note has no time. */
export interface FetchedNote {
  readonly note: string
  readonly at: string
}

/** Asks for it; kept under the key "checkpoint" by every page that shows it. */
export const readNewest =
  (clock: PageClock) =>
  async ({ checkpoints }: Pick<SessionCalls, "checkpoints">, signal: AbortSignal): Promise<FetchedNote> => {
    const note = await checkpoints.latest({ signal })
    return { note, at: new Date(clock.now()).toISOString() }
  }
