/** The heading of one thing of a page's list, such as a webhook, with the way back to the list. */
import type { ComponentChildren } from "preact"
import { useAddress } from "../data/Session.ts"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"
import type { PageName } from "./PageNames.ts"

/** The heading: a link to the page of the list, what the thing is called, its state, and its buttons. */
export const ThingHead = ({
  page,
  title,
  state,
  hint,
  children
}: {
  /** The page that lists it. */
  readonly page: PageName
  readonly title: ComponentChildren
  readonly state?: ComponentChildren
  readonly hint?: ComponentChildren
  readonly children?: ComponentChildren
}) => {
  const texts = useTexts(frameTexts)
  const address = useAddress()
  return (
    <header class="page-head thing-head">
      <div>
        <p>
          <a href={address(page)}>
            <span aria-hidden="true">← </span>
            {texts.pages[page]}
          </a>
        </p>
        <h1>
          {title} {state}
        </h1>
        {hint !== undefined && <p class="muted">{hint}</p>}
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}
