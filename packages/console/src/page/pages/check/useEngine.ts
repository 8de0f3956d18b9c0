/** What checks, once it is loaded. */
import { createContext } from "preact"
import { useContext, useEffect, useState } from "preact/hooks"

/** What checks and reports. */
export type Engine = typeof import("./Engine.ts")

/** What checks, for every component; undefined while it is being loaded. */
export const EngineContext = createContext<Engine | undefined>(undefined)

/** What checks; undefined while it is being loaded. */
export const useEngine = (): Engine | undefined => useContext(EngineContext)

/** Loads it; `loaded` is called once it is there. */
export const useLoadedEngine = (
  loaded: () => void
): { readonly engine: Engine | undefined; readonly hasFailed: boolean } => {
  const [state, setState] = useState<{ readonly engine: Engine | undefined; readonly hasFailed: boolean }>({
    engine: undefined,
    hasFailed: false
  })
  useEffect(() => {
    import("./Engine.ts").then(
      (engine) => {
        setState({ engine, hasFailed: false })
        loaded()
      },
      () => setState({ engine: undefined, hasFailed: true })
    )
  }, [])
  return state
}
