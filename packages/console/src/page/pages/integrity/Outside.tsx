/** How somebody else checks the log, who does not trust the service. */
import { Card, Glyph, Secret } from "@cairn/ui/parts"
import { useAddress, useMay } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { checkCommand } from "../exports/Export.ts"
import { integrityTexts } from "./IntegrityTexts.ts"

/** The way to an evidence file, to the page that checks it, and the command that does so. */
export const Outside = () => {
  const texts = useTexts(integrityTexts)
  const address = useAddress()
  return (
    <Card
      title={texts.outside}
      hint={texts.outsideHint}
      actions={
        <>
          {useMay("exports:create") && (
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
      <Secret label={texts.outsideCommand} text={checkCommand("bundle.cairn")} />
    </Card>
  )
}
