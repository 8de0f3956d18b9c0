/**
 * The checks that a verification must make before it may report a bundle as intact (docs/Evidence.md,
 * "Obligations").
 *
 * An obligation is created from what the auditor gave or from what the file claims, before anything is
 * checked, and is discharged by a check that succeeded. A check that is not made discharges nothing: while
 * one is left, the bundle is not intact, whatever the reason.
 */

/** Obligations from what a file claims. The names are stable. */
export type ClaimName =
  | "range"
  | "event_link"
  | "event_time"
  | "event_header"
  | "event_content"
  | "content_removal"
  | "prefix"
  | "legacy"
  | "anchor_fields"
  | "anchor_place"
  | "anchor_link"
  | "anchor_ends"
  | "anchor_period"
  | "anchor_root"
  | "anchor_transaction"
  | "anchor_block"
  | "checkpoint"
  | "checkpoint_signature"
  | "removal"
  | "end"

/** What the auditor can give. The names are stable. */
export type BroughtName = "trusted_key" | "anchor_address" | "block_hash" | "rpc" | "earlier"

/** How far the obligations of one kind were met. */
export interface ClaimReport {
  readonly name: ClaimName
  readonly owed: number
  readonly discharged: number
}

/** The result for one thing that the auditor gave. */
export interface BroughtReport {
  readonly name: BroughtName
  /** The key, the address, `NUMBER=HASH`, the node, or where the older log is from. */
  readonly what: string
  readonly discharged: boolean
  /** Sequence of the last event that it holds for; null where it is not discharged. */
  readonly up_to: number | null
  /** Why it matched nothing, or what would help; null where it is discharged. */
  readonly message: string | null
}

/** All obligations, as a report shows them. */
export interface ObligationsReport {
  readonly claimed: ReadonlyArray<ClaimReport>
  readonly brought: ReadonlyArray<BroughtReport>
}

/** One obligation of a file. */
export class Claim {
  #discharged = false
  readonly #met: () => void

  constructor(met: () => void) {
    this.#met = met
  }

  get discharged(): boolean {
    return this.#discharged
  }

  /** A check has succeeded that shows it. */
  discharge(): void {
    if (this.#discharged) return
    this.#discharged = true
    this.#met()
  }
}

/** One thing that the auditor gave. */
export class Brought {
  readonly name: BroughtName
  readonly what: string
  #upTo: number | null = null
  #message: string

  /** `message` says why it is undischarged as long as nothing else is known. */
  constructor(name: BroughtName, what: string, message: string) {
    this.name = name
    this.what = what
    this.#message = message
  }

  /** It holds for the events up to this sequence, or further than was known. */
  discharge(upTo: number): void {
    this.#upTo = Math.max(this.#upTo ?? 0, upTo)
  }

  /** Why it matches nothing. */
  explain(message: string): void {
    this.#message = message
  }

  get report(): BroughtReport {
    const discharged = this.#upTo !== null
    const { name, what } = this
    return { name, what, discharged, up_to: this.#upTo, message: discharged ? null : this.#message }
  }
}

/** The obligations of one bundle. Keeps two numbers for each kind of claim, and each thing that was given. */
export class Obligations {
  readonly #claims = new Map<ClaimName, { owed: number; discharged: number }>()
  readonly #brought: Array<Brought> = []

  /** Something that the file must show. */
  owe(name: ClaimName): Claim {
    const count = this.#count(name)
    count.owed++
    return new Claim(() => {
      count.discharged++
    })
  }

  /** The same for many of a kind, once it is known how many were met. */
  settle(name: ClaimName, owed: number, discharged: number): void {
    const count = this.#count(name)
    count.owed += owed
    count.discharged += discharged
  }

  /** Something that the auditor gave. */
  bring(name: BroughtName, what: string, message: string): Brought {
    const brought = new Brought(name, what, message)
    this.#brought.push(brought)
    return brought
  }

  /** Kinds of claims of which some are left over. */
  get left(): ReadonlyArray<ClaimReport> {
    return this.report.claimed.filter(({ owed, discharged }) => discharged < owed)
  }

  get report(): ObligationsReport {
    return {
      claimed: [...this.#claims].map(([name, counts]) => ({ name, ...counts })),
      brought: this.#brought.map(({ report }) => report)
    }
  }

  #count(name: ClaimName): { owed: number; discharged: number } {
    const known = this.#claims.get(name)
    if (known !== undefined) return known
    const count = { owed: 0, discharged: 0 }
    this.#claims.set(name, count)
    return count
  }
}

/** Merges what was given: each thing must match something in one or the other of two bundles. */
export const mergeBrought = (
  ...reports: ReadonlyArray<ReadonlyArray<BroughtReport>>
): ReadonlyArray<BroughtReport> => {
  const merged = new Map<string, BroughtReport>()
  for (const report of reports.flat()) {
    const key = `${report.name} ${report.what}`
    const before = merged.get(key)
    const further = (report.up_to ?? -1) > (before?.up_to ?? -1)
    if (before === undefined || further) merged.set(key, report)
  }
  return [...merged.values()]
}
