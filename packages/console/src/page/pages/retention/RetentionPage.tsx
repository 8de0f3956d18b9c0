/** The page "retention": how long contents are kept, and how they are erased earlier. */
import "./retention.css"
import { useRead } from "../../data/Read.ts"
import { useMay } from "../../data/Session.ts"
import { Loaded } from "../../frame/Loaded.tsx"
import { PageHead } from "../../frame/PageHead.tsx"
import { useTexts } from "../../locale/Texts.ts"
import { ChangeForm } from "./ChangeForm.tsx"
import { Current } from "./Current.tsx"
import { EraseForm } from "./EraseForm.tsx"
import { History } from "./History.tsx"
import { retentionTexts } from "./RetentionTexts.ts"

/** The page. */
const RetentionPage = () => {
  const texts = useTexts(retentionTexts)
  const mayCount = useMay("events:read")
  const workspace = useRead(["workspace"], async ({ workspace }, signal) => {
    const { data } = await workspace.get({ signal })
    return data
  })
  return (
    <>
      <PageHead page="retention" hint={texts.hint} />
      <Loaded read={workspace}>
        {(settings) => (
          <>
            <Current workspace={settings} />
            <ChangeForm workspace={settings} />
          </>
        )}
      </Loaded>
      {mayCount && (
        <>
          <EraseForm />
          <History />
        </>
      )}
    </>
  )
}

export default RetentionPage
