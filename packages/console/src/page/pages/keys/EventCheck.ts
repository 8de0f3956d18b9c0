/** Verifies one event in the browser. It is loaded when there is one. */
import type { SessionCalls } from "@cairn/client/session"
import { Event } from "@cairn/core/event"
import { EventVerifier, type Mark } from "@cairn/ui/log"
import { Schema } from "effect"

/** How often the proof is asked for, which is there shortly after the event. */
const TRIES = 5

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1_000))

/** The mark of an event, by its proof. */
export const checkEvent = async (calls: SessionCalls, event: unknown, workspaceId: string): Promise<Mark> => {
  if (!Schema.is(Event)(event)) return { kind: "unchecked", reason: "no_hash" }
  const verifier = new EventVerifier({ keys: [], workspaceId })
  for (let tries = 1; ; tries++) {
    const { checkpoint, events } = await calls.events.proofs({ ids: [event.id] })
    const mark = verifier.mark(event, events[0], checkpoint)
    if (mark.kind !== "unchecked" || tries === TRIES) return mark
    await pause()
  }
}
