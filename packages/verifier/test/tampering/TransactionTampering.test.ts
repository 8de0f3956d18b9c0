/**
 * Every way to tamper with an anchor's transaction and block that we could think of, and by what it is found.
 */
import { addressOf, blockOf, deposit, signTransaction } from "../TestChain.ts"
import {
  anchor,
  describeTampering,
  edit,
  editAnchor,
  honest,
  objectIn,
  otherHash,
  sent
} from "./Tampering.ts"

describeTampering({
  "an anchor's tx_hash": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ tx_hash: `0x${otherHash}` }))
      ),
    finds: ["transaction_differs"],
    about: "anchor"
  },
  "a transaction that is none": {
    by: () => edit(honest, anchor(40), () => ({ transactions: ["0x02c0"] })),
    finds: ["transaction_malformed"],
    about: "anchor"
  },
  "a transaction longer than any of the chain": {
    by: () => edit(honest, anchor(40), () => ({ transactions: [`0x02${"00".repeat(131_072)}`] })),
    finds: ["transaction_malformed"],
    about: "anchor"
  },
  "a node of a proof longer than any of the chain": {
    by: () =>
      edit(honest, anchor(40), ({ block }) => ({
        block: { ...objectIn(block), proof: [`0x${"00".repeat(132_097)}`] }
      })),
    finds: ["block_proof"],
    about: "anchor"
  },
  "another transaction of the same account": {
    by: () =>
      edit(honest, anchor(40), () => ({
        transactions: [`0x${Buffer.from(signTransaction(new Uint8Array(), 5)).toString("hex")}`]
      })),
    finds: ["transaction_differs"],
    about: "anchor"
  },
  "anchors sent by someone else's account": {
    by: sent({ account: 2 }),
    finds: ["transaction_sender", "transaction_sender"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "anchors sent with value": {
    by: sent({ value: 1 }),
    finds: ["transaction_sender", "transaction_sender"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "anchors in deposits that nobody has signed": {
    by: sent({ transaction: deposit }),
    finds: ["transaction_chain", "transaction_sender", "transaction_chain", "transaction_sender"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "anchors sent to another chain": {
    by: sent({ chainId: 1 }),
    finds: ["transaction_chain", "transaction_chain"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "a transaction that carries another root": {
    by: sent({ payload: (right) => right.with(6 + 32, (right[6 + 32] ?? 0) ^ 1) }),
    finds: ["transaction_payload", "transaction_payload"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "a transaction that carries another log's root": {
    by: sent({ payload: (right) => right.with(6, (right[6] ?? 0) ^ 1) }),
    finds: ["transaction_payload", "transaction_payload"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "a transaction that carries two roots of the log": {
    by: sent({ payload: (right) => Uint8Array.of(...right, ...right.subarray(6)) }),
    finds: ["transaction_payload", "transaction_payload"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "a transaction that carries nothing of Cairn's": {
    by: sent({ payload: () => new TextEncoder().encode("hello") }),
    finds: ["transaction_payload", "transaction_payload"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  },
  "the block an anchor is said to be in": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ block_number: 7 }))
      ),
    finds: ["block_differs"],
    about: "anchor"
  },
  "a block proof whose first node is not the root": {
    by: () =>
      edit(honest, anchor(40), (value) => {
        const block = objectIn(value.block)
        const proof = Array.isArray(block.proof) ? block.proof : []
        return { block: { ...block, proof: proof.slice(1) } }
      }),
    finds: ["block_proof"],
    about: "anchor"
  },
  "a block proof that goes in a circle": {
    by: () =>
      edit(honest, anchor(40), (value) => {
        const block = objectIn(value.block)
        const proof = Array.isArray(block.proof) ? block.proof : []
        return { block: { ...block, proof: [...proof, ...proof, ...proof] } }
      }),
    finds: ["block_proof"],
    about: "anchor"
  },
  "a block proof of the block's other transaction": {
    by: () =>
      edit(honest, anchor(40), (value) => ({ block: { ...objectIn(value.block), transaction_index: 0 } })),
    finds: ["block_proof"],
    about: "anchor"
  },
  "a block that is none": {
    by: () => edit(honest, anchor(40), (value) => ({ block: { ...objectIn(value.block), header: "0xc0" } })),
    finds: ["block_proof"],
    about: "anchor"
  },
  "a block made up around the transaction": {
    by: () =>
      edit(honest, anchor(40), (value) => {
        const [raw] = Array.isArray(value.transactions) ? value.transactions : []
        const number = Number(objectIn(value.anchor).block_number)
        const { block } = blockOf(
          Uint8Array.from(Buffer.from(String(raw).slice(2), "hex")),
          number,
          1_800_000_000
        )
        return { block }
      }),
    finds: ["block_hash_differs"],
    about: "anchor"
  },
  "a block that is older than the period it anchors": {
    by: sent({ delay: -301 }),
    finds: ["block_differs", "block_differs"],
    about: "anchor",
    knowing: { anchorAddress: addressOf(1) }
  }
})
