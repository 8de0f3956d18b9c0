/**
 * The verification of an evidence bundle: bytes in, a report out, in flat memory and without a network.
 *
 * It trusts nothing that the bundle states about itself. A bundle alone can only show that its parts are
 * consistent. That they come from the service follows from what the auditor gives: the key that signs
 * checkpoints, the account that anchors, the hash of a block.
 *
 * The verdict is earned: `Obligations` lists the required checks first, and only a check that succeeded
 * discharges one.
 */

import { Micros } from "@cairn/core/encoding"
import { type EvidenceHeader, type EvidenceLine, EvidenceReader } from "@cairn/core/evidence"
import { frontierRoot } from "@cairn/core/merkle"
import type { Checkpoint } from "@cairn/core/note"
import { Result } from "effect"
import type { ClaimedBlock } from "../anchor/AnchorTransaction.ts"
import type { EarlierLegacy, EarlierTree } from "../checkpoint/EarlierCheck.ts"
import { keysOf } from "../checkpoint/KeyList.ts"
import { BUNDLE, Findings } from "../report/Finding.ts"
import { Obligations } from "../report/Obligations.ts"
import type { Report, Verdict } from "../report/Report.ts"
import { cutOff, malformed, type Unreadable } from "../report/Unreadable.ts"
import type { VerifierTools } from "../tools/VerifierTools.ts"
import { type AuditorKnowledge, BroughtThings } from "./AuditorKnowledge.ts"
import { BundleChecks } from "./BundleChecks.ts"

/** Verifies one bundle. */
export class EvidenceVerifier {
  readonly #tools: VerifierTools
  readonly #knowledge: AuditorKnowledge
  readonly #findings = new Findings()
  readonly #obligations = new Obligations()
  readonly #brought: BroughtThings
  readonly #reader: EvidenceReader
  /** Begun by the header. */
  #checks: BundleChecks | undefined
  #unreadable: Unreadable | null = null

