/** The page "check": an evidence file is checked in the browser, as anybody does at `/verify`. */
import { useQuery } from "../../data/Query.ts"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { checkTexts } from "./CheckTexts.ts"
import { EvidenceCheck } from "./EvidenceCheck.tsx"
import { FileOfExport } from "./FileOfExport.tsx"

/** The id of an export; the page needs none. */
const EXPORT = /^exp_[\w-]{1,64}$/

/** The page. */
const CheckPage = () => {
  const texts = useTexts(checkTexts)
  const id = useQuery().get("export")
  return (
    <>
      <PageHead page="check" hint={texts.hint} />
      {id !== undefined && EXPORT.test(id) && <FileOfExport key={id} id={id} />}
      <EvidenceCheck>
        <p>{texts.here}</p>
        <p class="hint">
          {texts.elsewhereHint} <a href="/verify">{texts.openAlone}</a>
        </p>
      </EvidenceCheck>
    </>
  )
}

export default CheckPage
