import { Cairn } from "@cairn/client"

const cairn = new Cairn({
  url: process.env.CAIRN_URL ?? "",
  apiKey: process.env.CAIRN_API_KEY ?? ""
})

// Key, time, retries and time limit are the client's.
const recorded = await cairn.record({
  actor_id: "ada",
  action: "invoice.paid",
  resource: "invoice",
  resource_id: "42"
})
console.log(recorded.status)
await cairn.close()
