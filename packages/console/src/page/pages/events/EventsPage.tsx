/** The events of the workspace: the list that the viewer has, over all of the log. */
import "@cairn/ui/log/log.css"
import { LogReader, LogView } from "@cairn/ui/log"
import { placeFrom, placeParameters } from "@cairn/ui/place"
import { useEffect, useMemo } from "preact/hooks"
import { useSession } from "../../data/Session.ts"
import { PageHead } from "../../frame/PageHead.tsx"
import { eventSource } from "./EventSource.ts"

/** The page. */
const EventsPage = () => {
  const { calls, membership } = useSession()
  const reader = useMemo(
    () =>
      new LogReader({
        source: eventSource(calls),
        knowledge: { keys: [], workspaceId: membership.workspace.id },
        place: placeFrom(new URLSearchParams(location.search)),
        moved: (place) => {
          const query = new URLSearchParams(placeParameters(place).map(([name, value]) => [name, value]))
          const text = query.toString()
          history.replaceState(history.state, "", `${location.pathname}${text === "" ? "" : `?${text}`}`)
        }
      }),
    [calls]
  )
  useEffect(() => {
    reader.start()
    return () => reader.close()
  }, [reader])
  return (
    <>
      <PageHead page="events" />
      <LogView reader={reader} />
    </>
  )
}

export default EventsPage
