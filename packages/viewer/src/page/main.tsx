/**
 * Starts the page: takes the token out of the address, chooses language and colours, and shows the log.
 *
 * The embedding page may listen for `{ type: "cairn.viewer.expired" }` from the frame, and reply with `{
 * type: "cairn.viewer.token", token }`.
 */
// In the order in which they apply.
import "@cairn/ui/base.css"
import "@cairn/ui/log/log.css"
import { chooseLocale, languageOf, ServiceClock } from "@cairn/ui/locale"
import { LogReader, type LogReaderOptions } from "@cairn/ui/log"
import { placeFrom } from "@cairn/ui/place"
import { applyTheme } from "@cairn/ui/theme"
import { effect } from "@preact/signals"
import { render } from "preact"
import { App } from "./App.tsx"
import { ViewerApi } from "./service/ViewerApi.ts"
import { subjectOf } from "./service/ViewerToken.ts"
import { appearanceFrom, queryOf } from "./state/Address.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/**
 * The token, taken out of the address before anything else can read it there. It is kept with this entry of
 * the history, so that the page survives a reload: unlike a store of the origin, no other frame shares that.
 */
const takeToken = (): string | undefined => {
  const address = new URL(location.href)
  const given = address.searchParams.get("token")
  if (given !== null) {
    address.searchParams.delete("token")
    // In its place, so that after a reload the service still knows who may embed the page.
    const workspaceId = subjectOf(given)
    if (workspaceId !== undefined) address.searchParams.set("workspace", workspaceId)
    history.replaceState({ token: given }, "", address)
    return given
  }
  const kept: unknown = history.state
  return isObject(kept) && typeof kept.token === "string" ? kept.token : undefined
}

const token = takeToken()
const appearance = appearanceFrom(new URLSearchParams(location.search))
const wanted =
  appearance.locale === undefined ? navigator.languages : [appearance.locale, ...navigator.languages]
const language = languageOf(chooseLocale(wanted))
document.documentElement.lang = language.locale
document.title = language.messages.title
applyTheme(appearance)

/** Not a new entry: the back button of the product around the page is not for what happens in here. */
const moved: LogReaderOptions["moved"] = (place) => {
  const query = queryOf(place, new URLSearchParams(location.search))
  history.replaceState(history.state, "", `${location.pathname}${query}`)
}

const clock = new ServiceClock()

const open = (given: string) => {
  const base = new URL(location.pathname, location.origin)
  const api = new ViewerApi(base, given, clock.listening(globalThis.fetch))
  const knowledge = { keys: appearance.keys, workspaceId: subjectOf(given) }
  const asked = new URLSearchParams(location.search)
  // The token decides on the tenant.
  asked.delete("tenant_id")
  const place = placeFrom(asked, new Date(clock.now()))
  return { api, reader: new LogReader({ source: api, knowledge, clock, place, moved }) }
}

const viewer = token === undefined ? undefined : open(token)
viewer?.reader.start()

if (viewer !== undefined && parent !== window) {
  effect(() => {
    // It says nothing that the frame around it does not know.
    if (viewer.reader.shut.value?.kind === "expired")
      parent.postMessage({ type: "cairn.viewer.expired" }, "*")
  })
  addEventListener("message", ({ source, data }) => {
    // The frame around it chose the first token, too.
    if (source !== parent || !isObject(data) || data.type !== "cairn.viewer.token") return
    if (typeof data.token !== "string") return
    history.replaceState({ token: data.token }, "", location.href)
    // Goes on where the reader was.
    viewer.api.renew(data.token)
    viewer.reader.refresh()
  })
}

const root = document.querySelector("#app")
if (root !== null) {
  root.replaceChildren()
  render(<App reader={viewer?.reader} clock={clock} language={language} />, root)
}
