/** The heading of a page, and what can be done on it. */
import type { ComponentChildren } from "preact"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"
import type { PageName } from "./PageNames.ts"

/** The heading: the page's name, what it is for in a sentence, and its buttons. */
export const PageHead = ({
  page,
  hint,
  children
}: {
  readonly page: PageName
  readonly hint?: ComponentChildren
  readonly children?: ComponentChildren
}) => {
  const texts = useTexts(frameTexts)
  return (
    <header class="page-head">
      <div>
        <h1>{texts.pages[page]}</h1>
        {hint !== undefined && <p class="muted">{hint}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}
