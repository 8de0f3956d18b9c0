/** What the person knows from elsewhere, as it is typed. */

/** The chains that are offered; any other has a number. */
export type ChainChoice = "base" | "base_sepolia" | "other"

/** What is typed. */
export interface KnownTexts {
  /** A key a line. */
  readonly keys: string
  readonly address: string
  /** `NUMBER=HASH`, one a line. */
  readonly blocks: string
  readonly chain: ChainChoice
  /** The number of another chain. */
  readonly otherChain: string
}

/** Nothing is known. */
export const NOTHING_KNOWN: KnownTexts = { keys: "", address: "", blocks: "", chain: "base", otherChain: "" }

/** What is wrong: of each field the text that is. */
export type KnownFaults = Readonly<Partial<Record<"keys" | "address" | "blocks" | "otherChain", string>>>
