/** The way from page to page. */
import { Glyph } from "@cairn/ui/parts"
import { useAddress, useSession } from "../data/Session.ts"
import { useTexts } from "../locale/Texts.ts"
import { frameTexts } from "./FrameTexts.ts"
import { PAGE_GROUPS, type PageName } from "./PageNames.ts"

/** The pages that the person may see; `current` is the one that is shown. */
export const Navigation = ({ current }: { readonly current: PageName | undefined }) => {
  const texts = useTexts(frameTexts)
  const address = useAddress()
  const { permissions } = useSession().membership
  return (
    <nav class="navigation" aria-label={texts.navigation}>
      {PAGE_GROUPS.map(({ group, pages }) => {
        const shown = pages.filter(({ permission }) => permissions.includes(permission))
        if (shown.length === 0) return null
        return (
          <div key={group ?? ""} class="navigation-group">
            {group !== undefined && <p class="navigation-heading">{texts.groups[group]}</p>}
            <ul>
              {shown.map(({ name, glyph }) => (
                <li key={name}>
                  <a href={address(name)} {...(name === current ? { "aria-current": "page" } : {})}>
                    <Glyph name={glyph} /> {texts.pages[name]}
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </nav>
  )
}
