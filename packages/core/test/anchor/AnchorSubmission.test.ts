/** What a service does with its transactions, over a chain that says what a test tells it to. */
import {
  AnchorChain,
  type AnchorChainShape,
  Anchoring,
  AnchorVerifier,
  anchorPayload,
  ChainUnavailable,
  logIdHash,
  type OnChain,
  parseAnchorPayload,
  type SignedTransaction,
  type TransactionFate
} from "@cairn/core/anchor"
import { Micros } from "@cairn/core/encoding"
import { AnchorEvidence } from "@cairn/core/evidence"
import { Sha256 } from "@cairn/core/hashing"
import {
  addEvents,
  anchoringRound,
  layerManualClock,
  type ManualClock,
  manualClock,
  newWorkspace
} from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Result } from "effect"
import type { ChainTransaction } from "../../src/anchor/AnchorChain.ts"
import { anchorsOf, NOON, service } from "../support/AnchorService.ts"

const ACCOUNT = `0x${"a".repeat(40)}`
const OTHER = `0x${"b".repeat(40)}`
const hashOf = (number: number) => `0x${String(number).padStart(64, "0")}`

const logId = (workspaceId: string) => Effect.succeed(`test/${workspaceId}`)

/** What a test tells its chain, and learns from it. */
interface Puppet {
  fate: TransactionFate
  /** What it says of transactions instead, by their hash. */
  fates: Record<string, ReturnType<AnchorChainShape["fate"]>>
  /** Hashes that it was asked the fate of. */
  asked: Array<string>
  nextNonce: AnchorChainShape["nextNonce"]
  /** What `read` finds. */
  read: ReturnType<AnchorChainShape["read"]>
  sent: Array<SignedTransaction>
  /** What the last one that was signed carries. */
  data: Uint8Array
}

