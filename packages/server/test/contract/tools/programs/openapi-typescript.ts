// A client of openapi-fetch over the types that openapi-typescript makes.
import createClient from "openapi-fetch"
import type { paths } from "./schema.ts"

const { BASE_URL = "", API_KEY = "", ACTION = "" } = process.env
const client = createClient<paths>({
  baseUrl: BASE_URL,
  headers: { Authorization: `Bearer ${API_KEY}` }
})

const ids: Array<string> = []
for (const seats of [1, 2, 3]) {
  const { data, error } = await client.POST("/api/v1/events", {
    body: { actor_id: "ada", action: ACTION, metadata: { plan: "pro", seats, nested: { tags: ["a", "b"] } } }
  })
  if (data === undefined) throw new Error(`${error.error}: ${error.message}`)
  ids.push(data.id)
}

const list = async (cursor?: string) => {
  const { data, error } = await client.GET("/api/v1/events", {
    params: { query: { action: [ACTION], limit: 2, ...(cursor === undefined ? {} : { cursor }) } }
  })
  if (data === undefined) throw new Error(`${error.error}: ${error.message}`)
  return data
}
let first = await list()
while (first.pagination.total !== ids.length) first = await list()
const second = await list(first.pagination.next_cursor ?? "")
const seats = [...first.data, ...second.data].map(({ metadata }) => metadata?.seats)

const verified = await client.GET("/api/v1/verify", { params: { query: { limit: 1000 } } })
const proof = await client.GET("/api/v1/events/{id}/proof", { params: { path: { id: ids[0] ?? "" } } })
console.log(
  JSON.stringify({
    seats,
    more: [first.pagination.has_more, second.pagination.has_more],
    valid: verified.data?.data.valid,
    proven: proof.data?.header.id === ids[0]
  })
)
