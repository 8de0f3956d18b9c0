/** From an event to its proof. */
import type { Cairn } from "@cairn/client"
import { CheckpointKeeper, type CheckpointStore, type Knowledge, verifyEvent } from "@cairn/client/verify"

/** A person waits: an outage is said soon. */
export const SOON = { timeoutMillis: 2000 }

/** Proves events of the log that is known, and keeps the newest checkpoint that it has seen. */
export const makeProofs = (cairn: Cairn, log: Knowledge, store: CheckpointStore) => {
  const { verifierKeys } = log
  const keeper = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store })

  /** The newest event of an invoice; `undefined` until the log has it. */
  const eventOf = async (invoice: string) => {
    const query = { resource: "invoice", resource_id: invoice, limit: 1 }
    const { data } = await cairn.events.list(query, SOON).page()
    return data[0]
  }

  return {
    eventOf,
    /** What is proven of it, offline: nothing of this asks the service whether it says the truth. */
    prove: async (invoice: string) => {
      const event = await eventOf(invoice)
      if (event === undefined) return undefined
      const proof = await cairn.events.proof(event.id, SOON)
      const { id } = event
      const report = verifyEvent({ id, event, proof, checkpoint: proof.checkpoint }, log)
      // Fail where the log is not a continuation of what was seen before, or does not hold the event.
      await keeper.compare(proof.checkpoint)
      await keeper.check({ atLeast: proof.header.sequence })
      return { event, report }
    }
  }
}
