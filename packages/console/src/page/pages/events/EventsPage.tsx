/** The events of the workspace: the list that the viewer has, over all of the log. */
import "@cairn/ui/log/log.css"
import "./events.css"
import { type PageClock, usePageClock } from "@cairn/ui/locale"
import { LogReader, LogView } from "@cairn/ui/log"
import { type Filter, type Place, placeFrom, placeParameters, selectionParameters } from "@cairn/ui/place"
import { useEffect, useMemo, useState } from "preact/hooks"
import { useLocation } from "preact-iso"
import { useRead } from "../../data/Read.ts"
import { useAddress, useMay, useSession } from "../../data/Session.ts"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { EXPORTS_IN_LOG } from "../exports/Asker.ts"
import { ProofButton } from "./EventActions.tsx"
import { eventSource } from "./EventSource.ts"
import { eventsTexts } from "./EventsTexts.ts"
import { NothingFound } from "./NothingFound.tsx"

/** What people often ask of a log, as filters of the last week. */
const QUESTIONS = {
  exports: EXPORTS_IN_LOG,
  mentions: { search: ["export"] },
  access: { action: ["cairn.access.*"] },
  roles: { action: ["cairn.member.*"] },
  keys: { action: ["cairn.api_key.*"] },
  signIns: { action: ["cairn.session.*"] },
  erasures: { action: ["cairn.event.erased"] }
} as const satisfies Readonly<Record<string, Filter>>

const isQuestion = (name: string): name is keyof typeof QUESTIONS => Object.hasOwn(QUESTIONS, name)

/** The address's query for conditions. */
const queryOf = (pairs: ReadonlyArray<readonly [string, string]>): string => {
  const text = new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()
  return text === "" ? "" : `?${text}`
}

/** Members and keys that are read for their names: more than most workspaces have. */
const NAMES = 100

/** Tells a reader the names of the workspace's members and keys, as far as the person may see them. */
const useNames = (reader: LogReader): void => {
  const members = useRead(
    ["members", "names"],
    (calls, signal) => calls.members.list({ limit: NAMES }, { signal }).page(),
    { enabled: useMay("members:read") }
  ).data
  const keys = useRead(
    ["keys", "names"],
    (calls, signal) => calls.apiKeys.list({ limit: NAMES }, { signal }).page(),
    { enabled: useMay("api_keys:read") }
  ).data
  useEffect(() => {
    reader.learnNames((members?.data ?? []).map(({ id, name, email }) => ({ id, name: name ?? email })))
    reader.learnNames(keys?.data ?? [])
  }, [reader, members, keys])
}

/** The place that the address holds. */
const placeHere = (clock: PageClock): Place =>
  placeFrom(new URLSearchParams(location.search), new Date(clock.now()))

const isSame = (one: Place, other: Place): boolean =>
  queryOf(placeParameters(one)) === queryOf(placeParameters(other))

/** A reader of the workspace's log, whose place is in the address; another one once that leads elsewhere. */
const useReader = (): LogReader => {
  const { calls, membership } = useSession()
  const clock = usePageClock()
  const { url, route } = useLocation()
  const path = useAddress()("events")
  const mayExport = useMay("exports:create")
  const [beginning, begin] = useState(() => placeHere(clock))
  const reader = useMemo(
    () =>
      new LogReader({
        source: eventSource(calls, mayExport),
        knowledge: { keys: [], workspaceId: membership.workspace.id },
        clock,
        acrossTenants: true,
        place: beginning,
        moved: (place) => route(`${location.pathname}${queryOf(placeParameters(place))}`, true),
        addressOf: (place) => `${location.origin}${location.pathname}${queryOf(placeParameters(place))}`
      }),
    [calls, mayExport, beginning]
  )
  useEffect(() => {
    // A link of the menu, or the browser's way back. While another page is loaded this one still stands.
    const place = placeHere(clock)
    if (location.pathname === path && !isSame(place, reader.place.value)) begin(place)
  }, [url])
  useEffect(() => {
    reader.start()
    return () => reader.close()
  }, [reader])
  useNames(reader)
  return reader
}

/** What people often ask, a click each. */
const Questions = ({ reader }: { readonly reader: LogReader }) => {
  const texts = useTexts(eventsTexts)
  return (
    <div class="questions">
      <p class="muted" id="questions">
        {texts.questions}
      </p>
      <ul class="plain" aria-labelledby="questions">
        {Object.keys(QUESTIONS)
          .filter(isQuestion)
          .map((name) => (
            <li key={name}>
              <button type="button" class="small" onClick={() => reader.filterBy(QUESTIONS[name], "week")}>
                {texts.ask[name]}
              </button>
            </li>
          ))}
      </ul>
    </div>
  )
}

/** The page. */
const EventsPage = () => {
  const texts = useTexts(eventsTexts)
  const address = useAddress()
  const mayExport = useMay("exports:create")
  const reader = useReader()
  return (
    <>
      <PageHead page="events" hint={texts.hint}>
        {mayExport && (
          <a
            class="button"
            href={`${address("exports")}${queryOf([["new", "csv"], ...selectionParameters(reader.place.value)])}`}
          >
            {texts.exportThese}
          </a>
        )}
      </PageHead>
      <Questions reader={reader} />
      <LogView
        key={reader}
        reader={reader}
        actions={(event) => <ProofButton event={event} />}
        nothing={<NothingFound reader={reader} />}
      />
    </>
  )
}

export default EventsPage
