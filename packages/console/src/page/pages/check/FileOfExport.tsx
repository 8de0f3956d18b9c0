/** What to do with the file of an export from which somebody came here. */
import { usePageClock } from "@cairn/ui/locale"
import { Card, Secret } from "@cairn/ui/parts"
import { useRead } from "../../data/Read.ts"
import { useAddress, useMay, useSession } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { Download } from "../exports/Download.tsx"
import { checkCommand, fileNameOf, stateOf } from "../exports/Export.ts"
import { fileOfExportTexts } from "./FileOfExportTexts.ts"

/** The steps. The page cannot take the file by itself: what is checked is the file that the person has. */
export const FileOfExport = ({ id }: { readonly id: string }) => {
  const clock = usePageClock()
  const texts = useTexts(fileOfExportTexts)
  const address = useAddress()
  const { workspace } = useSession().membership
  const enabled = useMay("exports:read")
  const read = useRead(["exports", "one", id], (calls, signal) => calls.exports.get(id, { signal }), {
    enabled
  })
  if (!enabled) return null
  return (
    <Card
      title={texts.ofExport}
      actions={<a href={address(`exports/${encodeURIComponent(id)}`)}>{texts.toExport}</a>}
    >
      <Loaded read={read}>
        {({ data }) =>
          data.format === "evidence" && stateOf(data, clock.now()) === "completed" ? (
            <>
              <ol class="check-steps">
                <li>
                  {texts.downloadIt} <Download of={data} small />
                </li>
                <li>{texts.dropIt}</li>
              </ol>
              <p class="hint">{texts.orCommand}</p>
              <Secret text={checkCommand(fileNameOf(workspace, data))} label={texts.command} />
            </>
          ) : (
            <p>{data.format === "evidence" ? texts.noFile : texts.noEvidence}</p>
          )
        }
      </Loaded>
    </Card>
  )
}
