/** The pages' readers of outside text, with hostile input; `CostOfLength.trial.ts` measures them. */
import { hostileTexts, type OutsideReader } from "@cairn/testing"
import { readNote } from "../src/page/pages/integrity/ReadNote.ts"
import { readLines } from "../src/page/pages/viewer/SentenceLines.ts"

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<string>> = [
  {
    name: "checkpoint that was kept",
    read: readNote,
    inputs: hostileTexts("cairn.test/wsp_1\n3\nAAAA=\n\n— cairn.test AAAA\n", "\r\n", "— a b\n")
  },
  {
    name: "sentences of the viewer",
    read: readLines,
    inputs: hostileTexts("document.* en: {actor} changed {resource}\n", "a b en: ", " en", "a ")
  }
]
