/** The log streams of the workspace, and how far each is. */
import { type Column, Glyph, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { usePages } from "../../data/Pages.ts"
import { useQuery } from "../../data/Query.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { destinationTexts } from "./DestinationTexts.ts"
import { LastError } from "./StreamDetail.tsx"
import { StreamDialog } from "./StreamDialogs.tsx"
import { type LogStream, whereOf } from "./StreamKinds.ts"
import { Lag, lookEvery, StreamBadge } from "./StreamState.tsx"
import { streamTexts } from "./StreamTexts.ts"

const useColumns = (): ReadonlyArray<Column<LogStream>> => {
  const texts = useTexts(streamTexts)
  const names = useTexts(destinationTexts)
  const address = useAddress()
  return [
    {
      name: texts.columns.name,
      cell: ({ id, name, destination, format }) => (
        <>
          <a href={address(`streams/${id}`)}>
            <PlainText text={name} limit={80} />
          </a>
          <p class="muted stream-where">
            {names.kinds[destination.type]} · <PlainText text={whereOf(destination)} limit={80} /> ·{" "}
            {names.formats[format]}
          </p>
        </>
      )
    },
    { name: texts.columns.state, cell: (stream) => <StreamBadge stream={stream} /> },
    { name: texts.columns.lag, cell: (stream) => <Lag stream={stream} /> },
    { name: texts.columns.taken, cell: ({ last_success_at }) => <Moment at={last_success_at} /> },
    { name: texts.columns.error, cell: (stream) => <LastError stream={stream} limit={120} /> }
  ]
}

/** The page of all log streams. */
export const StreamList = () => {
  const texts = useTexts(streamTexts)
  const { roleCannot } = useTexts(frameTexts)
  const mayChange = useMay("log_streams:write")
  const query = useQuery()
  const columns = useColumns()
  const pages = usePages<LogStream>(
    ["streams", "list"],
    (calls, page, signal) => calls.logStreams.list(page, { signal }).page(),
    { every: (read) => lookEvery(read?.data) }
  )
  const add = (
    <button type="button" class="primary" onClick={() => query.change({ new: "1" })}>
      <Glyph name="plus" /> {texts.add}
    </button>
  )
  return (
    <>
      <PageHead page="streams" hint={mayChange ? texts.hint : `${texts.hint} ${roleCannot}`}>
        {mayChange && add}
      </PageHead>
      <div>
        <ListFrame
          label={texts.columns.name}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={texts.empty}
          emptyHint={texts.emptyHint}
          emptyAction={mayChange && add}
        />
      </div>
      {mayChange && query.get("new") !== undefined && (
        <StreamDialog close={() => query.change({ new: undefined })} />
      )}
    </>
  )
}
