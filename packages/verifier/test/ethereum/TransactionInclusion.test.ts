import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { verifyMerkleProof } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { Result } from "effect"
import fc from "fast-check"
import { decodeBlockHeader } from "../../src/ethereum/BlockHeader.ts"
import { keccak256, toEthereumHex } from "../../src/ethereum/Keccak.ts"
import { rlpNumber } from "../../src/ethereum/Rlp.ts"
import {
  type TransactionInclusion,
  verifyTransactionInclusion
} from "../../src/ethereum/TransactionInclusion.ts"
import { verifyTrieProof } from "../../src/ethereum/TrieProof.ts"
import { foreign, foreignBlocks, fromHex, libraryProof, transactionTrie } from "./ForeignBlocks.ts"

const generated = generatedTests(import.meta.url)

describe.skipIf(foreign === undefined)("real blocks (needs CAIRN_FOREIGN)", () => {
  for (const [name, block] of foreignBlocks()) {
    const raw = block.rawTransactions.map(fromHex)
    const blockHeader = fromHex(block.headerRlp)

    it(`${name}: the header has the hash, number, time and root that the chain gives it`, () => {
      const header = Result.getOrThrow(decodeBlockHeader(blockHeader))
      assert.strictEqual(header.hash, block.hash)
      assert.strictEqual(header.number, block.number)
      assert.strictEqual(header.parentHash, block.header.parentHash)
      assert.strictEqual(header.timestamp, Number(block.header.timestamp))
      assert.strictEqual(toEthereumHex(header.transactionsRoot), block.transactionsRoot)
    })

    it(`${name}: each of its transactions is proven to be in it, at its place and no other`, async () => {
      const trie = await transactionTrie(raw)
      assert.strictEqual(toEthereumHex(trie.root()), block.transactionsRoot)
      for (const [index, rawTransaction] of raw.entries()) {
        const proof = await libraryProof(trie, index)
        const claim = { blockHeader, transactionIndex: index, proof, rawTransaction }
        assert.deepStrictEqual(Result.getOrThrow(verifyTransactionInclusion(claim)), {
          transactionHash: block.txHashes[index] ?? "",
          transactionIndex: index,
          blockHash: block.hash,
          blockNumber: block.number,
          timestamp: Number(block.header.timestamp)
        })
        const elsewhere = verifyTransactionInclusion({ ...claim, transactionIndex: index + 1 })
        assert.isTrue(Result.isFailure(elsewhere))
      }
    })

    it(`${name}: the proofs in the file hold`, () => {
      for (const { index, key, nodes } of block.derivedProofs) {
        assert.strictEqual(toEthereumHex(rlpNumber(index)), key)
        const proof = nodes.map(fromHex)
        const rawTransaction = raw[index] ?? new Uint8Array()
        const found = verifyTransactionInclusion({
          blockHeader,
          transactionIndex: index,
          proof,
          rawTransaction
        })
        assert.isTrue(Result.isSuccess(found))
      }
    })
  }
})

/** A header of the fewest fields. */
const headerOf = (transactionsRoot: Uint8Array): Uint8Array =>
  RLP.encode([
    ...[new Uint8Array(32), new Uint8Array(32), new Uint8Array(20), new Uint8Array(32)],
    transactionsRoot,
    ...[
      new Uint8Array(32),
      new Uint8Array(256),
      0,
      17,
      0,
      0,
      1_700_000_000,
      "",
      new Uint8Array(32),
      new Uint8Array(8)
    ]
  ])

/** A block of made-up transactions, and the proof of one. */
const makeClaim = async (count: number, index: number, bytes = 100): Promise<TransactionInclusion> => {
  const raw = Array.from({ length: count }, (_, at) => new Uint8Array(bytes).fill(at + 1))
  const trie = await transactionTrie(raw)
  return {
    blockHeader: headerOf(trie.root()),
    transactionIndex: index,
    proof: await libraryProof(trie, index),
    rawTransaction: raw[index] ?? new Uint8Array()
  }
}

const holds = (claim: TransactionInclusion): boolean => Result.isSuccess(verifyTransactionInclusion(claim))

const tagOf = (claim: TransactionInclusion) => {
  const found = verifyTransactionInclusion(claim)
  if (Result.isSuccess(found)) return "holds"
  return found.failure._tag === "InvalidTrieProof" ? found.failure.reason : found.failure._tag
}

