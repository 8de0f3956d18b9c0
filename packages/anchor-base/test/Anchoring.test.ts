import { BaseChain } from "@cairn/anchor-base"
import {
  AnchorChain,
  AnchorReader,
  Anchors,
  AnchorVerifier,
  ChainUnavailable,
  logIdHash,
  type OnChain,
  parseAnchorPayload,
  previousAnchorHash,
  type StoredAnchor
} from "@cairn/core/anchor"
import { AnchorEvidence } from "@cairn/core/evidence"
import { nativeSha256, portableSha256, Sha256, toHex } from "@cairn/core/hashing"
import { EventLog, type StorageUnavailable } from "@cairn/core/log"
import { hashFromHex, merkleRoot } from "@cairn/core/merkle"
import { addEvents, anchoringRound, MemoryAnchors, MemoryStorage } from "@cairn/testing"
import { isTrial } from "@cairn/testing/TrialCases"
import { assert, describe, it } from "@effect/vitest"
import { verifyMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { Effect, Fiber, Layer, Option, Redacted, Result } from "effect"
import { hexToBytes, keccak256 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { type Anvil, anvil, PRIVATE_KEY } from "./Anvil.ts"
import { type Lie, lyingNode } from "./LyingNode.ts"
import { anchorAgain, logId, makeAnchor, newest, type ServiceOptions, service, status } from "./Service.ts"

const account = privateKeyToAccount(`0x${PRIVATE_KEY}`)
const sender = account.address.toLowerCase()

/** Key of the second account that the node gives a balance. */
const OTHER_KEY = Redacted.make("0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d" as const)
const otherAccount = privateKeyToAccount(Redacted.value(OTHER_KEY))

/** A transaction of somebody else. */
const PLAIN = {
  type: "eip1559",
  chainId: 8453,
  to: account.address,
  gas: 21_000n,
  maxFeePerGas: 10_000_000_000n,
  maxPriorityFeePerGas: 1n
} as const

/** Blocks after which a block is final with the node's short epochs. */
const FINAL = 5

/**
 * Hangs with the first transaction that it is to send, before or after it does: the process does not live on.
 */
const hangOnce = (moment: "before" | "after"): NonNullable<ServiceOptions["wrap"]> => {
  let hung = false
  return (chain) => ({
    ...chain,
    send: (transaction) =>
      Effect.suspend(() => {
        if (hung) return chain.send(transaction)
        hung = true
        return moment === "before" ? Effect.never : Effect.andThen(chain.send(transaction), Effect.never)
      })
  })
}

/** Cannot send anything for a while. */
const failing = (times: number): NonNullable<ServiceOptions["wrap"]> => {
  let left = times
  return (chain) => ({
    ...chain,
    send: (transaction) =>
      Effect.suspend(() =>
        left-- > 0
          ? Effect.fail(new ChainUnavailable({ operation: "send", reasons: [] }))
          : chain.send(transaction)
      )
  })
}

/** Kills an effect that hangs, once what it does has got so far. */
const killWhen = Effect.fnUntraced(function* <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  progress: Effect.Effect<B, E2, R2>,
  reached: B
) {
  const fiber = yield* Effect.forkChild(effect)
  while ((yield* progress) !== reached) yield* Effect.yieldNow
  yield* Fiber.interrupt(fiber)
})

type Services = ReturnType<typeof service>

/** A test with a node and a service of its own. */
const test = <A, E>(
  name: string,
  body: (node: Anvil) => Effect.Effect<A, E, Layer.Success<Services>>,
  options: Omit<ServiceOptions, "urls"> = {}
) =>
  it.live(name, () =>
    Effect.scoped(
      Effect.flatMap(anvil(), (node) =>
        Effect.provide(body(node), service({ urls: [node.url], confirmations: 2, ...options }))
      )
    )
  )

/** For a node that hangs; as long as the tests wait that only trials have. */
const HASTY = { timeout: 2_000 }

const mine = (node: Anvil, blocks = 1) => Effect.promise(() => node.mine(blocks))
const call = (node: Anvil, method: string, ...params: ReadonlyArray<unknown>) =>
  Effect.promise(() => node.call(method, ...params))

/** The transactions that the account has in the chain: their data. */
const sentData = Effect.fnUntraced(function* (node: Anvil) {
  const tip = Number(yield* call(node, "eth_blockNumber"))
  const data: Array<string> = []
  for (let number = 0; number <= tip; number++) {
    const block = yield* call(node, "eth_getBlockByNumber", `0x${number.toString(16)}`, true)
    const { transactions } = block as { transactions: ReadonlyArray<{ from: string; input: string }> }
    for (const { from, input } of transactions) if (from === sender && input !== "0x") data.push(input)
  }
  return data
})

const entriesOf = (input: string) => Result.getOrThrow(parseAnchorPayload(hexToBytes(input as `0x${string}`)))

describe("anchoring on a real node", () => {
  test("an anchor is pending, submitted and confirmed, and shows its transaction only then", (node) =>
    Effect.gen(function* () {
      const reader = yield* AnchorReader
      const workspaceId = yield* makeAnchor
      const shown = Effect.map(reader.list(workspaceId), ([anchor]) => anchor)
      const nothing = { tx_hash: null, block_number: null, explorer_url: null }
      assert.deepInclude(yield* shown, { status: "pending", ...nothing })
      assert.strictEqual((yield* anchoringRound).submitted, 1)
      assert.deepInclude(yield* shown, { status: "submitted", ...nothing })
      yield* anchoringRound
      yield* mine(node)
      yield* anchoringRound
      assert.deepInclude(yield* shown, { status: "submitted", ...nothing })
      yield* mine(node)
      yield* anchoringRound
      const anchor = yield* shown
      assert.deepInclude(anchor, { status: "confirmed", block_number: 1 })
      assert.strictEqual(anchor?.explorer_url, `https://basescan.org/tx/${anchor?.tx_hash}`)
      const transaction = yield* call(node, "eth_getTransactionByHash", anchor?.tx_hash)
      assert.deepInclude(transaction as object, { from: sender, to: sender, value: "0x0", chainId: "0x2105" })
    }))

  test("the transaction's data holds the log's id, its root and the anchor before", (node) =>
    Effect.gen(function* () {
      const sha256 = yield* Sha256
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      yield* mine(node, 2)
      yield* anchoringRound
      const first = yield* newest(workspaceId)
      yield* anchorAgain(workspaceId)
      yield* anchoringRound
      yield* mine(node, 2)
      const second = yield* newest(workspaceId)
      const logIdHashed = logIdHash(sha256, `test/${workspaceId}`)
      const previous = previousAnchorHash(sha256, {
        merkle_root: first.merkleRoot,
        tx_hash: first.place?.hash ?? null
      })
      assert.deepStrictEqual((yield* sentData(node)).map(entriesOf), [
        [{ logIdHash: logIdHashed, merkleRoot: first.merkleRoot, previousAnchorHash: null }],
        [{ logIdHash: logIdHashed, merkleRoot: second.merkleRoot, previousAnchorHash: previous }]
      ])
    }))

  test("a period that closes while the anchor before it is on its way waits, frozen, for its turn", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      const closed = yield* anchorAgain(workspaceId)
      yield* addEvents(workspaceId)
      yield* anchoringRound
      const first = yield* newest(workspaceId)
      assert.strictEqual(first.ordinal, 1)
      yield* mine(node, 2)
      yield* anchoringRound
      const second = yield* newest(workspaceId)
      assert.deepInclude(second, { ...closed, status: "submitted" })
    }))

  test("several workspaces share one transaction", (node) =>
    Effect.gen(function* () {
      const workspaces = [yield* makeAnchor, yield* makeAnchor, yield* makeAnchor]
      assert.strictEqual((yield* anchoringRound).submitted, 3)
      yield* mine(node, 2)
      yield* anchoringRound
      const anchors = yield* Effect.forEach(workspaces, newest)
      const [data, ...more] = yield* sentData(node)
      assert.deepStrictEqual(more, [])
      assert.sameMembers(
        entriesOf(data ?? "0x").map(({ merkleRoot }) => merkleRoot),
        anchors.map(({ merkleRoot }) => merkleRoot)
      )
      assert.strictEqual(new Set(anchors.map(({ place }) => place?.hash)).size, 1)
    }))

  test("many processes at once send each anchor once", (node) =>
    Effect.gen(function* () {
      yield* makeAnchor
      yield* makeAnchor
      const rounds = yield* Effect.all(
        Array.from({ length: 5 }, () => anchoringRound),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(
        rounds.reduce((sum, { submitted }) => sum + submitted, 0),
        2
      )
      yield* mine(node, 2)
      yield* anchoringRound
      const sent = (yield* sentData(node)).flatMap(entriesOf)
      assert.strictEqual(sent.length, 2)
      assert.strictEqual(new Set(sent.map(({ merkleRoot: root }) => root)).size, 2)
    }))

  test(
    "finalized is what the chain calls so, unless a number of blocks is set",
    (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        yield* anchoringRound
        yield* mine(node, 2)
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "submitted")
        yield* mine(node, FINAL)
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "confirmed")
        assert.deepStrictEqual(yield* (yield* Anchors).unsettled(8453), [])
      }),
    { confirmations: "finalized" }
  )
})

