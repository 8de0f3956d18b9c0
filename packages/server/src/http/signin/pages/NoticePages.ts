/** Pages that only say something. */
import { isIP } from "node:net"
import { Micros } from "@cairn/core/encoding"
import { type Html, html } from "./Html.ts"
import { durationIn } from "./locale/Moments.ts"
import { textsOf } from "./locale/Texts.ts"
import { type PageContent, pageOf, type Visit } from "./Page.ts"
import { buttonLink, card, picture, signInPath } from "./Parts.ts"
import { shown } from "./ShownText.ts"
import type { PictureName } from "./style/Pictures.ts"

/** A page with a title, a text, and what may be done next. */
const statement = (
  visit: Visit,
  {
    title,
    text,
    shownBy,
    ...frame
  }: Omit<PageContent, "main"> & { readonly text: Html; readonly shownBy: PictureName },
  ...next: ReadonlyArray<Html>
): string =>
  pageOf(visit, {
    ...frame,
    title,
    main: card(picture(shownBy), html`<h1>${title}</h1>`, html`<p>${text}</p>`, ...next)
  })

/** Says that there is nothing at an address. */
export const lostPage = (visit: Visit): string => {
  const { lost } = textsOf(visit.language)
  return statement(
    visit,
    { title: lost.title, isFault: true, text: html`${lost.text}`, shownBy: "alert" },
    buttonLink("/", lost.home)
  )
}

/** Says that the session in this browser has ended. */
export const signedOutPage = (visit: Visit): string => {
  const { signedOut } = textsOf(visit.language)
  return statement(
    visit,
    { title: signedOut.title, text: html`${signedOut.text}`, shownBy: "done" },
    buttonLink(signInPath(null), signedOut.again)
  )
}

/** What the page shows to somebody who has tried too often. */
export interface TooManyRequestsView extends Visit {
  /** After which time another try counts; null if that is not known. */
  readonly retryAfterSeconds: number | null
}

/** Says how long to wait. */
export const tooManyRequestsPage = (view: TooManyRequestsView): string => {
  const { tooMany, toSignIn } = textsOf(view.language)
  const { language, retryAfterSeconds: seconds } = view
  const text =
    seconds === null ? tooMany.text : tooMany.wait(durationIn(language, Math.max(1, seconds) * Micros.SECOND))
  return statement(
    view,
    { title: tooMany.title, isFault: true, text: html`${text}`, shownBy: "clock" },
    buttonLink(signInPath(null), toSignIn, false)
  )
}

/** What the page shows after a fault of the service. */
export interface FailedView extends Visit {
  readonly requestId: string
}

/** Says that something went wrong, and by which id the operator finds it. */
export const failedPage = (view: FailedView): string => {
  const { failed, toSignIn } = textsOf(view.language)
  return statement(
    view,
    { title: failed.title, isFault: true, text: html`${failed.text}`, shownBy: "alert" },
    html`<dl class="facts framed"><dt>${failed.requestId}</dt><dd>${shown(view.requestId)}</dd></dl>`,
    buttonLink(signInPath(null), toSignIn, false)
  )
}

/** Says that a request did not come from a page of the service, so that nothing was done. */
export const refusedOriginPage = (visit: Visit): string => {
  const { origin, toSignIn } = textsOf(visit.language)
  return statement(
    visit,
    { title: origin.title, isFault: true, text: html`${origin.text}`, shownBy: "alert" },
    buttonLink(signInPath(null), toSignIn)
  )
}

/** What the page shows that asks for https. */
export interface NeedsHttpsView extends Visit {
  /** The port that the service listens on. */
  readonly port: number
  /** Where it is reached over https; null if that is not set up. */
  readonly reachedAt: string | null
}

/** What stands for a name that is not known, or that no certificate is to be had for. */
const EXAMPLE_NAME = "cairn.example.com"

/** A name that may stand in a command: without signs that a shell acts on, and no option. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,252}$/

/** The name in a `Host`, or its number without brackets; undefined for anything that is neither. */
const nameOf = (host: string): string | undefined => {
  const name = URL.parse(`http://${host}`)?.hostname.replace(/^\[|\]$/g, "")
  return name !== undefined && (NAME.test(name) || isIP(name) !== 0) ? name : undefined
}

const commands = (...lines: ReadonlyArray<string>): Html => html`<pre><code>${lines.join("\n")}</code></pre>`

/** Says why nobody signs in over http from elsewhere, and three ways around it. */
export const needsHttpsPage = (view: NeedsHttpsView): string => {
  const { https } = textsOf(view.language)
  const why = html`${https.why(html`<code>http://${shown(view.host)}</code>`)}`
  if (view.reachedAt !== null) {
    const content = { title: https.title, isFault: true, text: why, shownBy: "lock" } as const
    const there = https.openInstead(html`${shown(view.reachedAt)}`)
    return statement(view, content, buttonLink(`${view.reachedAt}/sign-in`, there))
  }
  const name = nameOf(view.host)
  const isName = name !== undefined && isIP(name) === 0
  const certified = isName ? name : EXAMPLE_NAME
  const there = html`<code>http://127.0.0.1:${view.port}</code>`
  return pageOf(view, {
    title: https.title,
    isFault: true,
    width: "medium",
    main: card(
      picture("lock"),
      html`<h1>${https.title}</h1>`,
      html`<p>${why}</p>`,
      html`<section class="apart">
<h2>${https.operator}</h2>
<p>${https.setting(html`<code>CAIRN_BASE_URL</code>`)}</p>
${commands(`CAIRN_BASE_URL=https://${certified}`)}
<p>${https.proxy}</p>
${commands(certified, `reverse_proxy 127.0.0.1:${view.port}`)}
${isName ? undefined : html`<p class="muted">${https.exampleName(html`<code>${EXAMPLE_NAME}</code>`)}</p>`}
</section>`,
      html`<section class="apart"><h2>${https.onMachine}</h2><p>${https.openThere(there)}</p></section>`,
      html`<section class="apart">
<h2>${https.elsewhere}</h2>
<p>${https.tunnel}</p>
${commands(`ssh -L ${view.port}:127.0.0.1:${view.port} ${name ?? EXAMPLE_NAME}`)}
<p>${https.thenOpen(there)}</p>
</section>`
    )
  })
}