describe("verifyTransactionInclusion", () => {
  it("holds at every place of blocks of every size", async () => {
    for (const count of [1, 2, 3, 16, 17, 127, 128, 129, 130, 256, 257, 300]) {
      const raw = Array.from({ length: count }, (_, at) => Uint8Array.of(at % 256, at >> 8, 7))
      const trie = await transactionTrie(raw)
      const blockHeader = headerOf(trie.root())
      for (const [transactionIndex, rawTransaction] of raw.entries()) {
        const proof = await libraryProof(trie, transactionIndex)
        assert.isTrue(
          holds({ blockHeader, transactionIndex, proof, rawTransaction }),
          `${transactionIndex} of ${count}`
        )
      }
    }
  })

  it("holds for nodes so short that they stand within others", async () => {
    for (const index of [0, 1, 5, 19]) assert.isTrue(holds(await makeClaim(20, index, 3)))
  })

  it("takes the root from the header: a proof of another block does not hold, whole as it is", async () => {
    const [one, other] = [await makeClaim(40, 3), await makeClaim(41, 3)]
    assert.strictEqual(tagOf({ ...one, blockHeader: other.blockHeader }), "hash")
    // So it does with the library, unless that is told the root.
    assert.isNotNull(await verifyMerkleProof(rlpNumber(3), [...one.proof]))
  })

  it("does not hold for another transaction or another place", async () => {
    const claim = await makeClaim(40, 3)
    assert.strictEqual(tagOf({ ...claim, rawTransaction: new Uint8Array(100).fill(9) }), "AnotherTransaction")
    assert.strictEqual(tagOf({ ...claim, rawTransaction: new Uint8Array(0) }), "AnotherTransaction")
    for (const transactionIndex of [0, 2, 4, 39, 40, 128, 2 ** 40])
      assert.isFalse(holds({ ...claim, transactionIndex }))
  })

  it("does not hold for a place that is no number from 0 on", async () => {
    const claim = await makeClaim(40, 0)
    for (const transactionIndex of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60]) {
      assert.isFalse(holds({ ...claim, transactionIndex }), String(transactionIndex))
    }
  })

  it("does not hold with a node missing, added, twice, out of order, or with any byte changed", async () => {
    const claim = await makeClaim(300, 200)
    const { proof } = claim
    assert.isAbove(proof.length, 2)
    assert.strictEqual(tagOf({ ...claim, proof: [] }), "path")
    assert.strictEqual(tagOf({ ...claim, proof: proof.slice(0, -1) }), "path")
    assert.strictEqual(tagOf({ ...claim, proof: proof.slice(1) }), "hash")
    assert.strictEqual(tagOf({ ...claim, proof: [...proof, proof[0] ?? new Uint8Array()] }), "trailing")
    assert.strictEqual(tagOf({ ...claim, proof: proof.flatMap((node) => [node, node]) }), "hash")
    assert.strictEqual(tagOf({ ...claim, proof: proof.toReversed() }), "hash")
    generated.property(
      fc.property(fc.nat(proof.length - 1), fc.nat(), fc.integer({ min: 1, max: 255 }), (node, at, flip) => {
        const changed = proof.map((bytes) => bytes.slice())
        const bytes = changed[node] ?? new Uint8Array()
        bytes[at % bytes.length] = (bytes[at % bytes.length] ?? 0) ^ flip
        assert.strictEqual(tagOf({ ...claim, proof: changed }), "hash")
      })
    )
  })

  it("does not hold with any byte of the header's root changed", async () => {
    const claim = await makeClaim(5, 2)
    const { transactionsRoot } = Result.getOrThrow(decodeBlockHeader(claim.blockHeader))
    for (const at of transactionsRoot.keys()) {
      const root = transactionsRoot.slice()
      root[at] = (root[at] ?? 0) ^ 1
      assert.strictEqual(tagOf({ ...claim, blockHeader: headerOf(root) }), "hash")
    }
  })

  it("refuses what is no header", async () => {
    const claim = await makeClaim(2, 1)
    for (const blockHeader of [
      new Uint8Array(0),
      Uint8Array.of(0xc0),
      claim.blockHeader.subarray(1),
      Uint8Array.from([...claim.blockHeader, 0]),
      RLP.encode(Array.from({ length: 65 }, () => new Uint8Array(32))),
      RLP.encode(Array.from({ length: 15 }, () => new Uint8Array(31)))
    ]) {
      assert.strictEqual(tagOf({ ...claim, blockHeader }), "MalformedBlockHeader")
    }
  })
})

