/** Shown in place of a page that the role may not see, such as after following somebody's link. */
import { Notice } from "@cairn/ui/notice"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"
import { PageHead } from "./PageHead.tsx"
import type { PageName } from "./PageNames.ts"

/** Says so, and who can change it; nothing is asked of the service. */
export const NotAllowed = ({ page }: { readonly page: PageName }) => {
  const texts = useTexts(frameTexts)
  return (
    <>
      <PageHead page={page} />
      <Notice title={texts.refused} hint={texts.refusedHint} alert />
    </>
  )
}