describe("what follows a confirmation", () => {
  const told: Array<string> = []

  test(
    "is told of it once, with the transaction",
    (node) =>
      Effect.gen(function* () {
        const [one, other] = [yield* makeAnchor, yield* makeAnchor]
        yield* anchoringRound
        yield* mine(node, 2)
        assert.deepStrictEqual(told, [])
        yield* anchoringRound
        yield* anchoringRound
        const anchors = [yield* newest(one), yield* newest(other)]
        assert.sameMembers(
          told,
          anchors.map(({ workspaceId, id, place }) => `${workspaceId} ${id} confirmed ${place?.hash}`)
        )
      }),
    {
      onConfirmed: (anchors) =>
        Effect.sync(() => {
          for (const { workspaceId, anchor } of anchors) {
            told.push(`${workspaceId} ${anchor.id} ${anchor.status} ${anchor.tx_hash}`)
          }
        })
    }
  )
})

describe("the evidence of an anchor", () => {
  test(
    "is its transaction, and the block that holds it once it is confirmed",
    (node) =>
      Effect.gen(function* () {
        const { over } = yield* AnchorEvidence
        const workspaceId = yield* makeAnchor
        const load = Effect.gen(function* () {
          const [entry] = yield* over(workspaceId, 1, 1)
          return yield* entry?.load ?? Effect.die("there is no anchor")
        })
        assert.deepInclude(yield* load, {
          transactions: [],
          block: null,
          first_sequence: 1,
          last_sequence: 1
        })
        yield* anchoringRound
        const submitted = yield* load
        assert.strictEqual(submitted.transactions.length, 1)
        assert.isNull(submitted.block)
        yield* anchoringRound
        assert.strictEqual((yield* load).transactions.length, 2)
        yield* mine(node, 2)
        yield* anchoringRound
        const confirmed = yield* load
        assert.deepStrictEqual(
          confirmed.transactions.map((raw) => keccak256(raw as `0x${string}`)),
          [confirmed.anchor.tx_hash]
        )
        assert.strictEqual(confirmed.block?.transaction_index, 0)
        yield* Effect.promise(() => node.stop())
        const without = yield* load
        assert.deepStrictEqual(without, { ...confirmed, block: null })
      }),
    { stuckAfter: 0 }
  )
})

