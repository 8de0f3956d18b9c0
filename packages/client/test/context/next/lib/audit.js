import { Cairn } from "@cairn/client"
import { auditContext, createAudit } from "@cairn/client/context"

const cairn = new Cairn({
  url: process.env.CAIRN_URL,
  apiKey: "key",
  context: auditContext,
  redact: ["metadata.password"]
})

const audit = createAudit(cairn)

/** Deep in a call chain, and as much as a handler has to say. */
export const pay = async (name) => {
  await new Promise((resolve) => setTimeout(resolve, 20))
  await audit("invoice.paid", { resource_name: name, metadata: { password: "secret" } })
}

export const sent = (name) => audit("invoice.sent", { resource_name: name })
