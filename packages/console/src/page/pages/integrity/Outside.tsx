/** How somebody else checks the log, who does not trust the service. */
import { Card, Glyph, Secret } from "@cairn/ui/parts"
import { useAddress, useMay } from "../../data/Session.ts"
import { useTexts } from "../../locale/Texts.ts"
import { integrityTexts } from "./IntegrityTexts.ts"

const COMMAND = "npx cairn-verify bundle.cairn"

/** The way to an evidence bundle, and the command that checks it. */
export const Outside = () => {
  const texts = useTexts(integrityTexts)
  const address = useAddress()
  return (
    <Card
      title={texts.outside}
      hint={texts.outsideHint}
      actions={
        useMay("exports:create") ? (
          <a class="button" href={address("exports?new=evidence")}>
            <Glyph name="download" /> {texts.toExports}
          </a>
        ) : undefined
      }
    >
      <Secret label={texts.outsideCommand} text={COMMAND} />
    </Card>
  )
}
