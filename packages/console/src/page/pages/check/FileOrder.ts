/** Which of two files is the earlier one. */
import type { FileHead } from "./FileHead.ts"

/** A file and its first line. */
export interface PlacedFile {
  readonly head: FileHead | null
}

/** Whether the first is later than the second: it ends later, or at the same event and was made later. */
const isLater = (one: FileHead, other: FileHead): boolean =>
  one.to === other.to ? one.created_at > other.created_at : one.to > other.to

/** The files, the earlier one first; as they came where that is unknown. */
export const inOrder = <Placed extends PlacedFile>(files: ReadonlyArray<Placed>): ReadonlyArray<Placed> => {
  const [one, other] = files
  const isWrong = one?.head && other?.head && isLater(one.head, other.head)
  return isWrong ? files.toReversed() : files
}

/** What is odd about two files in this order, before they are checked. */
export const oddityOf = (files: ReadonlyArray<PlacedFile>): "order" | "logs" | undefined => {
  const [one, other] = files
  if (!one?.head || !other?.head) return undefined
  if (one.head.origin !== other.head.origin) return "logs"
  return isLater(one.head, other.head) ? "order" : undefined
}
