/** Log streams: systems that are fed every event. */
import { useRoute } from "preact-iso"
import { useMay } from "../../data/Session.ts"
import { NotAllowed } from "../../frame/NotAllowed.tsx"
import { StreamDetail } from "./StreamDetail.tsx"
import { StreamList } from "./StreamList.tsx"
import "./streams.css"

/** The page: all streams, or the one that the address names. */
const StreamsPage = () => {
  const { id } = useRoute().params
  if (!useMay("log_streams:read")) return <NotAllowed page="streams" />
  return id === undefined ? <StreamList /> : <StreamDetail key={id} id={id} />
}

export default StreamsPage