  /** `listen` is called with each line in turn. */
  constructor(
    tools: VerifierTools,
    knowledge: AuditorKnowledge = {},
    listen: (line: EvidenceLine) => void = () => {}
  ) {
    this.#tools = tools
    this.#knowledge = knowledge
    this.#brought = new BroughtThings(this.#obligations, knowledge)
    this.#reader = new EvidenceReader((line) => {
      this.#line(line)
      listen(line)
    })
  }

  /** Reads more of the decompressed lines. Returns false once the rest cannot be read. */
  feed(bytes: Uint8Array): boolean {
    if (this.#unreadable !== null) return false
    this.#tools.parsed?.(bytes.length)
    const fed = this.#reader.feed(bytes)
    // The contents are parts of these bytes.
    this.#checks?.flush()
    if (Result.isFailure(fed)) this.#unreadable = malformed(fed.failure)
    return this.#unreadable === null
  }

  /**
   * The bytes are not one whole gzip member. Findings from before the damage do not count: how much can be
   * read depends on the program that decompresses it and on the size of its input chunks.
   */
  abort(message: string): void {
    this.#unreadable ??= { line: null, message }
  }

  /**
   * The checkpoint, if there is one and it can be read; the report says whether its signature can be trusted.
   */
  get checkpoint(): Checkpoint | undefined {
    return this.#checks?.checkpoint
  }

  /**
   * The tree over the log up to the end of the range; `undefined` where there is none, or some of it is
   * missing.
   */
  get tree(): Omit<EarlierTree, "source"> | undefined {
    const checks = this.#checks
    const log = checks?.log
    if (checks === undefined || log === undefined || log === null || !checks.events.complete) return undefined
    const { size } = log
    return { origin: checks.header.origin, size, root: frontierRoot(this.#tools.sha256, log.frontier) }
  }

  /** The history from before the chain; `undefined` before the header was read. */
  get legacy(): EarlierLegacy | undefined {
    const legacy = this.#checks?.legacy
    return legacy === undefined
      ? undefined
      : { count: legacy.count, root: frontierRoot(this.#tools.sha256, legacy.frontier) }
  }

  /** The bundle's header, once it was read. */
  get header(): EvidenceHeader | undefined {
    return this.#checks?.header
  }

  /** The blocks that anchors' transactions were proven to be in, whose hashes are to be looked up. */
  get claimedBlocks(): ReadonlyArray<ClaimedBlock> {
    return (this.#checks?.anchors?.blocks ?? []).map(({ block }) => block)
  }

  /**
   * There are no more bytes. `blockHashes` are the hashes of further blocks, looked up in the meantime, by
   * number.
   */
  finish(blockHashes: ReadonlyMap<number, string> = new Map()): Report {
    if (this.#unreadable === null) this.#finishReading()
    const checks = this.#checks
    if (this.#unreadable === null) checks?.finish()
    this.#brought.holdBlocks(this.#findings, checks?.anchors?.blocks ?? [], blockHashes)
    if (this.#unreadable === null) this.#checkLeft()
    const { keys, unlisted } =
      checks === undefined ? { keys: [], unlisted: 0 } : keysOf(checks, this.#knowledge)
    const { lists } = this.#isDamaged ? new Findings() : this.#findings
    return {
      verdict: this.#verdict(),
      bundle: checks === undefined ? null : bundleOf(checks.header),
      counts: {
        events: checks?.events.checked ?? 0,
        removed: checks?.events.removed ?? 0,
        legacy: checks?.legacy.count ?? 0,
        anchors: checks?.anchors?.count ?? 0
      },
      period: checks === undefined ? null : periodOf(checks),
      keys,
      unlisted_keys: unlisted,
      senders: checks?.anchors?.senders ?? [],
      unlisted_transactions: checks?.anchors?.otherTransactions ?? 0,
      ...lists,
      obligations: this.#obligations.report,
      blocks: this.claimedBlocks,
      unreadable: this.#unreadable
    }
  }

  get #isDamaged(): boolean {
    return this.#unreadable !== null && this.#unreadable.line === null
  }

  #verdict(): Verdict {
    const { brought } = this.#obligations.report
    if (this.#findings.failures > 0 && !this.#isDamaged) return "tampered"
    if (this.#unreadable !== null) return "unreadable"
    return brought.every(({ discharged }) => discharged) ? "intact" : "unproven"
  }

  #line(line: EvidenceLine): void {
    // The reader lets no other line be the first.
    if (line.type !== "header") this.#checks?.line(line)
    else {
      const context = {
        tools: this.#tools,
        knowledge: this.#knowledge,
        findings: this.#findings,
        obligations: this.#obligations,
        brought: this.#brought
      }
      this.#checks = new BundleChecks(context, line)
    }
  }

  #finishReading(): void {
    const finished = this.#reader.finish()
    if (Result.isSuccess(finished)) return
    const { reason, lines } = finished.failure
    if (reason === "no_end_line" && lines > 0) {
      this.#findings.fail("cut_off", BUNDLE, "The closing line is missing: the file was cut off")
    } else this.#unreadable = cutOff(finished.failure)
  }

  /** Reports the obligations of the file that are left, unless a failure explains them. */
  #checkLeft(): void {
    if (this.#findings.failures > 0) return
    for (const { name, owed, discharged } of this.#obligations.left) {
      const message = `A required check did not succeed: ${name}, ${owed - discharged} of ${owed} unproven`
      this.#findings.fail("not_shown", BUNDLE, message, String(owed), String(discharged))
    }
  }
}

const bundleOf = ({ workspace_id, origin, from, to, created_at }: EvidenceHeader): Report["bundle"] => ({
  workspace_id,
  origin,
  from,
  to,
  created_at
})

const periodOf = ({ events: { period } }: BundleChecks): Report["period"] =>
  period === undefined ? null : { first: Micros.format(period.first), last: Micros.format(period.last) }
