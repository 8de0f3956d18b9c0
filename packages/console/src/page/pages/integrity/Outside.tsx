/** How somebody else checks the log, who does not trust the service. */
import { useLanguage } from "@cairn/ui/locale"
import { Card, Glyph, Secret } from "@cairn/ui/parts"
import { useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { useTexts } from "../../locale/Texts.ts"
import { checkCommand } from "../exports/Export.ts"
import { rolesThatMay } from "../members/Roles.ts"
import { integrityTexts } from "./IntegrityTexts.ts"

/** The way to an evidence file, to the page that checks it, and the command that does so. */
export const Outside = () => {
  const texts = useTexts(integrityTexts)
  const { roles } = useTexts(frameTexts)
  const { locale } = useLanguage()
  const address = useAddress()
  const mayExport = useMay("exports:create")
  const others = rolesThatMay("exports:create").map((role) => roles[role])
  return (
    <Card
      title={texts.outside}
      hint={texts.outsideHint}
      actions={
        <>
          {mayExport && (
            <a class="button" href={address("exports?new=evidence")}>
              <Glyph name="download" /> {texts.toExports}
            </a>
          )}
          <a class="button" href={address("check")}>
            <Glyph name="filecheck" /> {texts.toCheck}
          </a>
        </>
      }
    >
      {!mayExport && (
        <p>{texts.cannotExport(new Intl.ListFormat(locale, { type: "conjunction" }).format(others))}</p>
      )}
      <Secret label={texts.outsideCommand} text={checkCommand("bundle.cairn")} />
    </Card>
  )
}
