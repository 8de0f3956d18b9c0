/** An export's own page: what it is of, how it stands, its file, and how evidence is checked. */
import { useLanguage, usePageClock } from "@cairn/ui/locale"
import { Card, CopyButton, Facts, Moment } from "@cairn/ui/parts"
import { useRead } from "../../data/Read.ts"
import { useAddress, useMay, useSession } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { ThingHead } from "../../frame/ThingHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { AskedBy, useAskers } from "./AskedBy.tsx"
import { Download } from "./Download.tsx"
import { Evidence } from "./Evidence.tsx"
import { type Export, fileNameOf, fileSize, lookEvery, stateOf } from "./Export.ts"
import { ExportBadge, Filters } from "./ExportState.tsx"
import { exportTexts } from "./ExportTexts.ts"

const Details = ({ of }: { readonly of: Export }) => {
  const clock = usePageClock()
  const texts = useTexts(exportTexts)
  const { locale, number } = useLanguage()
  const address = useAddress()
  const state = stateOf(of, clock.now())
  const mayRead = useMay("events:read")
  const askers = useAskers([of])
  return (
    <Card title={texts.details} hint={texts.stateHints[state]}>
      <Facts
        of={[
          [texts.format, `${texts.formats[of.format]}. ${texts.formatHints[of.format]}`],
          [texts.filters, <Filters key="filters" filters={of.filters} />],
          [texts.columns.events, of.total_rows === null ? undefined : number(of.total_rows)],
          [texts.columns.size, of.file_size === null ? undefined : fileSize(of.file_size, locale)],
          [texts.columns.asker, mayRead ? <AskedBy key="asker" id={of.id} askers={askers} /> : undefined],
          [texts.made, <Moment key="made" at={of.created_at} exact />],
          [
            texts.columns.until,
            of.expires_at === null ? undefined : <Moment key="until" at={of.expires_at} exact />
          ],
          ["Id", <code key="id">{of.id}</code>]
        ]}
      />
      {state === "completed" && of.download_url !== null && (
        <p class="export-link">
          <CopyButton text={new URL(of.download_url, location.origin).href} label={texts.copyLink} />{" "}
          <span class="hint">{texts.linkHint}</span>
        </p>
      )}
      {mayRead && (
        <p class="export-log">
          <a href={address(`events?resource_id=${encodeURIComponent(of.id)}`)}>{texts.inTheLog}</a>
        </p>
      )}
    </Card>
  )
}

/** The page of the export of an id. */
export const ExportDetail = ({ id }: { readonly id: string }) => {
  const texts = useTexts(exportTexts)
  const { workspace } = useSession().membership
  const read = useRead(["exports", "one", id], (calls, signal) => calls.exports.get(id, { signal }), {
    every: (read) => lookEvery(read && [read.data])
  })
  const known = read.data?.data
  return (
    <>
      <ThingHead
        page="exports"
        title={known === undefined ? id : texts.formats[known.format]}
        state={known !== undefined && <ExportBadge of={known} />}
      >
        {known !== undefined && <Download of={known} />}
      </ThingHead>
      <Loaded read={read}>
        {({ data }) => (
          <>
            <Details of={data} />
            {data.format === "evidence" && (
              <Card title={texts.evidence}>
                <Evidence file={fileNameOf(workspace, data)} id={data.id} />
              </Card>
            )}
          </>
        )}
      </Loaded>
    </>
  )
}
