/** What the compiler has to accept, and what it has to refuse. */
import { Outbox, prismaAdapter } from "@cairn/client/outbox"
import { connect } from "./Connect.ts"

const prisma = connect("")
const outbox = new Outbox(prismaAdapter(prisma))
const event = { actor_id: "ada", action: "invoice.paid" }

export const paid = prisma.$transaction(async (tx) => {
  await tx.invoice.create({ data: { id: "42" } })
  const { key } = await outbox.audit(tx, event)
  return key
})

// @ts-expect-error: the client is no transaction
export const refused = outbox.audit(prisma, event)
