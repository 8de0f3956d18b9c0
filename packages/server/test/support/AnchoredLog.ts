/** A log that is anchored on a real node, over HTTP: events go in, and their anchors come to be confirmed. */
import { AnchorDetail, AnchorVerification } from "@cairn/core/anchor"
import { Schema } from "effect"
import { type Anvil, PRIVATE_KEY } from "../../../anchor-base/test/Anvil.ts"
import type { ApiClient } from "./ApiClient.ts"
import { eventually } from "./Eventually.ts"

/** The account that anchors, of the node's first key. */
export const ACCOUNT = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"

const decodeClosed = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeDetail = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorDetail }))
const decodeVerification = Schema.decodeUnknownSync(Schema.Struct({ data: AnchorVerification }))

/** The variables of a service that anchors on the node at an address. */
export const chainVariables = (url: string): Record<string, string> => ({
  CAIRN_ANCHOR_RPC_URL: url,
  CAIRN_ANCHOR_PRIVATE_KEY: PRIVATE_KEY,
  CAIRN_ANCHOR_CONFIRMATIONS: "1"
})

/** Accepts events, and waits until they are in the chain. */
export const append = async (client: ApiClient, count: number): Promise<void> => {
  const before = (await client.page()).pagination.total
  for (let rest = count; rest > 0; rest -= 100) {
    await client.acceptBatch(
      Array.from({ length: Math.min(rest, 100) }, (_, index) => ({
        actor_id: "ada",
        action: "document.read",
        metadata: { index }
      }))
    )
  }
  await eventually(
    "they are in the chain",
    async () => (await client.page()).pagination.total >= before + count || undefined
  )
}

/** Closes the open period; gives its id. */
export const closePeriod = async (client: ApiClient): Promise<string> => {
  const { status, body } = await client.request("POST", "/api/v1/anchors")
  if (status !== 202) throw new Error(`${status} for closing a period`)
  return decodeClosed(body).data.id
}

/** An anchor on its own; undefined while there is none of that id. */
export const readAnchor = async (client: ApiClient, id: string): Promise<AnchorDetail | undefined> => {
  const { status, body } = await client.get(`/anchors/${id}`)
  return status === 200 ? decodeDetail(body).data : undefined
}

/** What the service says of an anchor. */
export const verifyAnchor = async (client: ApiClient, id: string): Promise<AnchorVerification> =>
  decodeVerification((await client.get(`/anchors/${id}/verify`)).body).data

/** Closes the open period, and waits until its anchor is confirmed, mining meanwhile; gives the anchor. */
export const anchor = async (node: Anvil, client: ApiClient): Promise<AnchorDetail> => {
  const id = await closePeriod(client)
  return eventually(
    "the anchor is confirmed",
    async () => {
      await node.mine()
      const found = await readAnchor(client, id)
      return found?.status === "confirmed" ? found : undefined
    },
    90_000
  )
}
