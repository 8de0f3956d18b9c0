/** From an export of evidence to the page that checks its file. */
import { usePageClock } from "@cairn/ui/locale"
import { useAddress, useMay } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { checkAddress, type Export, stateOf } from "./Export.ts"
import { exportTexts } from "./ExportTexts.ts"

/** The link; nothing where there is no file, or none that proves anything. */
export const CheckLink = ({ of }: { readonly of: Export }) => {
  const clock = usePageClock()
  const texts = useTexts(exportTexts)
  const address = useAddress()
  const mayVerify = useMay("log:verify")
  if (!mayVerify || of.format !== "evidence" || stateOf(of, clock.now()) !== "completed") return null
  return <a href={address(checkAddress(of.id))}>{texts.checkFile}</a>
}
