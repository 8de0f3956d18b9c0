/** What can be done with an event beside reading it. */
import type { Event } from "@cairn/core/event"
import { Glyph } from "@cairn/ui/parts"
import { useState } from "preact/hooks"
import { useSession } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { eventsTexts } from "./EventsTexts.ts"

/** Lets the browser keep a text as a file. */
const save = (name: string, text: string): void => {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}

/** Downloads what proves, to somebody who trusts nobody, that the event is in the log. */
export const ProofButton = ({ event }: { readonly event: Event }) => {
  const texts = useTexts(eventsTexts)
  const { calls } = useSession()
  const [state, setState] = useState<"idle" | "busy" | "failed">("idle")
  if (event.integrity.event_hash === null) return null
  const download = async () => {
    setState("busy")
    try {
      const proof = await calls.events.proof(event.id)
      // What `verifyEvent` takes.
      save(`${event.id}.proof.json`, JSON.stringify({ event, proof, checkpoint: proof.checkpoint }, null, 2))
      setState("idle")
    } catch {
      setState("failed")
    }
  }
  return (
    <>
      <button
        type="button"
        disabled={state === "busy"}
        onClick={() => {
          download().catch(() => setState("failed"))
        }}
      >
        <Glyph name="download" /> {texts.proof}
      </button>
      <span role="status" class="muted">
        {state === "failed" ? texts.proofFailed : ""}
      </span>
    </>
  )
}
