/** The workspace's settings. Each part is saved by itself, so that one that is refused costs no other. */
import "./settings.css"
import { Card, CopyButton, Facts, Moment } from "@cairn/ui/parts"
import { PlainText } from "@cairn/ui/text"
import { useRead } from "../../data/Read.ts"
import { type Schemas, useAddress, useMay } from "../../data/Session.ts"
import { frameTexts } from "../../frame/FrameTexts.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { usageTexts } from "../usage/UsageTexts.ts"
import { AllowlistForm } from "./AllowlistForm.tsx"
import { AnchorForm } from "./AnchorForm.tsx"
import { settingsTexts } from "./SettingsTexts.ts"
import { KeyAccessForm, NameForm, UnknownFieldsForm } from "./SmallForms.tsx"

type Workspace = Schemas["Workspace"]

/** What cannot be changed here. */
const About = ({ of: workspace }: { readonly of: Workspace }) => {
  const texts = useTexts(settingsTexts)
  const { plans } = useTexts(usageTexts)
  const { pages } = useTexts(frameTexts)
  const address = useAddress()
  const seesViewer = useMay("viewer_tokens:create")
  return (
    <Card title={texts.about} hint={texts.aboutHint}>
      <Facts
        of={[
          [
            texts.id,
            <>
              <code>{workspace.id}</code> <CopyButton text={workspace.id} />
            </>
          ],
          [
            texts.origin,
            <>
              <code>
                <PlainText text={workspace.log_origin} />
              </code>{" "}
              <CopyButton text={workspace.log_origin} />
              <p class="hint">{texts.originHint}</p>
            </>
          ],
          [
            texts.plan,
            <>
              {plans[workspace.plan]} · <a href={address("usage")}>{texts.planLink}</a>
            </>
          ],
          [texts.made, <Moment at={workspace.created_at} exact />],
          [
            texts.elsewhere,
            <>
              <a href={address("retention")}>{pages.retention}</a>
              {seesViewer && (
                <>
                  {" · "}
                  <a href={address("viewer")}>{pages.viewer}</a>
                </>
              )}
            </>
          ]
        ]}
      />
    </Card>
  )
}

/** The page. */
const SettingsPage = () => {
  const texts = useTexts(settingsTexts)
  const { roleCannot } = useTexts(frameTexts)
  const mayWrite = useMay("workspace:write")
  const read = useRead(["workspace"], async ({ workspace }, signal) => (await workspace.get({ signal })).data)
  return (
    <>
      <PageHead page="settings" hint={mayWrite ? texts.hint : roleCannot} />
      <Loaded read={read}>
        {(workspace) => (
          <>
            <NameForm of={workspace} />
            <AllowlistForm of={workspace} />
            <UnknownFieldsForm of={workspace} />
            <KeyAccessForm of={workspace} />
            <AnchorForm of={workspace} />
            <About of={workspace} />
          </>
        )}
      </Loaded>
    </>
  )
}

export default SettingsPage
