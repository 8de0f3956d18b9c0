/** The console: who has signed in, which workspace is shown, and which of its pages. */
import { sessionCalls } from "@cairn/client/session"
import { type Language, LanguageContext, PageClockContext, ServiceClock, useLanguage } from "@cairn/ui/locale"
import { PartsTextsContext, partsTextsOf } from "@cairn/ui/parts"
import { useEffect, useMemo, useState } from "preact/hooks"
import { LocationProvider, useLocation } from "preact-iso"
import { countingInTurn } from "./data/Counts.ts"
import { type Fault, faultOf } from "./data/Fault.ts"
import { fetchOrBegin } from "./data/OtherPerson.ts"
import { makeCache } from "./data/Read.ts"
import { addressOf, type Schemas, type Session, SessionContext } from "./data/Session.ts"
import { FaultNotice } from "./frame/FaultNotice.tsx"
import { frameTexts } from "./frame/FrameTexts.ts"
import { Homeless } from "./frame/Homeless.tsx"
import { Shell } from "./frame/Shell.tsx"
import { useTexts } from "./locale/Texts.ts"

/** Links that the console follows itself: all others leave it. */
const SCOPE = /^\/(?:w\/|$)/

/** Where the browser keeps which workspace was shown last: an id, and nothing of what is in it. */
const LAST = "cairn.workspace"

const lastShown = (): string | null => {
  try {
    return localStorage.getItem(LAST)
  } catch {
    // A browser that keeps nothing.
    return null
  }
}

const remember = (workspaceId: string): void => {
  try {
    localStorage.setItem(LAST, workspaceId)
  } catch {
    // The next visit begins at the oldest.
  }
}

/** Calls in the name of the person whom the page shows. */
const callsOf = (clock: ServiceClock, person: Schemas["Person"] | undefined, workspaceId?: string) =>
  sessionCalls({
    url: location.origin,
    workspaceId,
    personId: person?.id,
    fetch: fetchOrBegin(
      clock.listening((...request) => fetch(...request)),
      () => location.reload()
    )
  })

/** The workspace that an address names. */
const workspaceIn = (path: string): string | undefined => /^\/w\/([^/]+)/.exec(path)?.[1]

/** The console of a person. */
const Signed = ({
  person,
  cache,
  renew,
  clock
}: Pick<Session, "person" | "cache" | "renew"> & { readonly clock: ServiceClock }) => {
  const { path, route } = useLocation()
  const named = workspaceIn(path)
  const membership = person.memberships.find(({ workspace }) => workspace.id === named)
  const [first] = person.memberships
  useEffect(() => {
    if (membership !== undefined) remember(membership.workspace.id)
    if (named !== undefined || first === undefined) return
    const last = lastShown()
    const begin = person.memberships.find(({ workspace }) => workspace.id === last) ?? first
    route(addressOf(begin.workspace.id, ""), true)
  }, [membership, named])
  const calls = useMemo(
    () => countingInTurn(callsOf(clock, person, membership?.workspace.id)),
    [clock, person.id, membership?.workspace.id]
  )
  if (membership === undefined) {
    return named === undefined && first !== undefined ? null : <Homeless person={person} />
  }
  return (
    <SessionContext.Provider value={{ person, membership, calls, cache, renew }}>
      <Shell key={membership.workspace.id} />
    </SessionContext.Provider>
  )
}

const usePerson = (
  clock: ServiceClock
): {
  readonly person?: Schemas["Person"]
  readonly fault?: Fault
  /** Begins again, with nothing. */
  readonly again: () => void
  /** Reads again, and shows what is there until then. */
  readonly renew: () => void
} => {
  const [state, setState] = useState<{ readonly person?: Schemas["Person"]; readonly fault?: Fault }>({})
  const renew = () => {
    callsOf(clock, state.person)
      .me.get()
      .then(
        ({ data }) => setState({ person: data }),
        (error) => {
          const fault = faultOf(error)
          // What is shown stays, unless it is somebody else's now.
          setState((before) =>
            before.person === undefined || fault.kind === "signed_out" ? { fault } : before
          )
        }
      )
  }
  const again = () => {
    setState({})
    renew()
  }
  useEffect(renew, [])
  return { ...state, again, renew }
}

/** After this many milliseconds without an answer the page says that it waits for one. */
const SLOW = 5_000

/** Until the service has said who has signed in. */
const Waiting = () => {
  const { messages } = useLanguage()
  const { slow } = useTexts(frameTexts)
  const [isSlow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SLOW)
    return () => clearTimeout(timer)
  }, [])
  return (
    <main class="alone">
      <p class="notice" role="status">
        {isSlow ? slow : messages.loading}
      </p>
    </main>
  )
}

const Entrance = () => {
  const [clock] = useState(() => new ServiceClock())
  const { person, fault, again, renew } = usePerson(clock)
  const [cache] = useState(makeCache)
  if (fault !== undefined) {
    return (
      <main class="alone">
        <FaultNotice fault={fault} retry={again} />
      </main>
    )
  }
  if (person === undefined) return <Waiting />
  return (
    <PageClockContext.Provider value={clock}>
      <Signed person={person} cache={cache} renew={renew} clock={clock} />
    </PageClockContext.Provider>
  )
}

/** The console, in a language. */
export const App = ({ language }: { readonly language: Language }) => (
  <LanguageContext.Provider value={language}>
    <PartsTextsContext.Provider value={partsTextsOf(language.locale)}>
      <LocationProvider scope={SCOPE}>
        <Entrance />
      </LocationProvider>
    </PartsTextsContext.Provider>
  </LanguageContext.Provider>
)
