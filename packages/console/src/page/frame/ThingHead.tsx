/** The heading of one thing's page, such as a webhook's. */
import type { ComponentChildren } from "preact"
import { useAddress } from "../data/Session.ts"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"
import type { PageName } from "./PageNames.ts"

/** The way back to the list, what the thing is called, its state, and its buttons. */
export const ThingHead = ({
  page,
  name,
  state,
  children
}: {
  /** The page that lists it. */
  readonly page: PageName
  readonly name: ComponentChildren
  readonly state?: ComponentChildren
  readonly children?: ComponentChildren
}) => {
  const texts = useTexts(frameTexts)
  const address = useAddress()
  return (
    <header class="page-head thing-head">
      <div>
        <p>
          <a href={address(page)}>{texts.pages[page]}</a>
        </p>
        <h1>
          {name} {state}
        </h1>
      </div>
      {children !== undefined && <div class="actions">{children}</div>}
    </header>
  )
}
