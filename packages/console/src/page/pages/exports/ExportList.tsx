/** The exports of the workspace, and the form for another. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { type Column, Dialog, Glyph, Moment } from "@cairn/ui/parts"
import { filterParameters, type PeriodName } from "@cairn/ui/place"
import { usePages } from "../../data/Pages.ts"
import { useQuery } from "../../data/Query.ts"
import { useAddress, useMay } from "../../data/Session.ts"
import { ListFrame } from "../../frame/ListFrame.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { AskedBy, useAskers } from "./AskedBy.tsx"
import { EXPORTS_IN_LOG } from "./Asker.ts"
import { CheckLink } from "./CheckLink.tsx"
import { Download } from "./Download.tsx"
import { type Export, fileSize, isMoving, lookEvery, stateOf } from "./Export.ts"
import { CLOSED, draftFrom } from "./ExportDraft.ts"
import { ExportForm } from "./ExportForm.tsx"
import { ExportBadge, Filters } from "./ExportState.tsx"
import { exportTexts } from "./ExportTexts.ts"

/** Stands where there is nothing to say yet. */
const NOTHING = <span class="muted">–</span>

const useColumns = (exports: ReadonlyArray<Export>): ReadonlyArray<Column<Export>> => {
  const clock = usePageClock()
  const texts = useTexts(exportTexts)
  const { locale, number } = useLanguage()
  const address = useAddress()
  const askers = useAskers(exports)
  const { columns } = texts
  return [
    {
      name: columns.what,
      cell: ({ id, format, filters }) => (
        <>
          <a href={address(`exports/${id}`)}>{texts.formats[format]}</a>
          <div class="muted export-what">
            <Filters filters={filters} />
          </div>
        </>
      )
    },
    { name: columns.state, cell: (row) => <ExportBadge of={row} /> },
    { name: columns.events, cell: ({ total_rows }) => (total_rows === null ? NOTHING : number(total_rows)) },
    {
      name: columns.size,
      cell: ({ file_size }) => (file_size === null ? NOTHING : fileSize(file_size, locale))
    },
    {
      name: columns.asker,
      cell: ({ id, created_at }) => (
        <>
          <AskedBy id={id} askers={askers} />
          <div class="muted export-what">
            <Moment at={created_at} />
          </div>
        </>
      )
    },
    {
      name: columns.until,
      cell: (row) =>
        stateOf(row, clock.now()) === "completed" && row.expires_at !== null ? (
          <Moment at={row.expires_at} />
        ) : (
          NOTHING
        )
    },
    {
      name: columns.download,
      unnamed: true,
      cell: (row) => (
        <span class="export-download">
          <Download of={row} small />
          <CheckLink of={row} />
        </span>
      )
    }
  ]
}

/** The periods for which it is often asked who exported what. */
const ASKED_PERIODS = ["this_week", "last_week", "month"] as const satisfies ReadonlyArray<PeriodName>

/** Where the log says who exported and downloaded what. */
const WhoDidWhat = () => {
  const texts = useTexts(exportTexts)
  const { messages } = useLanguage()
  const address = useAddress()
  const query = new URLSearchParams(filterParameters(EXPORTS_IN_LOG).map(([name, value]) => [name, value]))
  return (
    <div class="export-who">
      <p id="who-exported">{texts.who}</p>
      <ul class="plain" aria-labelledby="who-exported">
        {ASKED_PERIODS.map((period) => (
          <li key={period}>
            <a href={address(`events?${query}&period=${period}`)}>{messages.periods[period]}</a>
          </li>
        ))}
        <li>
          <a href={address(`events?${query}`)}>{messages.periods.all}</a>
        </li>
      </ul>
    </div>
  )
}

/** The page of all exports. */
export const ExportList = () => {
  const texts = useTexts(exportTexts)
  const { number } = useLanguage()
  const mayExport = useMay("exports:create")
  const mayRead = useMay("events:read")
  const query = useQuery()
  const pages = usePages<Export>(
    ["exports", "list"],
    (calls, page, signal) => calls.exports.list(page, { signal }).page(),
    { every: (read) => lookEvery(read?.data) }
  )
  const columns = useColumns(pages.data?.data ?? [])
  const add = (
    <button type="button" class="primary" onClick={() => query.change({ new: "csv" })}>
      <Glyph name="plus" /> {texts.add}
    </button>
  )
  const moving = pages.data?.data.filter(isMoving).length ?? 0
  const close = () => query.change(CLOSED)
  return (
    <>
      <PageHead page="exports" hint={texts.hint}>
        {mayExport && add}
      </PageHead>
      {mayRead && <WhoDidWhat />}
      <div>
        <p class="hidden" role="status">
          {texts.moving(moving, number(moving))}
        </p>
        <ListFrame
          label={texts.columns.what}
          pages={pages}
          columns={columns}
          keyOf={({ id }) => id}
          empty={texts.empty}
          emptyHint={texts.emptyHint}
          emptyAction={mayExport && add}
        />
      </div>
      {mayExport && query.get("new") !== undefined && (
        <Dialog title={texts.add} close={close}>
          <ExportForm begin={draftFrom(query.all)} close={close} />
        </Dialog>
      )}
    </>
  )
}