/** A trie of one node, made by hand. */
const single = (node: unknown) => {
  const encoded = RLP.encode(node as never)
  return { root: keccak256(encoded), proof: [encoded] }
}

const reasonOf = (root: Uint8Array, key: Uint8Array, proof: ReadonlyArray<Uint8Array>) => {
  const found = verifyTrieProof(root, key, proof)
  return Result.isFailure(found) ? found.failure.reason : toEthereumHex(found.success)
}

describe("verifyTrieProof", () => {
  const key = Uint8Array.of(0x12)

  it("follows a leaf whose path is the whole rest of the key", () => {
    const of = (path: ReadonlyArray<number>) => {
      const { root, proof } = single([Uint8Array.from(path), Uint8Array.of(9)])
      return reasonOf(root, key, proof)
    }
    assert.strictEqual(of([0x20, 0x12]), "0x09")
    assert.strictEqual(of([0x20, 0x13]), "path")
    assert.strictEqual(of([0x31]), "path")
    assert.strictEqual(of([0x20]), "path")
    assert.strictEqual(of([0x20, 0x12, 0x34]), "path")
  })

  it("refuses nodes that are written otherwise than as a trie writes them", () => {
    for (const node of [
      [],
      [Uint8Array.of(0x20, 0x12)],
      [Uint8Array.of(0x20, 0x12), Uint8Array.of(9), Uint8Array.of(9)],
      [new Uint8Array(0), Uint8Array.of(9)],
      [Uint8Array.of(0x21, 0x12), Uint8Array.of(9)],
      [Uint8Array.of(0x40, 0x12), Uint8Array.of(9)],
      [Uint8Array.of(0x20, 0x12), [Uint8Array.of(9)]],
      [Uint8Array.of(0x00), new Uint8Array(32)],
      [[Uint8Array.of(0x20)], Uint8Array.of(9)],
      [Uint8Array.of(0x00, 0x12), new Uint8Array(31)],
      Array.from({ length: 16 }, () => new Uint8Array(0)),
      Array.from({ length: 18 }, () => new Uint8Array(0)),
      Uint8Array.of(9)
    ]) {
      const { root, proof } = single(node)
      assert.strictEqual(reasonOf(root, key, proof), "node")
    }
    assert.strictEqual(reasonOf(keccak256(Uint8Array.of(0xf8)), key, [Uint8Array.of(0xf8)]), "node")
  })

  it("finds nothing at a child that is not there, nor an empty value", () => {
    const branch = Array.from({ length: 17 }, () => new Uint8Array(0))
    const { root, proof } = single(branch)
    assert.strictEqual(reasonOf(root, key, proof), "path")
    assert.strictEqual(reasonOf(root, new Uint8Array(0), proof), "path")
    const withValue = single([...branch.slice(0, 16), Uint8Array.of(5)])
    assert.strictEqual(reasonOf(withValue.root, new Uint8Array(0), withValue.proof), "0x05")
  })

  it("refuses a child as long as a hash that stands within its parent", () => {
    const child = [Uint8Array.of(0x32), new Uint8Array(40).fill(7)]
    const branch: Array<unknown> = Array.from({ length: 17 }, () => new Uint8Array(0))
    branch[1] = child
    const { root, proof } = single(branch)
    assert.strictEqual(reasonOf(root, key, proof), "node")
  })

  it("ends when a node leads back to itself within the same node", () => {
    // No node can name its own hash; so the shortest way round is a long chain of children within children.
    let nested: unknown = [Uint8Array.of(0x20), Uint8Array.of(1)]
    for (let depth = 0; depth < 20; depth++) nested = [Uint8Array.of(0x11), nested]
    const { root, proof } = single(nested)
    assert.include(["path", "node"], reasonOf(root, key, proof))
  })

  it("answers, whatever the nodes are", () => {
    generated.property(
      fc.property(
        fc.uint8Array({ maxLength: 4 }),
        fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 4 }),
        (path, nodes) => {
          assert.isTrue(Result.isFailure(verifyTrieProof(new Uint8Array(32), path, nodes)))
          const [first] = nodes
          if (first !== undefined)
            assert.isTrue(Result.isResult(verifyTrieProof(keccak256(first), path, nodes)))
        }
      )
    )
  })
})
