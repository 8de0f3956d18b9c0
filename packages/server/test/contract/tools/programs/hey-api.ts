// A client that @hey-api/openapi-ts makes whole.
import { createClient } from "./generated/client/index.ts"
import { eventsIngest, eventsListEvents, eventsVerify, proofsEventProof } from "./generated/sdk.gen.ts"

const { BASE_URL = "", API_KEY = "", ACTION = "" } = process.env
const client = createClient({ baseUrl: BASE_URL, auth: API_KEY })

const ids: Array<string> = []
for (const seats of [1, 2, 3]) {
  const { data, error } = await eventsIngest({
    client,
    body: { actor_id: "ada", action: ACTION, metadata: { plan: "pro", seats, nested: { tags: ["a", "b"] } } }
  })
  if (data === undefined) throw new Error(`${error.error}: ${error.message}`)
  ids.push(data.id)
}

const list = async (cursor?: string) => {
  const { data, error } = await eventsListEvents({
    client,
    query: { action: [ACTION], limit: 2, ...(cursor === undefined ? {} : { cursor }) }
  })
  if (data === undefined) throw new Error(`${error.error}: ${error.message}`)
  return data
}
let first = await list()
while (first.pagination.total !== ids.length) first = await list()
const second = await list(first.pagination.next_cursor ?? "")
const seats = [...first.data, ...second.data].map(({ metadata }) => metadata?.seats)

const verified = await eventsVerify({ client, query: { limit: 1000 } })
const proof = await proofsEventProof({ client, path: { id: ids[0] ?? "" } })
console.log(
  JSON.stringify({
    seats,
    more: [first.pagination.has_more, second.pagination.has_more],
    valid: verified.data?.data.valid,
    proven: proof.data?.header.id === ids[0]
  })
)
