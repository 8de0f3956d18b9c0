/** Starts the console: chooses language and colours, and asks who has signed in. */
// In the order in which they apply.
import "@cairn/ui/base.css"
import "@cairn/ui/parts/parts.css"
import "./frame/frame.css"
import { chooseLocale, languageOf } from "@cairn/ui/locale"
import { applyTheme } from "@cairn/ui/theme"
import { render } from "preact"
import { App } from "./App.tsx"
import { followHistory } from "./frame/leave/Leaving.ts"

const language = languageOf(chooseLocale(navigator.languages))
document.documentElement.lang = language.locale
applyTheme({ theme: undefined, accent: undefined })

// A page that is shown again as it was left may be that of somebody who has signed out since.
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload()
})

followHistory()

const root = document.querySelector("#app")
if (root !== null) {
  root.replaceChildren()
  render(<App language={language} />, root)
}
