/**
 * The page that is shown in place of the viewer where it may not be embedded. Anybody may embed it: it holds
 * nothing, and asks for nothing.
 */
import "./refused.css"
import { en, refusalTexts, remedyFor } from "./Texts.ts"

const address = new URL(location.href)
// A token is of no use here, and must not stay where somebody may copy it from.
address.searchParams.delete("token")
history.replaceState(null, "", address)

/** The page around: as it says itself or, without that, as the browser does. */
const around = address.searchParams.get("origin") ?? document.referrer
const origin = URL.canParse(around) ? new URL(around).origin : undefined

const locale = address.searchParams.get("locale")
const { language, texts } = refusalTexts([...(locale === null ? [] : [locale]), ...navigator.languages])
document.documentElement.lang = language

const show = (selector: string, text: string) => {
  const element = document.querySelector(selector)
  if (element !== null) element.textContent = text
}
show("h1", texts.title)
show("#why", texts.why(origin))
show("#what", texts.what)
const remedy = remedyFor(
  `${location.origin}${location.pathname.replace(/\/viewer$/, "")}`,
  origin ?? "ORIGIN"
)
show("pre", remedy)

const reason = `${en.why(origin)} ${en.what}\n${remedy}`
// biome-ignore lint/suspicious/noConsole: the developer of the page around looks there
console.error(reason)
// It says nothing that the embedder of the page does not see.
if (parent !== window) parent.postMessage({ type: "cairn.viewer.refused", reason }, origin ?? "*")
