/** Reading from the service, kept for a while and read again when something has changed. */
import type { SessionCalls } from "@cairn/client/session"
import { QueryClient, QueryObserver } from "@tanstack/query-core"
import { useEffect, useState } from "preact/hooks"
import { type Fault, faultOf } from "./Fault.ts"
import { useSession } from "./Session.ts"

/** How long what was read is shown without asking again, in milliseconds. */
const FRESH = 10_000

/** What was read. Calls repeat by themselves what may be repeated, so that nothing is repeated here. */
export const makeCache = (): QueryClient =>
  new QueryClient({ defaultOptions: { queries: { staleTime: FRESH, retry: false, networkMode: "always" } } })

/** Something that is read. */
export interface Read<A> {
  /** What was read last; undefined until something was. */
  readonly data: A | undefined
  /** Why the last reading failed. */
  readonly fault: Fault | undefined
  /** Whether it is being read. */
  readonly isReading: boolean
  readonly again: () => void
}

/** Milliseconds after which something is read again; by what was read last, or undefined for never. */
export type Every<A> = number | ((data: A | undefined) => number | undefined)

/** The interval as the cache takes it. */
const intervalOf = <A>(every: Every<A>) =>
  typeof every === "number"
    ? every
    : ({ state }: { readonly state: { readonly data: A | undefined } }) => every(state.data) ?? false

/**
 * Reads by `read`, under a key that begins with what it is about (`["webhooks", id]`); `every` reads again
 * and again. Nothing is read while `enabled` is false.
 */
export const useRead = <A>(
  key: ReadonlyArray<unknown>,
  read: (calls: SessionCalls, signal: AbortSignal) => Promise<A>,
  { every, enabled = true }: { readonly every?: Every<A>; readonly enabled?: boolean } = {}
): Read<A> => {
  const { cache, calls, membership } = useSession()
  const options = {
    queryKey: [membership.workspace.id, ...key] as ReadonlyArray<unknown>,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => read(calls, signal),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: intervalOf(every) })
  }
  const [observer] = useState(() => new QueryObserver<A>(cache, options))
  observer.setOptions(options)
  const [, drawn] = useState({})
  useEffect(() => observer.subscribe(() => drawn({})), [observer])
  const { data, error, isFetching } = observer.getOptimisticResult(cache.defaultQueryOptions(options))
  return {
    data,
    fault: error === null ? undefined : faultOf(error),
    isReading: isFetching,
    again: () => {
      observer.refetch().catch(() => undefined)
    }
  }
}

/** Something that can be changed. */
export interface Change<Input> {
  readonly run: (input: Input) => void
  readonly isRunning: boolean
  readonly fault: Fault | undefined
  /** Forgets the fault. */
  readonly reset: () => void
}

/**
 * Changes by `change`. Then everything under the keys `about` is read again, and `done` gets what was
 * answered.
 */
export const useChange = <Input, A>(
  about: ReadonlyArray<string>,
  change: (calls: SessionCalls, input: Input) => Promise<A>,
  done: (answer: A, input: Input) => void = () => undefined
): Change<Input> => {
  const { cache, calls, membership } = useSession()
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly fault: Fault | undefined }>({
    isRunning: false,
    fault: undefined
  })
  const run = async (input: Input): Promise<void> => {
    setState({ isRunning: true, fault: undefined })
    try {
      const answer = await change(calls, input)
      for (const name of about) {
        // What is on the screen is read at once, and what is not when it is shown again.
        cache.invalidateQueries({ queryKey: [membership.workspace.id, name] }).catch(() => undefined)
      }
      setState({ isRunning: false, fault: undefined })
      done(answer, input)
    } catch (error) {
      setState({ isRunning: false, fault: faultOf(error) })
    }
  }
  return {
    ...state,
    run: (input) => {
      run(input).catch(() => undefined)
    },
    reset: () => setState({ isRunning: false, fault: undefined })
  }
}