/** A chain under the hand of a test. */
const puppet = () => {
  let signed = 0
  const state: Puppet = {
    fate: { type: "missing" },
    fates: {},
    asked: [],
    nextNonce: Effect.succeed(0),
    read: Effect.succeed({ type: "absent" }),
    sent: [],
    data: new Uint8Array()
  }
  const transaction = (nonce: number): SignedTransaction => {
    const hash = hashOf(++signed)
    return { hash, raw: `${hash}00`, nonce, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
  }
  const chain: AnchorChainShape = {
    chainId: 8453,
    account: ACCOUNT,
    accounts: [ACCOUNT],
    nextNonce: Effect.suspend(() => state.nextNonce),
    sign: (data, nonce) =>
      Effect.sync(() => {
        state.data = data
        return transaction(nonce)
      }),
    resign: (_, nonce) => Effect.sync(() => transaction(nonce)),
    send: (one) => Effect.sync(() => void state.sent.push(one)),
    fate: ({ hashes }) =>
      Effect.suspend(() => {
        state.asked.push(...hashes)
        return hashes.map((hash) => state.fates[hash]).find(Boolean) ?? Effect.succeed(state.fate)
      }),
    read: () => Effect.suspend(() => state.read),
    prove: () => Effect.succeedNone
  }
  return { state, chain }
}

const confirmedBy = (number: number, final = false): TransactionFate => ({
  type: "confirmed",
  final,
  hash: hashOf(number),
  blockNumber: 7,
  blockHash: hashOf(1_000)
})

/** A service over a chain that a test holds in its hands; every transaction is stuck at once. */
const test = <A, E>(
  name: string,
  body: (
    state: Puppet,
    workspaceId: string,
    clock: ManualClock
  ) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof service>> | AnchorEvidence>
) =>
  it.effect(name, () => {
    const { state, chain } = puppet()
    const clock = manualClock(NOON)
    const withChain = Layer.succeed(AnchorChain, Option.some(chain))
    const useCases = Layer.mergeAll(
      Anchoring.layer({ logId, stuckAfter: 0 }),
      AnchorVerifier.layer({ logId }),
      AnchorEvidence.layer
    ).pipe(Layer.provide(withChain))
    return Effect.gen(function* () {
      const workspaceId = yield* newWorkspace
      yield* addEvents(workspaceId)
      clock.advance(Micros.DAY)
      yield* anchoringRound
      return yield* body(state, workspaceId, clock)
    }).pipe(
      Effect.provide(
        useCases.pipe(Layer.provideMerge(service(clock)), Layer.provideMerge(layerManualClock(clock)))
      )
    )
  })

const statusOf = (workspaceId: string) => Effect.map(anchorsOf(workspaceId), ([anchor]) => anchor?.status)
const sentBy = ({ sent }: { readonly sent: ReadonlyArray<SignedTransaction> }) => sent.map(({ hash }) => hash)

describe("a transaction that was confirmed once", () => {
  /**
   * Sent, replaced because it was stuck, the first of the two confirmed, and its block dropped by the chain.
   */
  const dropped = Effect.fnUntraced(function* (state: Puppet, workspaceId: string, fate: TransactionFate) {
    yield* anchoringRound
    assert.deepStrictEqual(sentBy(state), [hashOf(1), hashOf(2)])
    state.fate = confirmedBy(1)
    yield* anchoringRound
    assert.strictEqual(yield* statusOf(workspaceId), "confirmed")
    state.sent = []
    state.fate = fate
    yield* anchoringRound
    assert.strictEqual(yield* statusOf(workspaceId), "submitted")
  })

  test("is the one that is sent again: the next anchor may have named it", (state, workspaceId) =>
    Effect.gen(function* () {
      yield* dropped(state, workspaceId, { type: "missing" })
      yield* anchoringRound
      assert.deepStrictEqual(sentBy(state), [hashOf(1), hashOf(1)])
    }))

  test("is not signed again at another nonce when somebody has used its own", (state, workspaceId) =>
    Effect.gen(function* () {
      yield* dropped(state, workspaceId, { type: "superseded" })
      yield* anchoringRound
      assert.deepStrictEqual(sentBy(state), [])
    }))

  test("is evidence with the others again, and stands in no block", (state, workspaceId) =>
    Effect.gen(function* () {
      const { over } = yield* AnchorEvidence
      const load = Effect.flatMap(over(workspaceId, 1, 1), ([entry]) => entry?.load ?? Effect.die("none"))
      yield* anchoringRound
      state.fate = confirmedBy(1)
      yield* anchoringRound
      assert.deepStrictEqual((yield* load).transactions, [`${hashOf(1)}00`])
      state.fate = { type: "missing" }
      yield* anchoringRound
      const { anchor, transactions, block } = yield* load
      assert.deepInclude(anchor, { status: "submitted", tx_hash: null, block_number: null })
      assert.deepStrictEqual(transactions, [`${hashOf(1)}00`, `${hashOf(2)}00`])
      assert.isNull(block)
    }))
})

describe("of several transactions that are on their way", () => {
  const silence = Effect.fail(new ChainUnavailable({ operation: "follow a transaction", reasons: [] }))

  /** One in a transaction of its own, besides the one that every test begins with. */
  const another = Effect.fnUntraced(function* (state: Puppet, clock: ManualClock) {
    const workspaceId = yield* newWorkspace
    yield* addEvents(workspaceId)
    clock.advance(Micros.DAY)
    state.fate = { type: "included", hash: hashOf(1), blockNumber: 7, blockHash: hashOf(1_000) }
    yield* anchoringRound
    return workspaceId
  })

  test("one that no node can say anything of does not hold up the others", (state, first, clock) =>
    Effect.gen(function* () {
      const second = yield* another(state, clock)
      assert.deepStrictEqual(sentBy(state), [hashOf(1), hashOf(2)])
      state.fates = { [hashOf(1)]: silence, [hashOf(2)]: Effect.succeed(confirmedBy(2)) }
      yield* anchoringRound
      assert.deepStrictEqual([yield* statusOf(first), yield* statusOf(second)], ["submitted", "confirmed"])
      state.fates[hashOf(1)] = Effect.succeed(confirmedBy(1))
      yield* anchoringRound
      assert.strictEqual(yield* statusOf(first), "confirmed")
    }))

  test("the first alone is asked about while the chain answers nothing", (state, _, clock) =>
    Effect.gen(function* () {
      yield* another(state, clock)
      state.fates = { [hashOf(1)]: silence, [hashOf(2)]: silence }
      state.nextNonce = silence
      state.asked = []
      yield* anchoringRound
      assert.deepStrictEqual(state.asked, [hashOf(1)])
    }))
})

describe("a confirmed anchor, held against what the chain shows", () => {
  interface Shown {
    readonly from?: string
    readonly to?: string | null
    /** What the transaction carries, made from what was sent. */
    readonly data?: (sent: Uint8Array, ownLog: string) => Uint8Array
  }

  const payload = (...entries: Parameters<typeof anchorPayload>[0]) =>
    Result.getOrThrow(anchorPayload(entries))
  const entryOf = (data: Uint8Array) => {
    const [entry] = Result.getOrThrow(parseAnchorPayload(data))
    if (entry === undefined) throw new Error("nothing was sent")
    return entry
  }
  const ones = "1".repeat(64)

  const compared = (
    name: string,
    shown: Shown | "nothing" | "another block" | "no node",
    expected: { readonly valid: boolean; readonly chain_valid: boolean; readonly status: OnChain["status"] }
  ) =>
    test(name, (state, workspaceId) =>
      Effect.gen(function* () {
        state.fate = confirmedBy(1, true)
        yield* anchoringRound
        const ownLog = logIdHash(yield* Sha256, `test/${workspaceId}`)
        if (shown === "no node") {
          state.read = Effect.fail(new ChainUnavailable({ operation: "read", reasons: [] }))
        } else if (shown === "another block") {
          state.read = Effect.succeed({ type: "dropped" })
        } else if (shown !== "nothing") {
          const { from = ACCOUNT, to = from, data = (sent) => sent } = shown
          const transaction: ChainTransaction = {
            ...{ hash: hashOf(1), blockNumber: 7, blockHash: hashOf(1_000), from, to },
            data: data(state.data, ownLog)
          }
          state.read = Effect.succeed({ type: "found", ...transaction })
        }
        const [anchor] = yield* anchorsOf(workspaceId)
        const { verify } = yield* AnchorVerifier
        const found = Option.getOrThrow(yield* verify(workspaceId, anchor?.id ?? ""))
        const { valid, chain_valid, on_chain } = found
        assert.deepStrictEqual({ valid, chain_valid, status: on_chain?.status }, expected)
      })
    )

  const intact = { valid: true, chain_valid: true } as const
  const differs = { valid: true, chain_valid: false, status: "differs" } as const

  compared("matches", {}, { ...intact, status: "matches" })
  compared(
    "matches among those of other logs",
    {
      data: (sent) => payload({ logIdHash: ones, merkleRoot: ones, previousAnchorHash: null }, entryOf(sent))
    },
    { ...intact, status: "matches" }
  )
  compared("is not checked where no node answers", "no node", { ...intact, status: "unreachable" })
  compared("is not checked while the chain has another block in its place, which may go", "another block", {
    ...intact,
    status: "not_checked"
  })
  compared("differs when its block does not hold the transaction", "nothing", differs)
  compared("differs when somebody else sent it", { from: OTHER }, differs)
  compared("differs when the account sent it to somebody else", { to: OTHER }, differs)
  compared("differs when it makes a contract", { to: null }, differs)
  compared("differs when it carries no payload", { data: () => new Uint8Array(10) }, differs)
  compared(
    "differs when it carries another log's anchor only",
    {
      data: (sent) => payload({ ...entryOf(sent), logIdHash: ones })
    },
    differs
  )
  compared(
    "differs when it carries two anchors of the log",
    {
      data: (sent) => payload(entryOf(sent), entryOf(sent))
    },
    differs
  )
  compared(
    "differs when it names another anchor before",
    {
      data: (sent) => payload({ ...entryOf(sent), previousAnchorHash: ones })
    },
    differs
  )
  compared(
    "is not valid when it carries another root",
    {
      data: (sent) => payload({ ...entryOf(sent), merkleRoot: ones })
    },
    { valid: false, chain_valid: true, status: "differs" }
  )
})
