/** The check of evidence files, on whichever page it stands. */
import "./check.css"
import type { ComponentChildren } from "preact"
import { useEffect, useMemo, useState } from "preact/hooks"
import { NotLoaded } from "../../frame/PageFile.tsx"
import { FileChoice } from "./FileChoice.tsx"
import type { ReadKnowledge } from "./Known.ts"
import { KnownFields } from "./KnownFields.tsx"
import { type KnownFaults, type KnownTexts, NOTHING_KNOWN } from "./KnownTexts.ts"
import { Result } from "./Result.tsx"
import { useCheck } from "./useCheck.ts"
import { type Engine, EngineContext, useLoadedEngine } from "./useEngine.ts"
import { useFiles } from "./useFiles.ts"

/** Milliseconds without typing after which the files are checked again. */
const SETTLED = 600

/** What was typed, once nobody has typed for a while. */
const useSettled = (known: KnownTexts): KnownTexts => {
  const [settled, setSettled] = useState(known)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(known), SETTLED)
    return () => clearTimeout(timer)
  }, [known])
  return settled
}

const readWith = (engine: Engine | undefined, known: KnownTexts): ReadKnowledge =>
  engine === undefined ? {} : engine.readKnown(known)

const NO_FAULTS: KnownFaults = {}

/**
 * The fields and the result; `children` says what becomes of the file. `loaded` is called once nothing more
 * will be loaded.
 */
export const EvidenceCheck = ({
  loaded = () => undefined,
  children
}: {
  readonly loaded?: () => void
  readonly children: ComponentChildren
}) => {
  const { engine, hasFailed } = useLoadedEngine(loaded)
  const chosen = useFiles(engine)
  const [known, setKnown] = useState(NOTHING_KNOWN)
  const settled = useSettled(known)
  const { knowledge, faults = NO_FAULTS } = useMemo(() => readWith(engine, settled), [engine, settled])
  // What is being typed is not checked.
  const check = useCheck(engine, chosen.ready, settled === known ? knowledge : undefined)
  return (
    <EngineContext.Provider value={engine}>
      <FileChoice chosen={chosen}>{children}</FileChoice>
      {hasFailed && <NotLoaded />}
      <KnownFields
        known={known}
        faults={faults}
        change={(changes) => setKnown((before) => ({ ...before, ...changes }))}
      />
      <Result
        check={check}
        hasFaults={faults !== NO_FAULTS && chosen.files.length > 0}
        clear={() => {
          chosen.clear()
          document.querySelector<HTMLElement>(".check-drop input")?.focus()
        }}
      />
    </EngineContext.Provider>
  )
}
