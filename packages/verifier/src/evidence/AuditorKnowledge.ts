/**
 * What an auditor gives from other sources, and the obligations for it: each item must be checked against
 * something in the file.
 */
import { formatVerifierKey, type VerifierKey } from "@cairn/core/note"
import type { AnchoredBlock } from "../anchor/AnchorCheck.ts"
import { checkBlockHash } from "../anchor/AnchorTransaction.ts"
import type { ReadCheckpoint } from "../checkpoint/CheckpointCheck.ts"
import {
  type EarlierLegacy,
  type EarlierTree,
  type OwedTree,
  oweEarlier
} from "../checkpoint/EarlierCheck.ts"
import type { Findings } from "../report/Finding.ts"
import type { Brought, Claim, Obligations } from "../report/Obligations.ts"

/**
 * What the auditor knows from other sources. All of it is optional; the report lists what could not be
 * checked without it.
 */
export interface AuditorKnowledge {
  /** Keys that sign this service's checkpoints, or those of witnesses. */
  readonly trustedKeys?: ReadonlyArray<VerifierKey>
  /**
   * Whether one of the keys is enough, as for the successive keys of one service; otherwise each must have
   * signed.
   */
  readonly anyKey?: boolean
  /** The account that anchors, `0x` and 40 lower-case hexadecimal characters. */
  readonly anchorAddress?: string | null
  /**
   * Hashes of blocks that the auditor looked up, `0x` and 64 lower-case hexadecimal characters, by number;
   * each must belong to an anchor.
   */
  readonly knownBlocks?: ReadonlyMap<number, string>
  /**
   * The name, for the report, of a node that returns the hashes of further blocks, if the auditor names one;
   * it must vouch for the block of an anchor.
   */
  readonly node?: string | null
  /** 8453, which is Base, unless set. */
  readonly chainId?: number
  /** Earlier states of the log that the auditor saw: the log must be a continuation of each. */
  readonly earlier?: ReadonlyArray<EarlierTree>
  /**
   * The history from before the chain according to an earlier bundle: the log's must begin with it, if the
   * range begins with the log.
   */
  readonly earlierLegacy?: EarlierLegacy | null
}

/** Base mainnet. */
export const BASE = 8453

const NOT_READ = "The file could not be read"

/** A checkpoint of the bundle, and whether its root holds the events. */
export interface HeldCheckpoint {
  readonly read: ReadCheckpoint | undefined
  readonly holds: Claim
}

/** Keys of which one must have signed. */
interface OwedKeys {
  readonly keys: ReadonlyArray<string>
  readonly obligation: Brought
}

const oweKeys = (obligations: Obligations, { trustedKeys = [], anyKey = false }: AuditorKnowledge) => {
  const all = [...new Set(trustedKeys.map(formatVerifierKey))]
  const groups = anyKey && all.length > 0 ? [all] : all.map((key) => [key])
  return groups.map(
    (keys): OwedKeys => ({ keys, obligation: obligations.bring("trusted_key", keys.join(" or "), NOT_READ) })
  )
}

/** The obligations for what the auditor gave. */
export class BroughtThings {
  /** Null if no address was given. */
  readonly address: Brought | null
  readonly earlier: ReadonlyArray<OwedTree>
  readonly #keys: ReadonlyArray<OwedKeys>
  readonly #knownBlocks: ReadonlyMap<number, string>
  readonly #blocks: ReadonlyMap<number, Brought>
  /** Null if no node was named. */
  readonly #node: Brought | null

  constructor(obligations: Obligations, knowledge: AuditorKnowledge) {
    const { anchorAddress = null, knownBlocks = new Map(), node = null, earlier = [] } = knowledge
    this.#keys = oweKeys(obligations, knowledge)
    this.address =
      anchorAddress === null
        ? null
        : obligations.bring("anchor_address", anchorAddress, "No anchor in the file is confirmed")
    this.#knownBlocks = knownBlocks
    const unknown = "No anchor in the file is proven to be in this block"
    this.#blocks = new Map(
      [...this.#knownBlocks].map(([number, hash]) => [
        number,
        obligations.bring("block_hash", `${number}=${hash}`, unknown)
      ])
    )
    const unheld = "It did not return the hash of any block that an anchor in the file is proven to be in"
    this.#node = node === null ? null : obligations.bring("rpc", node, unheld)
    this.earlier = oweEarlier(obligations, earlier)
  }

  /** A key vouches for the events under its checkpoint's root, up to `to`; for none if there are none. */
  holdKeys({ read, holds }: HeldCheckpoint, to: number, events: number, legacy: number): void {
    const signers = new Set((read?.signers ?? []).map(formatVerifierKey))
    const vouches = events > 0 || (read?.checkpoint.size === 0 && legacy === 0)
    for (const { keys, obligation } of this.#keys) {
      if (!keys.some((key) => signers.has(key))) {
        obligation.explain("The checkpoint is signed, but not with this key")
      } else if (!vouches) obligation.explain("The checkpoint that it signed covers no event of the file")
      else if (holds.discharged) obligation.discharge(to)
    }
  }

  /**
   * Compares the blocks that anchors were proven to be in with the known hashes and those looked up since.
   */
  holdBlocks(
    findings: Findings,
    blocks: ReadonlyArray<AnchoredBlock>,
    lookedUp: ReadonlyMap<number, string>
  ): void {
    const known = new Map([...lookedUp, ...this.#knownBlocks])
    for (const { block, upTo, proven } of blocks) {
      const { number, hash } = block
      const isContradicted = lookedUp.has(number) && lookedUp.get(number) !== hash
      const holds = checkBlockHash(findings, block, isContradicted ? lookedUp : known)
      if (!holds || !proven) continue
      this.#blocks.get(number)?.discharge(upTo)
      if (lookedUp.has(number)) this.#node?.discharge(upTo)
    }
  }
}
