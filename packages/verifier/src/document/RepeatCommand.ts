/** How somebody else makes the same check. */
import { shellOption, shellWord } from "@cairn/core/encoding"
import { BASE } from "../evidence/AuditorKnowledge.ts"
import type { BroughtReport } from "../report/Obligations.ts"
import type { EvidenceFile } from "./EvidenceFile.ts"
import { sayMany } from "./Numbers.ts"

/** The names of the files: none is taken for an option, and two of one name are told apart. */
const fileWords = (files: ReadonlyArray<EvidenceFile>): ReadonlyArray<string> => {
  if (isOneName(files)) return files.map(({ name }, index) => shellWord(`${FOLDERS[index]}/${name}`))
  return files.map(({ name }) => shellWord(name.startsWith("-") ? `./${name}` : name))
}

const FOLDERS = ["earlier", "later"] as const

const isOneName = ([first, second]: ReadonlyArray<EvidenceFile>): boolean =>
  first !== undefined && first.name === second?.name && first.sha256 !== second.sha256

/** Hashes of blocks that stand in a report: a thousand do not help a reader. */
const MOST_BLOCKS = 50

/** The command that makes the same check, and what a person who repeats it has to do besides. */
export interface RepeatCommand {
  readonly command: string
  /** Sentences. */
  readonly besides: ReadonlyArray<string>
}

/** How to make the same check of these files. */
export const repeatCommand = (
  files: ReadonlyArray<EvidenceFile>,
  brought: ReadonlyArray<BroughtReport>,
  chainId: number
): RepeatCommand => {
  const given = (wanted: BroughtReport["name"]) =>
    brought.flatMap(({ name, what }) => (name === wanted ? [what] : []))
  // One thing of several keys: one of them is enough.
  const groups = given("trusted_key").map((what) => what.split(" or "))
  const isAnyKey = groups.some(({ length }) => length > 1)
  const blocks = given("block_hash")
  const isNode = given("rpc").length > 0
  const left = Math.max(0, blocks.length - MOST_BLOCKS)
  const options = [
    ...groups.flat().map((key) => shellOption("trusted-key", key)),
    ...(isAnyKey ? ["--any-key"] : []),
    ...given("anchor_address").map((address) => shellOption("anchor-address", address)),
    ...(chainId === BASE ? [] : [shellOption("chain-id", String(chainId))]),
    // An address of a node may hold a secret.
    ...(isNode ? ["--rpc=https://…"] : []),
    ...blocks.slice(0, MOST_BLOCKS).map((block) => shellOption("block-hash", block))
  ]
  return {
    command: ["cairn-verify", ...fileWords(files), ...options].join(" \\\n  "),
    besides: [
      ...(isOneName(files)
        ? ["The two files have one name: put them into the folders earlier and later."]
        : []),
      ...(isNode ? ["In place of https://… give the address of a node of the chain."] : []),
      ...(left === 0
        ? []
        : [`Also given: ${sayMany(left, "more --block-hash option", "more --block-hash options")}.`])
    ]
  }
}
