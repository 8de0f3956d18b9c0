import { generatedTests } from "@cairn/testing/GeneratedTests"
import { assert, describe, it } from "@effect/vitest"
import { RLP } from "@ethereumjs/rlp"
import { Result } from "effect"
import fc from "fast-check"
import { type Hex, parseTransaction, recoverTransactionAddress, toHex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { decodeTransaction, type EthereumTransaction } from "../../src/ethereum/EthereumTransaction.ts"
import { foreign, foreignBlocks, fromHex } from "./ForeignBlocks.ts"

const generated = generatedTests(import.meta.url)

/** The account that Foundry and Hardhat document for tests. */
const account = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80")
const sender = account.address.toLowerCase()

const decode = (hex: string): EthereumTransaction => Result.getOrThrow(decodeTransaction(fromHex(hex)))

const reasonOf = (raw: Uint8Array) => {
  const decoded = decodeTransaction(raw)
  return Result.isFailure(decoded) ? decoded.failure.reason : decoded.success
}

const to = "0x00000000000000000000000000000000000000aa"
const shared = { to, nonce: 7, value: 5n, data: "0xcafe", gas: 21_000n } as const

const signed = {
  legacy: () => account.signTransaction({ ...shared, type: "legacy", gasPrice: 1n, chainId: 8453 }),
  "legacy without a chain": () => account.signTransaction({ ...shared, type: "legacy", gasPrice: 1n }),
  "with an access list": () =>
    account.signTransaction({
      ...shared,
      type: "eip2930",
      gasPrice: 1n,
      chainId: 8453,
      accessList: [{ address: to, storageKeys: [toHex(1, { size: 32 })] }]
    }),
  "with a priority fee": () =>
    account.signTransaction({
      ...shared,
      type: "eip1559",
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      chainId: 8453
    }),
  "with blobs": () =>
    account.signTransaction({
      ...shared,
      type: "eip4844",
      maxFeePerGas: 2n,
      maxFeePerBlobGas: 1n,
      chainId: 8453,
      blobVersionedHashes: [toHex(2n ** 248n, { size: 32 })]
    }),
  "with authorisations": async () =>
    account.signTransaction({
      ...shared,
      type: "eip7702",
      maxFeePerGas: 2n,
      chainId: 8453,
      authorizationList: [await account.signAuthorization({ address: to, chainId: 8453, nonce: 1 })]
    })
}

/** The types of {@link signed}, in its order. */
const TYPES = [0, 0, 1, 2, 3, 4] as const

describe("decodeTransaction", () => {
  for (const [index, [name, sign]] of Object.entries(signed).entries()) {
    it(`reads a transaction, ${name}, and recovers its sender`, async () => {
      const transaction = decode(await sign())
      const expected: Partial<EthereumTransaction> = {
        type: TYPES[index] ?? 0,
        chainId: name === "legacy without a chain" ? null : 8453,
        nonce: 7,
        from: sender,
        to,
        value: 5n,
        data: fromHex("cafe")
      }
      assert.deepInclude(transaction, expected)
    })

    it(`finds another sender, or none, when a byte of one ${name} is another`, async () => {
      const raw = fromHex(await sign())
      generated.property(
        fc.property(fc.nat(raw.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
          const changed = raw.slice()
          changed[at] = (changed[at] ?? 0) ^ flip
          const decoded = decodeTransaction(changed)
          // The hash covers what the signature does not, such as the signature itself.
          if (Result.isSuccess(decoded)) assert.notStrictEqual(decoded.success.from, sender)
        }),
        { numRuns: 200 }
      )
    })
  }

  it("reads one that makes a contract", async () => {
    const raw = await account.signTransaction({ type: "eip1559", data: "0x00", gas: 1n, chainId: 1 })
    assert.strictEqual(decode(raw).to, null)
  })

  it("refuses the other signature of the same transaction (EIP-2)", async () => {
    const raw = await signed["with a priority fee"]()
    const fields = RLP.decode(fromHex(raw).subarray(1)) as Array<Uint8Array>
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = order - BigInt(toHex(fields[11] ?? new Uint8Array()))
    const parity = fields[9]?.length === 0 ? Uint8Array.of(1) : new Uint8Array()
    const twin = Uint8Array.from([2, ...RLP.encode([...fields.slice(0, 9), parity, fields[10] ?? "", s])])
    assert.strictEqual(reasonOf(twin), "signature")
  })

  it("refuses a signature that is none", async () => {
    const fields = RLP.decode(fromHex(await signed["with a priority fee"]()).subarray(1)) as Array<Uint8Array>
    const withEnd = (end: ReadonlyArray<Uint8Array | string>) =>
      reasonOf(Uint8Array.from([2, ...RLP.encode([...fields.slice(0, 9), ...end])]))
    const [r = "", s = ""] = fields.slice(10)
    assert.strictEqual(withEnd([Uint8Array.of(2), r, s]), "signature")
    assert.strictEqual(withEnd([new Uint8Array(), new Uint8Array(), s]), "signature")
    assert.strictEqual(withEnd([new Uint8Array(), r, new Uint8Array()]), "signature")
    assert.strictEqual(withEnd([new Uint8Array(), new Uint8Array(32).fill(255), s]), "signature")
    assert.strictEqual(withEnd([new Uint8Array(), r]), "fields")
    assert.strictEqual(withEnd([new Uint8Array(), r, s, s]), "rlp")
  })

  it("refuses a legacy transaction whose v means nothing", async () => {
    const fields = RLP.decode(fromHex(await signed.legacy())) as Array<Uint8Array>
    for (const v of [0, 26, 29, 34]) {
      const raw = RLP.encode([...fields.slice(0, 6), v, ...fields.slice(7)])
      assert.strictEqual(reasonOf(raw), "signature")
    }
  })

  it("refuses what is no transaction", () => {
    for (const [hex, reason] of Object.entries({
      "": "type",
      "00": "type",
      "05c0": "type",
      "7fc0": "type",
      "80": "type",
      c0: "fields",
      "02": "rlp",
      "02c0": "fields",
      "7ec0": "fields",
      "0280": "rlp",
      f8: "rlp"
    })) {
      assert.strictEqual<unknown>(reasonOf(fromHex(hex)), reason, hex)
    }
  })

  it("answers, whatever the bytes are", () => {
    generated.property(
      fc.property(
        fc.constantFrom(0xc0, 0xf8, 1, 2, 3, 4, 0x7e),
        fc.uint8Array({ maxLength: 300 }),
        (type, bytes) => {
          assert.isTrue(Result.isResult(decodeTransaction(Uint8Array.from([type, ...bytes]))))
        }
      ),
      { numRuns: 2_000 }
    )
  })
})

describe.skipIf(foreign === undefined)("transactions of real blocks (needs CAIRN_FOREIGN)", () => {
  const blocks = foreignBlocks()
  /** By what they were decoded from. */
  const decoded = new Map<string, EthereumTransaction>()
  const decodeOnce = (raw: string): EthereumTransaction => {
    const transaction = decoded.get(raw) ?? decode(raw)
    decoded.set(raw, transaction)
    return transaction
  }

  for (const [name, block] of blocks) {
    it(`${name}: each has the hash that its chain gives it, and the sender that viem finds`, async () => {
      for (const [index, raw] of block.rawTransactions.entries()) {
        const transaction = decodeOnce(raw)
        assert.strictEqual(transaction.hash, block.txHashes[index])
        if (transaction.type === 0x7e) {
          // The account from which the chain itself reports Ethereum's blocks.
          if (index === 0) assert.strictEqual(transaction.from, "0xdeaddeaddeaddeaddeaddeaddeaddeaddead0001")
          continue
        }
        const serializedTransaction = raw as Hex
        const other = parseTransaction(serializedTransaction)
        const from = await recoverTransactionAddress({
          serializedTransaction: serializedTransaction as never
        })
        assert.deepStrictEqual(
          [transaction.from, transaction.chainId, transaction.nonce, transaction.to, transaction.value],
          [
            from.toLowerCase(),
            other.chainId ?? null,
            other.nonce ?? 0,
            other.to?.toLowerCase() ?? null,
            other.value ?? 0n
          ]
        )
        assert.strictEqual(toHex(transaction.data), other.data ?? "0x")
      }
    }, 30_000)
  }

  it("are of every type but the one with authorisations, which no block in the files has", () => {
    const types = blocks.flatMap(([, block]) => block.rawTransactions.map((raw) => decodeOnce(raw).type))
    assert.sameMembers([...new Set(types)], [0, 1, 2, 3, 0x7e])
  })
})
