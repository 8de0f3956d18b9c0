/** How somebody else makes the same check. */
import { printable } from "@cairn/core/verification"
import { BASE } from "../evidence/AuditorKnowledge.ts"
import type { BroughtReport } from "../report/Obligations.ts"
import type { EvidenceFile } from "./EvidenceFile.ts"

/** Characters of a text in a command. */
const LONGEST = 400

/** A text as one word of a POSIX shell. */
const quote = (text: string): string => {
  const shown = printable(text, LONGEST)
  return /^[A-Za-z0-9._/:=+-]+$/.test(shown) && !shown.startsWith("-")
    ? shown
    : `'${shown.replaceAll("'", "'\\''")}'`
}

/** A file as a command takes it: none is taken for an option. */
const fileWord = (name: string): string => quote(name.startsWith("-") ? `./${name}` : name)

/** The option that gives it; an address of a node may hold a secret, so it is left to whoever repeats it. */
const option = ({ name, what }: BroughtReport): ReadonlyArray<string> => {
  switch (name) {
    case "trusted_key":
      return what.split(" or ").map((key) => `--trusted-key ${quote(key)}`)
    case "anchor_address":
      return [`--anchor-address ${quote(what)}`]
    case "block_hash":
      return [`--block-hash ${quote(what)}`]
    case "rpc":
      return ["--rpc https://…"]
    case "earlier":
      return []
  }
}

/** Options that stand in a report: a thousand block hashes do not help a reader. */
const MOST_OPTIONS = 50

/** The command that makes the same check of these files. */
export const repeatCommand = (
  files: ReadonlyArray<EvidenceFile>,
  brought: ReadonlyArray<BroughtReport>,
  chainId: number
): string => {
  const options = [...brought.flatMap(option), ...(chainId === BASE ? [] : [`--chain-id ${chainId}`])]
  const shown = options.slice(0, MOST_OPTIONS)
  const more = options.length > shown.length ? ["…"] : []
  return ["cairn-verify", ...files.map(({ name }) => fileWord(name)), ...shown, ...more].join(" \\\n  ")
}
