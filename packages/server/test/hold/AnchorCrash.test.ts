/**
 * The process that anchors, killed on the way of a transaction to the chain: nothing is lost, and nothing is
 * sent twice.
 */
import { createServer, type Server as HttpServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Anvil } from "../../../anchor-base/test/Anvil.ts"
import {
  ACCOUNT,
  append,
  chainVariables,
  closePeriod,
  readAnchor,
  verifyAnchor
} from "../support/AnchoredLog.ts"
import { apiClient } from "../support/ApiClient.ts"
import { killLeftovers, makeTenant, startServer } from "../support/CairnProcess.ts"
import { eventually } from "../support/Eventually.ts"
import { DATABASES, type TestDatabase, testDatabases } from "../support/TestDatabase.ts"

killLeftovers()

/**
 * What becomes of a transaction at the node that the killed process talks to: it never answers, and has
 * passed it on or not.
 */
type Loss = "before it reaches the node" | "after the node has it, before the answer"

const decodeCall = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ method: Schema.String, id: Schema.Unknown }))
)

/** A node that takes transactions and never answers. */
const losingNode = async (honest: Anvil, loss: Loss) => {
  let lost = 0
  const server: HttpServer = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += String(chunk)
    const sends = decodeCall(body).method === "eth_sendRawTransaction"
    if (sends && loss === "before it reaches the node") {
      lost++
      return
    }
    const answer = await fetch(honest.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body
    })
    const text = await answer.text()
    if (sends) lost++
    else response.writeHead(200, { "content-type": "application/json" }).end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    lost: () => lost,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}

describe.each(DATABASES)("the process that anchors, on %s", (kind) => {
  const { newDatabase } = testDatabases(kind)
  let node: Anvil
  beforeAll(async () => {
    node = new Anvil({})
    await node.start()
  })
  afterAll(() => node.dispose())

  /** Every transaction that was ever signed here. */
  const signed = async ({ rows }: TestDatabase) =>
    (await rows("SELECT hash, nonce FROM anchor_transaction")).map(({ hash, nonce }) => ({
      hash: String(hash),
      nonce: Number(nonce)
    }))

  const losses: ReadonlyArray<Loss> = [
    "before it reaches the node",
    "after the node has it, before the answer"
  ]
  for (const loss of losses) {
    it(`is killed with a transaction that is signed, ${loss}: one anchor, by that transaction`, {
      timeout: 240_000
    }, async () => {
      const target = await newDatabase()
      const { database } = target
      const nonceBefore = Number(await node.call("eth_getTransactionCount", ACCOUNT, "latest"))
      const losing = await losingNode(node, loss)
      const tenant = await makeTenant("Crash", { database })
      const server = await startServer({ database, variables: chainVariables(losing.url) })
      const client = apiClient(server.baseUrl, tenant.key)
      await append(client, 3)
      const id = await closePeriod(client)
      await eventually("the transaction is on its way", () => losing.lost() > 0 || undefined, 30_000)
      await server.kill()
      losing.close()
      const [first, ...others] = await signed(target)
      assert.deepStrictEqual(others, [])
      const pool = (await node.call("txpool_status")) as { readonly pending: string }
      assert.strictEqual(pool.pending, loss === "before it reaches the node" ? "0x0" : "0x1")

      const again = await startServer({ database, variables: chainVariables(node.url) })
      const later = apiClient(again.baseUrl, tenant.key)
      const anchor = await eventually(
        "the anchor is confirmed",
        async () => {
          await node.mine()
          const found = await readAnchor(later, id)
          return found?.status === "confirmed" ? found : undefined
        },
        60_000
      )
      assert.strictEqual(anchor.tx_hash, first?.hash)
      assert.deepStrictEqual(await signed(target), [{ hash: first?.hash ?? "", nonce: nonceBefore }])
      assert.strictEqual(
        Number(await node.call("eth_getTransactionCount", ACCOUNT, "latest")),
        nonceBefore + 1
      )
      const { valid, chain_valid, on_chain } = await verifyAnchor(later, id)
      assert.deepStrictEqual([valid, chain_valid, on_chain?.status], [true, true, "matches"])
      assert.lengthOf(await target.rows("SELECT id FROM anchor"), 1)
      await again.stop()
    })
  }
})