describe("trouble with the chain", () => {
  test(
    "the process killed between signing and sending sends the same transaction when it is back",
    (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        const { unsettled } = yield* Anchors
        yield* killWhen(
          anchoringRound,
          Effect.map(unsettled(8453), ({ length }) => length),
          1
        )
        const [stored] = yield* (yield* Anchors).unsettled(8453)
        assert.strictEqual(yield* status(workspaceId), "pending")
        assert.strictEqual(yield* call(node, "eth_getTransactionCount", sender, "pending"), "0x0")
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "submitted")
        yield* mine(node, 2)
        yield* anchoringRound
        const anchor = yield* newest(workspaceId)
        assert.strictEqual(anchor.place?.hash, stored?.transactions[0]?.hash)
        assert.strictEqual((yield* sentData(node)).length, 1)
      }),
    { wrap: hangOnce("before") }
  )

  test(
    "the process killed after sending, before it noted that, sends nothing else when it is back",
    (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        yield* killWhen(anchoringRound, call(node, "eth_getTransactionCount", sender, "pending"), "0x1")
        assert.strictEqual(yield* status(workspaceId), "pending")
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "submitted")
        yield* mine(node, 2)
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "confirmed")
        assert.strictEqual((yield* sentData(node)).length, 1)
      }),
    { wrap: hangOnce("after") }
  )

  test("a node that was restarted and has lost its pool gets the same transaction again", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      yield* Effect.promise(() => node.stop())
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "submitted")
      yield* Effect.promise(() => node.start())
      yield* mine(node)
      assert.deepStrictEqual(yield* sentData(node), [])
      yield* anchoringRound
      yield* mine(node, 2)
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "confirmed")
      assert.strictEqual((yield* sentData(node)).length, 1)
    }))

  if (isTrial()) {
    test(
      "a node that hangs confirms nothing, holds up no closing, and is asked again",
      (node) =>
        Effect.gen(function* () {
          const workspaceId = yield* makeAnchor
          yield* anchoringRound
          yield* mine(node, 2)
          yield* Effect.promise(() => node.hang())
          const other = yield* makeAnchor
          yield* anchoringRound
          assert.deepStrictEqual([yield* status(workspaceId), yield* status(other)], ["submitted", "pending"])
          node.wake()
          yield* anchoringRound
          assert.deepStrictEqual(
            [yield* status(workspaceId), yield* status(other)],
            ["confirmed", "submitted"]
          )
        }),
      HASTY
    )
  }

  test(
    "a block that the chain drops takes the anchor with it, and the same transaction comes back",
    (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        yield* mine(node, 3)
        const before = yield* call(node, "evm_snapshot")
        yield* anchoringRound
        yield* mine(node, 2)
        yield* anchoringRound
        const confirmed = yield* newest(workspaceId)
        assert.strictEqual(confirmed.status, "confirmed")
        yield* call(node, "evm_revert", before)
        yield* mine(node, 3)
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "submitted")
        const verification = yield* verify(workspaceId)
        assert.deepInclude(verification, { valid: true, chain_valid: true, tx_hash: null })
        yield* mine(node, 2)
        yield* anchoringRound
        const again = yield* newest(workspaceId)
        assert.strictEqual(again.status, "confirmed")
        assert.strictEqual(again.place?.hash, confirmed.place?.hash)
        assert.notStrictEqual(again.place?.blockNumber, confirmed.place?.blockNumber)
        assert.strictEqual((yield* sentData(node)).length, 1)
      }),
    { stuckAfter: 0 }
  )

  test("a reorganisation that keeps the transaction moves the anchor to its new block", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      yield* mine(node, 2)
      yield* anchoringRound
      const first = yield* newest(workspaceId)
      const [sent] = yield* (yield* Anchors).transactions(first.submissionId ?? "")
      yield* call(node, "anvil_reorg", 2, [[sent?.raw, 1]])
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "submitted")
      yield* mine(node)
      yield* anchoringRound
      const second = yield* newest(workspaceId)
      assert.deepStrictEqual([first.status, second.status], ["confirmed", "confirmed"])
      assert.strictEqual(second.place?.hash, first.place?.hash)
      assert.deepStrictEqual([first.place?.blockNumber, second.place?.blockNumber], [1, 2])
      const block = yield* call(
        node,
        "eth_getBlockByNumber",
        `0x${second.place?.blockNumber.toString(16)}`,
        false
      )
      assert.deepInclude(block as object, { hash: second.place?.blockHash })
      assert.strictEqual((yield* sentData(node)).length, 1)
    }))

  test(
    "a transaction that is stuck is replaced at its nonce by one that pays more",
    (node) =>
      Effect.gen(function* () {
        const anchors = yield* Anchors
        const workspaceId = yield* makeAnchor
        yield* anchoringRound
        yield* call(node, "anvil_setNextBlockBaseFeePerGas", "0x12a05f200")
        yield* mine(node)
        assert.deepStrictEqual(yield* sentData(node), [])
        yield* anchoringRound
        const [submission] = yield* anchors.unsettled(8453)
        const [first, second] = submission?.transactions ?? []
        assert.strictEqual(second?.nonce, first?.nonce)
        assert.isTrue((second?.maxFeePerGas ?? 0n) > ((first?.maxFeePerGas ?? 0n) * 9n) / 8n)
        yield* mine(node, 2)
        yield* anchoringRound
        const anchor = yield* newest(workspaceId)
        assert.strictEqual(anchor.status, "confirmed")
        assert.strictEqual(anchor.place?.hash, second?.hash)
        assert.strictEqual((yield* sentData(node)).length, 1)
      }),
    { stuckAfter: 0, maxFeePerGas: 100_000_000_000n }
  )

  test(
    "the first of two at a nonce may be the one that is mined all the same",
    (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        const before = yield* call(node, "evm_snapshot")
        yield* anchoringRound
        const [first] = (yield* (yield* Anchors).unsettled(8453))[0]?.transactions ?? []
        yield* anchoringRound
        yield* call(node, "evm_revert", before)
        yield* call(node, "anvil_dropAllTransactions")
        yield* call(node, "eth_sendRawTransaction", first?.raw)
        yield* mine(node, 2)
        yield* anchoringRound
        assert.strictEqual((yield* newest(workspaceId)).place?.hash, first?.hash)
        assert.strictEqual((yield* sentData(node)).length, 1)
      }),
    { stuckAfter: 0 }
  )

  test(
    "no more is offered than the operator allows, and the anchor waits",
    (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        yield* call(node, "anvil_setNextBlockBaseFeePerGas", "0x12a05f200")
        yield* mine(node)
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "pending")
        assert.deepStrictEqual(yield* (yield* Anchors).unsettled(8453), [])
        yield* mine(node, 30)
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "submitted")
      }),
    { maxFeePerGas: 2_000_000_000n }
  )

  test("a nonce that somebody else has used is left to them once that is final, and the anchor gets another", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      yield* call(node, "anvil_dropAllTransactions")
      const fees = { gas: 21_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n }
      const foreign = { type: "eip1559", chainId: 8453, nonce: 0, to: account.address, ...fees } as const
      yield* call(
        node,
        "eth_sendRawTransaction",
        yield* Effect.promise(() => account.signTransaction(foreign))
      )
      yield* mine(node)
      yield* anchoringRound
      const nonces = Effect.map(Anchors.pipe(Effect.flatMap((anchors) => anchors.unsettled(8453))), ([one]) =>
        one?.transactions.map(({ nonce }) => nonce)
      )
      assert.deepStrictEqual(yield* nonces, [0])
      yield* mine(node, FINAL)
      yield* anchoringRound
      assert.deepStrictEqual(yield* nonces, [0, 1])
      yield* mine(node, 2)
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "confirmed")
      assert.strictEqual((yield* sentData(node)).length, 1)
    }))

  test(
    "a transaction that could not be sent keeps its nonce, and those after it take the next",
    (node) =>
      Effect.gen(function* () {
        const first = yield* makeAnchor
        yield* anchoringRound
        const second = yield* makeAnchor
        yield* anchoringRound
        const nonces = Effect.map(
          Effect.flatMap(Anchors, ({ unsettled }) => unsettled(8453)),
          (found) => found.flatMap(({ transactions }) => transactions.map(({ nonce }) => nonce))
        )
        assert.deepStrictEqual(yield* nonces, [0, 1])
        yield* anchoringRound
        yield* mine(node, 2)
        yield* anchoringRound
        assert.deepStrictEqual([yield* status(first), yield* status(second)], ["confirmed", "confirmed"])
        assert.strictEqual((yield* sentData(node)).length, 2)
      }),
    { wrap: failing(3) }
  )

  test("an account that cannot pay has sent nothing, until it can", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* call(node, "anvil_setBalance", sender, "0x0")
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "pending")
      yield* call(node, "anvil_setBalance", sender, "0xde0b6b3a7640000")
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "submitted")
      yield* mine(node, 2)
      yield* anchoringRound
      assert.strictEqual(yield* status(workspaceId), "confirmed")
      assert.strictEqual((yield* sentData(node)).length, 1)
    }))

  it.live("a node on another chain, or none at all, is passed over, and confirms nothing", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const node = yield* anvil()
        const liar = yield* anvil({ chainId: 1 })
        const urls = ["http://127.0.0.1:1", liar.url, node.url] as const
        yield* Effect.gen(function* () {
          const workspaceId = yield* makeAnchor
          yield* anchoringRound
          yield* mine(liar, 9)
          yield* anchoringRound
          assert.strictEqual(yield* status(workspaceId), "submitted")
          yield* mine(node, 2)
          yield* anchoringRound
          assert.strictEqual(yield* status(workspaceId), "confirmed")
        }).pipe(Effect.provide(service({ urls, confirmations: 2 })))
        yield* Effect.gen(function* () {
          const workspaceId = yield* makeAnchor
          yield* anchoringRound
          yield* mine(liar, 9)
          yield* anchoringRound
          assert.strictEqual(yield* status(workspaceId), "pending")
        }).pipe(Effect.provide(service({ urls: [liar.url], confirmations: 2 })))
        assert.strictEqual((yield* sentData(node)).length, 1)
      })
    )
  )
})

