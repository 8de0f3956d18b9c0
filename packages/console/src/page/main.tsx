/**
 * Starts the console: chooses language and colours, and asks who has signed in; or, at `/verify`, the page on
 * which anybody checks an evidence file, which asks nothing.
 */
// In the order in which they apply.
import "@cairn/ui/base.css"
import "@cairn/ui/parts/parts.css"
import "./frame/frame.css"
import { chooseLocale, LanguageContext, loadLanguage } from "@cairn/ui/locale"
import { applyTheme } from "@cairn/ui/theme"
import { type ComponentChild, render } from "preact"
import { App } from "./App.tsx"
import { followHistory } from "./frame/leave/Leaving.ts"
import { NotLoaded } from "./frame/PageFile.tsx"

const language = await loadLanguage(chooseLocale(navigator.languages))
document.documentElement.lang = language.locale
applyTheme({ theme: undefined, accent: undefined })

const show = (page: ComponentChild): void => {
  const root = document.querySelector("#app")
  if (root === null) return
  root.replaceChildren()
  render(page, root)
}

if (location.pathname === "/verify") {
  import("./pages/check/PublicCheckPage.tsx").then(
    ({ PublicCheckPage }) => show(<PublicCheckPage language={language} />),
    () =>
      show(
        <LanguageContext.Provider value={language}>
          <main class="alone">
            <NotLoaded />
          </main>
        </LanguageContext.Provider>
      )
  )
} else {
  // A page that is shown again as it was left may be that of somebody who has signed out since.
  addEventListener("pageshow", ({ persisted }) => {
    if (persisted) location.reload()
  })
  followHistory()
  show(<App language={language} />)
}
