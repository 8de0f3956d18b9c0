/** Hashes of blocks, as the auditor looked them up or as a node of the chain gives them. */
import { Effect, Schema } from "effect"
import type { ClaimedBlock } from "../AnchorTransaction.ts"

const BLOCK_HASH = /^0x[0-9a-f]{64}$/

/** Reads `NUMBER=HASH`; `undefined` for anything else. The hash may be in upper case, as some explorers copy it. */
export const parseBlockHash = (text: string): readonly [number, string] | undefined => {
  const [, digits, written] = /^(0|[1-9]\d{0,15})=(0x[0-9a-fA-F]{64})$/.exec(text) ?? []
  const [number, hash] = [Number(digits), written?.toLowerCase()]
  return hash === undefined || !Number.isSafeInteger(number) ? undefined : [number, hash]
}

/** The node cannot be asked, or does not answer as one does. */
export class NodeUnavailable extends Schema.TaggedError<NodeUnavailable>()("NodeUnavailable", {
  message: Schema.String
}) {}

/** Longest that a node may take to answer. */
const PATIENCE_MS = 15_000

const Answer = Schema.Struct({
  result: Schema.NullOr(Schema.Struct({ hash: Schema.String.check(Schema.isPattern(BLOCK_HASH)) }))
})

const ask = (url: string, number: number): Effect.Effect<string | null, NodeUnavailable> =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "eth_getBlockByNumber",
          params: [`0x${number.toString(16)}`, false]
        }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      })
      if (!response.ok) throw new Error(`it answers ${response.status}`)
      return Schema.decodeUnknownSync(Answer)(await response.json()).result?.hash ?? null
    },
    catch: (error) => new NodeUnavailable({ message: error instanceof Error ? error.message : String(error) })
  })

/**
 * The hashes of these blocks by a node's word (`eth_getBlockByNumber`), one request each. Stops at the first that cannot be had: who
 * is unreachable once need not be asked a thousand times.
 */
export const lookUpBlocks = Effect.fnUntraced(function* (url: string, blocks: ReadonlyArray<ClaimedBlock>) {
  const hashes = new Map<number, string>()
  for (const number of new Set(blocks.map((block) => block.number))) {
    const hash = yield* ask(url, number)
    if (hash !== null) hashes.set(number, hash)
  }
  return hashes
})
