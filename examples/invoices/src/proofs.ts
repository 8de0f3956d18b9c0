/** From an event to its proof. */
import type { Cairn } from "@cairn/client"
import { CheckpointKeeper, type CheckpointStore, verifyEvent } from "@cairn/client/verify"

/** Proves events of a log that one of the keys signs, and keeps the newest checkpoint that it has seen. */
export const makeProofs = (cairn: Cairn, verifierKeys: ReadonlyArray<string>, store: CheckpointStore) => {
  const keeper = new CheckpointKeeper({ source: cairn.checkpoints, verifierKeys, store })

  /** The newest event of an invoice; `undefined` until the log has it. */
  const eventOf = async (invoice: string) => {
    const { data } = await cairn.events.list({ resource: "invoice", resource_id: invoice, limit: 1 }).page()
    return data[0]
  }

  return {
    eventOf,
    /** What is proven of it, offline: nothing of this asks the service whether it says the truth. */
    prove: async (invoice: string) => {
      const event = await eventOf(invoice)
      if (event === undefined) return undefined
      const proof = await cairn.events.proof(event.id)
      const { id } = event
      const report = verifyEvent({ id, event, proof, checkpoint: proof.checkpoint }, { verifierKeys })
      // Fail where the log is not a continuation of what was seen before, or does not hold the event.
      await keeper.compare(proof.checkpoint)
      await keeper.check({ atLeast: proof.header.sequence })
      return { event, report }
    }
  }
}
