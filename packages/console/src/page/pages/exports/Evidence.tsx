/** What evidence is, and how an auditor checks it. */
import { Glyph, Secret } from "@cairn/ui/parts"
import { useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { useTexts } from "../../locale/Texts.ts"
import { checkAddress, checkCommand } from "./Export.ts"
import { exportTexts } from "./ExportTexts.ts"

/** The explanation; `file` is what the bundle is called, and `id` the export where there is one already. */
export const Evidence = ({ file, id }: { readonly file: string; readonly id?: string }) => {
  const texts = useTexts(exportTexts)
  const { pages } = useTexts(frameTexts)
  const address = useAddress()
  const mayVerify = useMay("log:verify")
  return (
    <div class="export-evidence">
      <p>{texts.evidenceText}</p>
      {mayVerify && (
        <p>
          <a class="button" href={address(id === undefined ? "check" : checkAddress(id))}>
            <Glyph name="filecheck" /> {texts.evidencePage}
          </a>
        </p>
      )}
      <p>{texts.evidenceCheck}</p>
      <Secret text={checkCommand(file)} label={texts.command} />
      <p>{texts.evidenceVerdict}</p>
      <p class="hint">
        {texts.evidenceKey} {mayVerify && <a href={address("integrity")}>{pages.integrity}</a>}
      </p>
    </div>
  )
}
