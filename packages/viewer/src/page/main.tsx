/**
 * Starts the page: takes the token out of the address, or gets it from the page around, chooses language and
 * colours, and shows the log.
 */
// In the order in which they apply.
import "@cairn/ui/base.css"
import "@cairn/ui/log/log.css"
import { chooseLocale, type Language, loadLanguage, ServiceClock } from "@cairn/ui/locale"
import { LogReader, type LogReaderOptions } from "@cairn/ui/log"
import { placeFrom } from "@cairn/ui/place"
import { computed, effect, signal } from "@preact/signals"
import { render } from "preact"
import { App } from "./App.tsx"
import { ProductPage } from "./service/ProductPage.ts"
import { ViewerApi } from "./service/ViewerApi.ts"
import { endOf, subjectOf } from "./service/ViewerToken.ts"
import { appearanceFrom, placeQuery, queryOf, queryWith, sharedAddress } from "./state/Address.ts"
import { tellHeight } from "./state/Height.ts"
import { applyLook } from "./state/Look.ts"
import { originFrom } from "./state/Origin.ts"

/** Milliseconds that the page around may take to give the first token. */
const PATIENCE = 10_000

/** Milliseconds before a token's end at which another one is asked for, and the share of its time at most. */
const AHEAD = 30_000
const SHARE = 0.25

/** The longest that a timer takes, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const parameters = () => new URLSearchParams(location.search)

const setQuery = (query: string) => history.replaceState(history.state, "", `${location.pathname}${query}`)

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

const first = takeToken()
const product = parent === window ? undefined : new ProductPage(parent, originFrom(parameters()))
const clock = new ServiceClock()
const appearance = signal(appearanceFrom(parameters()))
const locale = computed(() => {
  const { locale } = appearance.value
  return chooseLocale(locale === undefined ? navigator.languages : [locale, ...navigator.languages])
})
// Beside the first events, which are asked for below.
const texts = loadLanguage(locale.value)
effect(() => applyLook(appearance.value))

/** Not a new entry: the back button of the product around the page is not for what happens in here. */
const moved: LogReaderOptions["moved"] = (place) => {
  setQuery(queryOf(place, parameters()))
  product?.tell("place", { query: placeQuery(place) })
}

const placeIn = (asked: URLSearchParams) => {
  const parameters = new URLSearchParams(asked)
  // The token decides on the tenant.
  parameters.delete("tenant_id")
  return placeFrom(parameters, new Date(clock.now()))
}

const addressOf: LogReaderOptions["addressOf"] = (place) => sharedAddress(place, new URL(location.href))

const open = (given: string) => {
  const base = new URL(location.pathname, location.origin)
  const api = new ViewerApi(base, given, clock.listening(globalThis.fetch))
  const knowledge = { keys: appearance.value.keys, workspaceId: subjectOf(given) }
  const place = placeIn(parameters())
  const reader = new LogReader({ source: api, knowledge, clock, place, moved, addressOf })
  reader.start()
  return { api, reader }
}

const token = signal(first)
const viewer = signal(first === undefined ? undefined : open(first))
const isWaiting = signal(product?.isNamed === true && first === undefined)
const reader = computed(() => viewer.value?.reader)

/** Listens to the page around, and tells it what it may want to know. */
const embed = (around: ProductPage, title: string) => {
  effect(() => {
    if (reader.value?.shut.value?.kind === "expired") around.ask("expired")
  })
  effect(() => {
    const end = around.isNamed && token.value !== undefined ? endOf(token.value) : undefined
    const left = (end ?? 0) - clock.now()
    if (left <= 0) return
    const timer = setTimeout(
      () => around.ask("expiring"),
      Math.min(left - Math.min(AHEAD, left * SHARE), LONGEST_TIMER)
    )
    return () => clearTimeout(timer)
  })
  around.listen({
    token: (given) => {
      token.value = given
      // A page that its address gave a token keeps it over a reload; any other asks for one again.
      if (first !== undefined) history.replaceState({ token: given }, "", location.href)
      if (viewer.value === undefined) {
        viewer.value = open(given)
        return
      }
      // Goes on where the reader was.
      viewer.value.api.renew(given)
      if (viewer.value.reader.shut.value !== undefined) viewer.value.reader.refresh()
    },
    place: (asked) => {
      const place = placeIn(asked)
      if (reader.value === undefined) setQuery(queryOf(place, parameters()))
      else reader.value.goTo(place)
    },
    appearance: (looks) => {
      const before = appearance.value
      setQuery(queryWith(looks, parameters()))
      appearance.value = appearanceFrom(looks)
      // What was verified with other keys is verified again.
      if (`${before.keys}` !== `${appearance.value.keys}`) location.reload()
    }
  })
  tellHeight(
    around,
    computed(() => reader.value?.place.value.event !== undefined)
  )
  around.tell("ready", { title })
  setTimeout(() => {
    isWaiting.value = false
  }, PATIENCE)
}
/** Shows the page in its language; in another one, once that is chosen. */
const show = (loaded: Language) => {
  const language = signal(loaded)
  effect(() => {
    const wanted = locale.value
    loadLanguage(wanted).then((loaded) => {
      if (wanted === locale.peek()) language.value = loaded
    })
  })
  effect(() => {
    document.documentElement.lang = language.value.locale
    document.title = language.value.messages.title
  })
  if (product !== undefined) embed(product, language.value.messages.title)
  const root = document.querySelector("#app")
  if (root === null) return
  root.replaceChildren()
  const hidden = computed(() => appearance.value.hidden)
  render(
    <App language={language} reader={reader} isWaiting={isWaiting} hidden={hidden} clock={clock} />,
    root
  )
}
// No `await` of the module: the build could not have what the verifier shares with the page in one script.
texts.then(show)
