/** Some nodes of one chain, tried one after the other until one on the right chain responds. */
import { ChainUnavailable } from "@cairn/core/anchor"
import { Effect, Result, Schema } from "effect"
import { BaseError, createClient, http } from "viem"
import { Quantity } from "./RpcAnswers.ts"

/** The node has not responded, or with something unexpected. Another may do better. */
export class NodeFailed extends Schema.TaggedError<NodeFailed>()("NodeFailed", {
  reason: Schema.String
}) {}

/** The node has rejected the call. */
export class NodeRefused extends Schema.TaggedError<NodeRefused>()("NodeRefused", {
  reason: Schema.String
}) {}

/** One node. */
export interface Node {
  /** Calls a method, and decodes the result. */
  readonly call: <S extends Schema.ConstraintDecoder<unknown>>(
    answer: S,
    method: string,
    ...params: ReadonlyArray<unknown>
  ) => Effect.Effect<S["Type"], NodeFailed | NodeRefused>
}

/** The nodes. */
export interface Nodes {
  /**
   * Runs `f` with the first node that can do it. A rejection counts as a failure of the node unless `f`
   * handles it.
   */
  readonly first: <A, E>(
    operation: string,
    f: (node: Node) => Effect.Effect<A, NodeFailed | NodeRefused | E>
  ) => Effect.Effect<A, ChainUnavailable | Exclude<E, NodeFailed | NodeRefused>>
}

/**
 * JSON-RPC errors by which nodes reject a call (EIP-1474, and -32000 as geth uses it), rather than fail at
 * it.
 */
const REFUSALS = new Set([-32_000, -32_003, -32_010, 3])

const RpcFailure = Schema.Struct({ code: Schema.Number })

/** What viem's error says, without the address, which may hold a key. */
const failureOf = (url: string, error: unknown): NodeFailed | NodeRefused => {
  const said = error instanceof BaseError ? error.details || error.shortMessage : String(error)
  const reason = said.replaceAll(url, "the node").slice(0, 300)
  const refused = Schema.is(RpcFailure)(error) && REFUSALS.has(error.code)
  return refused ? new NodeRefused({ reason }) : new NodeFailed({ reason })
}

const makeNode = (url: string, timeout: number): Node => {
  const client = createClient({ transport: http(url, { timeout, retryCount: 0 }) })
  return {
    call: (answer, method, ...params) =>
      Effect.tryPromise({
        // The method's name is not one of a list here: what comes back is decoded.
        try: () => client.request({ method, params } as never),
        catch: (error) => failureOf(url, error)
      }).pipe(
        Effect.flatMap((found) =>
          Effect.mapError(
            Schema.decodeUnknownEffect(answer)(found),
            () => new NodeFailed({ reason: `${method} returned something unexpected` })
          )
        )
      )
  }
}

/** Nodes at some addresses, each of which may take `timeout` milliseconds to respond. */
export const makeNodes = (urls: ReadonlyArray<string>, chainId: number, timeout: number): Nodes => {
  const nodes = urls.map((url) => makeNode(url, timeout))

  /** Checked each time: an address may lead to another node tomorrow. */
  const checked = Effect.fnUntraced(function* (node: Node) {
    const found = yield* node.call(Quantity, "eth_chainId")
    if (found !== chainId) {
      return yield* new NodeFailed({ reason: `a node is on chain ${found} instead of ${chainId}` })
    }
    return node
  })

  const first: Nodes["first"] = Effect.fnUntraced(function* (operation, f) {
    const reasons: Array<string> = []
    for (const node of nodes) {
      const outcome = yield* Effect.result(Effect.flatMap(checked(node), f))
      if (Result.isSuccess(outcome)) return outcome.success
      const { failure } = outcome
      if (!(failure instanceof NodeFailed || failure instanceof NodeRefused)) {
        return yield* Effect.fail(failure as Exclude<typeof failure, NodeFailed | NodeRefused>)
      }
      reasons.push(failure.reason)
    }
    return yield* new ChainUnavailable({ operation, reasons })
  })
  return { first }
}
