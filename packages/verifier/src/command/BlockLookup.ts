/** Hashes of blocks, as a node of the chain gives them. */
import { Effect, Schema } from "effect"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"

const BLOCK_HASH = /^0x[0-9a-f]{64}$/

/** The node cannot be reached, returns something unexpected, or is on another chain. */
export class NodeUnavailable extends Schema.TaggedError<NodeUnavailable>()("NodeUnavailable", {
  message: Schema.String
}) {}

/** Longest that a node may take to respond. */
const PATIENCE_MS = 15_000

const Answer = Schema.Struct({ result: Schema.Unknown })

const ChainId = Schema.String.check(Schema.isPattern(/^0x(?:0|[1-9a-f][0-9a-f]{0,12})$/))

const Block = Schema.NullOr(Schema.Struct({ hash: Schema.String.check(Schema.isPattern(BLOCK_HASH)) }))

/** What a node returns for a method of Ethereum's JSON-RPC. */
const ask = <S extends Schema.ConstraintDecoder<unknown>>(
  url: string,
  result: S,
  method: string,
  ...params: ReadonlyArray<unknown>
): Effect.Effect<S["Type"], NodeUnavailable> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      })
      if (!response.ok) throw new Error(`it returned ${response.status}`)
      const answer = Schema.decodeUnknownSync(Answer)(await response.json())
      return Schema.decodeUnknownSync(result)(answer.result)
    },
    catch: (error) => new NodeUnavailable({ message: error instanceof Error ? error.message : String(error) })
  })

/**
 * The hashes of these blocks, as a node of this chain states them (`eth_getBlockByNumber`), one request each.
 * Stops at the first failure, so that an unreachable node is not called a thousand times. A node on another
 * chain is not used: its blocks at the same heights are different ones.
 */
export const lookUpBlocks = Effect.fnUntraced(function* (
  url: string,
  chainId: number,
  blocks: ReadonlyArray<ClaimedBlock>
) {
  const found = Number(yield* ask(url, ChainId, "eth_chainId"))
  if (found !== chainId) {
    return yield* new NodeUnavailable({ message: `it is a node of chain ${found}, not of ${chainId}` })
  }
  const hashes = new Map<number, string>()
  for (const number of new Set(blocks.map((block) => block.number))) {
    const block = yield* ask(url, Block, "eth_getBlockByNumber", `0x${number.toString(16)}`, false)
    if (block !== null) hashes.set(number, block.hash)
  }
  return hashes
})
