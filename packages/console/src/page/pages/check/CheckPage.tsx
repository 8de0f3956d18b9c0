/** The page "check": an evidence file is checked in the browser, as anybody does at `/verify`. */
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { checkTexts } from "./CheckTexts.ts"
import { EvidenceCheck } from "./EvidenceCheck.tsx"

/** The page. */
const CheckPage = () => {
  const texts = useTexts(checkTexts)
  return (
    <>
      <PageHead page="check" hint={texts.hint} />
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
