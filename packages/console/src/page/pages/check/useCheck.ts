/** The check that goes on while files and knowledge are chosen and typed. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { Knowledge } from "./Known.ts"
import type { CheckOutcome, CheckProgress } from "./RunCheck.ts"
import type { Engine } from "./useEngine.ts"

/** How a check stands. */
export type CheckState =
  /** There is nothing to check, or what is known is being typed or wrong. */
  | { readonly kind: "none" }
  | ({ readonly kind: "running" } & CheckProgress)
  | { readonly kind: "cancelled" }
  | CheckOutcome

/** A check, and what can be done with it. */
export interface Check {
  readonly state: CheckState
  readonly cancel: () => void
  readonly again: () => void
}

const NONE: CheckState = { kind: "none" }

/** What a state is of: nothing else is shown with it, not even for a moment. */
interface StateOf {
  readonly files: ReadonlyArray<File>
  readonly knowledge: Knowledge | undefined
  readonly state: CheckState
}

/** Checks the files, the earlier one first, whenever they or the knowledge change; the check before ends. */
export const useCheck = (
  engine: Engine | undefined,
  files: ReadonlyArray<File>,
  knowledge: Knowledge | undefined
): Check => {
  const [last, setLast] = useState<StateOf>({ files, knowledge, state: NONE })
  const [turn, setTurn] = useState(0)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => {
    const [first, second] = files
    if (engine === undefined || first === undefined || knowledge === undefined) return
    const controller = new AbortController()
    const { signal } = controller
    stop.current = controller
    const set = (state: CheckState) => {
      if (!signal.aborted) setLast({ files, knowledge, state })
    }
    const total = files.reduce((sum, { size }) => sum + size, 0)
    set({ kind: "running", read: 0, total })
    engine
      .runCheck(
        second === undefined ? [first] : [first, second],
        knowledge,
        (progress) => set({ kind: "running", ...progress }),
        signal
      )
      .then(set, () => set({ kind: "failed", reason: "fault", name: first.name }))
    return () => controller.abort()
  }, [engine, files, knowledge, turn])
  return {
    state: last.files === files && last.knowledge === knowledge ? last.state : NONE,
    cancel: () => {
      stop.current?.abort()
      setLast({ files, knowledge, state: { kind: "cancelled" } })
    },
    again: () => setTurn(turn + 1)
  }
}
