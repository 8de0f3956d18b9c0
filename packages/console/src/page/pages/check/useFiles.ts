/** Which files are checked, in which order. */
import { useEffect, useMemo, useState } from "preact/hooks"
import type { FileHead } from "./FileHead.ts"
import { inOrder } from "./FileOrder.ts"
import type { Engine } from "./useEngine.ts"

/** A chosen file. */
export interface ChosenFile {
  readonly file: File
  /** What its first line says; null if it is no evidence file, undefined while that is not known. */
  readonly head: FileHead | null | undefined
}

/** The chosen files, and what can be done with them. */
export interface Chosen {
  /** The earlier one first. */
  readonly files: ReadonlyArray<ChosenFile>
  /** What is ready to be checked; nothing while the order of two is not known. */
  readonly ready: ReadonlyArray<File>
  readonly isTooMany: boolean
  readonly choose: (files: ReadonlyArray<File>) => void
  /** One more beside the one that is there. */
  readonly add: (files: ReadonlyArray<File>) => void
  readonly swap: () => void
  readonly clear: () => void
}

interface FileState {
  readonly files: ReadonlyArray<File>
  readonly heads: ReadonlyMap<File, FileHead | null>
  readonly isSwapped: boolean
  readonly isTooMany: boolean
}

const NO_FILES: FileState = { files: [], heads: new Map(), isSwapped: false, isTooMany: false }

/** The files. A pair is put in order by what the files say of themselves, unless the person swaps them. */
export const useFiles = (engine: Engine | undefined): Chosen => {
  const [{ files, heads, isSwapped, isTooMany }, setState] = useState(NO_FILES)
  const choose = (next: ReadonlyArray<File>) =>
    setState((state) => (next.length > 2 ? { ...state, isTooMany: true } : { ...NO_FILES, files: next }))
  useEffect(() => {
    if (engine === undefined) return
    for (const file of files) {
      if (heads.has(file)) continue
      const know = (head: FileHead | null) =>
        setState((state) => ({ ...state, heads: new Map([...state.heads, [file, head]]) }))
      engine.readHead(file).then(know, () => know(null))
    }
  }, [files, engine])
  const placed = useMemo(() => {
    const known = files.map((file) => ({ file, head: heads.get(file) }))
    if (known.length < 2 || known.some(({ head }) => head === undefined)) return known
    const ordered = inOrder(known.map(({ file, head = null }) => ({ file, head })))
    return isSwapped ? ordered.toReversed() : ordered
  }, [files, heads, isSwapped])
  const isReady = placed.length < 2 || placed.every(({ head }) => head !== undefined)
  const names = placed.map(({ file }) => files.indexOf(file)).join()
  const ready = useMemo(() => (isReady ? placed.map(({ file }) => file) : []), [files, isReady, names])
  return {
    files: placed,
    ready,
    isTooMany,
    choose,
    add: (more) => choose([...files, ...more]),
    swap: () => setState((state) => ({ ...state, isSwapped: !state.isSwapped })),
    clear: () => setState(NO_FILES)
  }
}