describe("a node that does not have everything", () => {
  const withoutReceipts: Lie = (method, result) =>
    method === "eth_getTransactionReceipt" ? { result: null } : { result }

  /** A service of one anchor, which has been sent, over a node that lies from then on. */
  const sent = (
    name: string,
    lie: Lie,
    body: (
      node: Anvil,
      workspaceId: string
    ) => Effect.Effect<void, StorageUnavailable, Layer.Success<Services>>
  ) =>
    it.live(name, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const node = yield* anvil()
          let lies = false
          const url = yield* lyingNode(node, (method, result, params) =>
            lies ? lie(method, result, params) : { result }
          )
          yield* Effect.gen(function* () {
            const workspaceId = yield* makeAnchor
            yield* anchoringRound
            lies = true
            yield* body(node, workspaceId)
          }).pipe(Effect.provide(service({ urls: [url], confirmations: 2 })))
        })
      )
    )

  /** The fate of the transaction that was sent, and the nonces that were signed for. */
  const fateAndNonces = Effect.gen(function* () {
    const chain = Option.getOrThrow(yield* AnchorChain)
    const [submission] = yield* (yield* Anchors).unsettled(8453)
    const [first, ...more] = submission?.transactions ?? []
    const fate = yield* Effect.result(
      chain.fate({ account: sender, nonce: 0, hashes: first === undefined ? [] : [first.hash] })
    )
    return {
      fate: Result.isSuccess(fate) ? fate.success.type : fate.failure._tag,
      nonces: [first, ...more].map((one) => one?.nonce)
    }
  })

  /** Somebody else's transaction takes the nonce, for good. */
  const takeNonce = Effect.fnUntraced(function* (node: Anvil) {
    yield* call(node, "anvil_dropAllTransactions")
    const foreign = yield* Effect.promise(() => account.signTransaction({ ...PLAIN, nonce: 0 }))
    yield* call(node, "eth_sendRawTransaction", foreign)
    yield* mine(node, 1 + FINAL)
  })

  /** Somebody else takes the nonce, and the next round signs nothing at another one. */
  const keepsItsNonce = (fate: "ChainUnavailable" | "missing") => (node: Anvil) =>
    Effect.gen(function* () {
      yield* takeNonce(node)
      yield* anchoringRound
      assert.deepStrictEqual(yield* fateAndNonces, { fate, nonces: [0] })
    })

  sent(
    "confirms a transaction from its block when the receipt has been removed",
    withoutReceipts,
    (node, workspaceId) =>
      Effect.gen(function* () {
        yield* mine(node)
        assert.deepStrictEqual(yield* fateAndNonces, { fate: "included", nonces: [0] })
        yield* mine(node, FINAL)
        yield* anchoringRound
        const { status: found, place } = yield* newest(workspaceId)
        assert.deepInclude({ found, ...place }, { found: "confirmed", blockNumber: 1 })
        assert.strictEqual((yield* sentData(node)).length, 1)
      })
  )

  sent(
    "has nothing signed again when it contradicts itself about the block",
    (method, result) =>
      method === "eth_getTransactionByHash" && result !== null
        ? { result: { ...(result as object), blockNumber: "0x2" } }
        : withoutReceipts(method, result, []),
    (node) =>
      Effect.gen(function* () {
        yield* mine(node, 1 + FINAL)
        yield* anchoringRound
        assert.deepStrictEqual(yield* fateAndNonces, { fate: "ChainUnavailable", nonces: [0] })
        assert.strictEqual((yield* sentData(node)).length, 1)
      })
  )

  sent(
    "has nothing signed again when it shows another transaction than it was asked for",
    (method, result) =>
      method === "eth_getTransactionByHash" ? { result: { hash: `0x${"1".repeat(64)}` } } : { result },
    keepsItsNonce("ChainUnavailable")
  )

  sent(
    "has nothing signed again while it still has the transaction in its pool",
    (method, result, [hash]) =>
      method === "eth_getTransactionByHash" ? { result: { hash, blockNumber: null } } : { result },
    keepsItsNonce("missing")
  )

  sent(
    "has nothing signed again when it does not know which block is final",
    (method, result, [block]) =>
      method === "eth_getBlockByNumber" && block === "finalized"
        ? { error: { code: -32_000, message: "finalized block not found" } }
        : { result },
    keepsItsNonce("missing")
  )

  sent(
    "has nothing signed again when the state at the final block has been removed",
    (method, result, [, block]) =>
      method === "eth_getTransactionCount" && String(block).startsWith("0x")
        ? { error: { code: -32_000, message: "missing trie node" } }
        : { result },
    keepsItsNonce("ChainUnavailable")
  )
})

describe("a node that lies", () => {
  const otherHash = `0x${"1".repeat(64)}`
  const change = (result: unknown, fields: object) => ({ result: { ...(result as object), ...fields } })

  const lies: Record<string, Lie> = {
    "with a receipt of a block that the chain does not have": (method, result) =>
      method === "eth_getTransactionReceipt" && result !== null
        ? change(result, { blockHash: otherHash })
        : { result },
    "with the receipt of another transaction": (method, result) =>
      method === "eth_getTransactionReceipt" && result !== null
        ? change(result, { transactionHash: otherHash })
        : { result },
    "with what is no receipt": (method, result) =>
      method === "eth_getTransactionReceipt" ? { result: { status: "0x1" } } : { result },
    "with numbers that are none": (method, result) =>
      method === "eth_getBlockByNumber" ? change(result, { number: "99" }) : { result },
    "by saying nothing that makes sense": () => ({ result: "0x" }),
    "by failing": (_, result) => ({ result, status: 500 })
  }

  for (const [name, lie] of Object.entries(lies)) {
    test(`confirms nothing ${name}`, (node) =>
      Effect.gen(function* () {
        yield* makeAnchor
        yield* anchoringRound
        yield* mine(node, 9)
        const anchors = yield* Anchors
        const [before] = yield* anchors.unsettled(8453)
        const url = yield* lyingNode(node, lie)
        const liar = BaseChain.layer({ urls: [url], privateKey: OTHER_KEY, confirmations: 1, timeout: 2_000 })
        const chain = Option.getOrThrow(yield* Effect.provide(AnchorChain, liar))
        const sent = { account: sender, nonce: 0, hashes: before?.transactions.map(({ hash }) => hash) ?? [] }
        const fate = yield* Effect.result(chain.fate(sent))
        if (Result.isSuccess(fate)) assert.notInclude(["confirmed", "included"], fate.success.type)
        else assert.strictEqual(fate.failure._tag, "ChainUnavailable")
        const both = BaseChain.layer({
          urls: [url, node.url],
          privateKey: OTHER_KEY,
          confirmations: 1,
          timeout: 2_000
        })
        const helped = Option.getOrThrow(yield* Effect.provide(AnchorChain, both))
        if (Result.isFailure(fate)) assert.strictEqual((yield* helped.fate(sent)).type, "confirmed")
      }).pipe(Effect.scoped))
  }

  test("about what a transaction carries is not believed, and nothing is called invalid for it", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      yield* mine(node, 2)
      yield* anchoringRound
      const { place, merkleRoot: root } = yield* newest(workspaceId)
      const readFrom = Effect.fnUntraced(function* (lie: Lie) {
        const url = yield* lyingNode(node, lie)
        const liar = BaseChain.layer({ urls: [url], privateKey: OTHER_KEY, timeout: 2_000 })
        const chain = Option.getOrThrow(yield* Effect.provide(AnchorChain, liar))
        return yield* Effect.result(chain.read(place ?? (yield* Effect.die("the anchor is not confirmed"))))
      })
      const others = { input: "0x00", from: otherAccount.address, to: otherAccount.address }
      const describedWrongly: Lie = (method, result) => {
        if (method !== "eth_getBlockByNumber") return { result }
        const block = result as { readonly transactions: ReadonlyArray<object> }
        return change(block, { transactions: block.transactions.map((one) => ({ ...one, ...others })) })
      }
      // Its bytes tell what it carries.
      const described = Result.getOrThrow(yield* readFrom(describedWrongly))
      if (described.type !== "found") throw new Error(`the transaction is ${described.type}`)
      assert.deepInclude(described, { from: sender, to: sender })
      const [entry] = Result.getOrThrow(parseAnchorPayload(described.data))
      assert.strictEqual(entry?.merkleRoot, root)
      const wrongBytes = yield* Effect.promise(() => otherAccount.signTransaction({ ...PLAIN, nonce: 0 }))
      const shown = yield* readFrom((method, result) =>
        method === "eth_getRawTransactionByHash"
          ? { result: wrongBytes }
          : describedWrongly(method, result, [])
      )
      assert.isTrue(Result.isFailure(shown))
    }).pipe(Effect.scoped))
})

describe("verification against the chain", () => {
  /** A confirmed anchor, which somebody has tampered with. */
  const tampered = (
    name: string,
    tamper: (tables: Tampering) => void,
    expected: { readonly valid: boolean; readonly chain_valid: boolean; readonly status: OnChain["status"] },
    blocks = 2
  ) =>
    test(name, (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        yield* anchoringRound
        yield* mine(node, blocks)
        yield* anchoringRound
        const { periods } = yield* MemoryAnchors.MemoryAnchorTables
        const entry = periods.get(workspaceId)?.[0]
        if (entry?.anchor === undefined || entry.anchor === null) throw new Error("there is no anchor")
        const anchor = entry.anchor
        const { log } = yield* MemoryStorage.MemoryTables
        tamper({
          change: (fields) => {
            entry.anchor = { ...anchor, ...fields }
          },
          anchor,
          table: log(workspaceId)
        })
        const { valid, chain_valid, on_chain } = yield* verify(workspaceId)
        assert.deepStrictEqual({ valid, chain_valid, status: on_chain?.status }, expected)
      })
    )

  tampered("finds an anchor that nobody has touched", () => undefined, {
    valid: true,
    chain_valid: true,
    status: "matches"
  })

  tampered(
    "finds out a log that was rewritten with its hashes and its anchor",
    ({ change, table }) => {
      const other = "1".repeat(64)
      const [event] = table.events
      if (event === undefined) throw new Error("there is no event")
      const sha256 = nativeSha256 ?? portableSha256
      const rewritten = Result.getOrThrow(hashFromHex(other, "leaf_data"))
      table.events = []
      change({
        merkleRoot: toHex(merkleRoot(sha256, [])),
        firstSequence: 2,
        lastSequence: 2,
        firstEventHash: toHex(rewritten)
      })
    },
    { valid: false, chain_valid: true, status: "differs" }
  )

  tampered(
    "finds out an anchor that names another transaction of its block, or none",
    ({ change, anchor }) => {
      change({
        place: { hash: `0x${"1".repeat(64)}`, blockNumber: 1, blockHash: anchor.place?.blockHash ?? "" }
      })
    },
    { valid: true, chain_valid: false, status: "differs" }
  )

  const inBlockTwo = ({ change, anchor }: Tampering) =>
    change({
      place: { hash: anchor.place?.hash ?? "", blockNumber: 2, blockHash: anchor.place?.blockHash ?? "" }
    })

  tampered(
    "finds out an anchor that names another block, once that is final",
    inBlockTwo,
    { valid: true, chain_valid: false, status: "differs" },
    2 + FINAL
  )

  tampered("until then does not tell it from one whose block the chain has dropped", inBlockTwo, {
    valid: true,
    chain_valid: true,
    status: "not_checked"
  })

  for (const [name, inOtherBlock] of [
    ["lost", false],
    ["in another block", true]
  ] as const) {
    test(`calls nothing invalid when a reorganisation has just left the transaction ${name}`, (node) =>
      Effect.gen(function* () {
        const workspaceId = yield* makeAnchor
        yield* anchoringRound
        yield* mine(node, 2)
        yield* anchoringRound
        const { submissionId } = yield* newest(workspaceId)
        const [sent] = yield* (yield* Anchors).transactions(submissionId ?? "")
        yield* call(node, "anvil_reorg", 2, inOtherBlock ? [[sent?.raw, 1]] : [])
        const found = yield* verify(workspaceId)
        assert.deepInclude(found, { valid: true, chain_valid: true })
        assert.deepStrictEqual(found.on_chain, {
          status: "not_checked",
          detail: "The chain has dropped block 1: the transaction is on its way again"
        })
        yield* anchoringRound
        assert.strictEqual(yield* status(workspaceId), "submitted")
        yield* mine(node, 2)
        yield* anchoringRound
        assert.strictEqual((yield* verify(workspaceId)).on_chain?.status, "matches")
      }))
  }

  test("an account that is not the service's does not count, and a former one does", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      yield* anchoringRound
      yield* mine(node, 2)
      yield* anchoringRound
      const verifyAs = (formerAccounts: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const anchors = yield* Anchors
          const { id } = yield* newest(workspaceId)
          const other = service({ urls: [node.url], privateKey: OTHER_KEY, formerAccounts })
          return yield* Effect.flatMap(AnchorVerifier, ({ verify: run }) => run(workspaceId, id)).pipe(
            Effect.map(Option.getOrThrow),
            Effect.provide(
              AnchorVerifier.layer({ logId }).pipe(
                Layer.provide(Layer.effect(AnchorChain, AnchorChain).pipe(Layer.provide(other))),
                Layer.provide(Layer.succeed(Anchors, anchors)),
                Layer.provide(Layer.succeed(EventLog, yield* EventLog)),
                Layer.provide(Sha256.layer)
              )
            )
          )
        })
      assert.deepInclude(yield* verifyAs([]), { valid: true, chain_valid: false })
      assert.deepInclude(yield* verifyAs([account.address]), { valid: true, chain_valid: true })
    }))

  if (isTrial()) {
    test(
      "says that no node answered, and calls nothing invalid for it",
      (node) =>
        Effect.gen(function* () {
          const workspaceId = yield* makeAnchor
          yield* anchoringRound
          yield* mine(node, 2)
          yield* anchoringRound
          yield* Effect.promise(() => node.hang())
          const hung = yield* verify(workspaceId)
          node.wake()
          yield* Effect.promise(() => node.stop())
          const stopped = yield* verify(workspaceId)
          for (const found of [hung, stopped]) {
            assert.deepInclude(found, { valid: true, chain_valid: true })
            assert.strictEqual(found.on_chain?.status, "unreachable")
            assert.notInclude(found.on_chain?.detail, node.url)
          }
        }),
      HASTY
    )
  }

  test("an anchor's block and the proof that it holds the transaction can be had", (node) =>
    Effect.gen(function* () {
      const workspaceId = yield* makeAnchor
      const others = yield* Effect.forEach([0, 1, 2], (nonce) =>
        Effect.promise(() => otherAccount.signTransaction({ ...PLAIN, nonce }))
      )
      yield* Effect.forEach(others, (raw) => call(node, "eth_sendRawTransaction", raw))
      yield* anchoringRound
      yield* mine(node, 2)
      yield* anchoringRound
      const { place } = yield* newest(workspaceId)
      const chain = Option.getOrThrow(yield* AnchorChain)
      const proven = Option.getOrThrow(yield* chain.prove(place?.hash ?? "", place?.blockNumber ?? 0))
      assert.strictEqual(keccak256(proven.header as `0x${string}`), place?.blockHash)
      const { transactionsRoot } = (yield* call(node, "eth_getBlockByNumber", "0x1", false)) as {
        readonly transactionsRoot: `0x${string}`
      }
      const raw = yield* Effect.promise(() =>
        verifyMerkleProof(
          RLP.encode(proven.transaction_index),
          proven.proof.map((one) => hexToBytes(one as `0x${string}`)),
          { root: hexToBytes(transactionsRoot) }
        )
      )
      assert.strictEqual(keccak256(raw ?? new Uint8Array()), place?.hash)
      assert.deepStrictEqual(yield* chain.prove(place?.hash ?? "", 2), Option.none())
    }))
})

/** What an attacker holds in his hands. */
interface Tampering {
  readonly anchor: StoredAnchor
  readonly change: (fields: Partial<StoredAnchor>) => void
  readonly table: MemoryStorage.MemoryLog
}

/** The verification of a workspace's newest anchor. */
const verify = Effect.fnUntraced(function* (workspaceId: string) {
  const { id } = yield* newest(workspaceId)
  return Option.getOrThrow(yield* (yield* AnchorVerifier).verify(workspaceId, id))
})
