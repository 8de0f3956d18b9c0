/** The page of a person who has signed in: where, as what, and in which browsers. */
import type { Micros } from "@cairn/core/encoding"
import type { Session } from "@cairn/core/people"
import type { MemberRole } from "@cairn/core/workspace"
import { type Html, html } from "./Html.ts"
import { momentsIn } from "./locale/Moments.ts"
import { textsOf } from "./locale/Texts.ts"
import type { Done, Texts } from "./locale/TextTable.ts"
import { pageOf, type Visit } from "./Page.ts"
import { buttonLink, hidden, notice } from "./Parts.ts"
import { shown, shownPlain } from "./ShownText.ts"
import { deviceOf } from "./UserAgent.ts"

/** A workspace that the person is a member of. */
export interface ShownMembership {
  /** The name of the workspace. */
  readonly workspace: string
  readonly role: MemberRole
  /** When access ends, in microseconds since the epoch; null for never. */
  readonly expires_at: Micros.Micros | null
}

/** What is shown of a session, as it is stored. */
export type ShownSession = Pick<
  Session,
  "id" | "method" | "client_address" | "user_agent" | "created_at" | "last_used_at"
>

/** What the page shows. */
export interface AccountView extends Visit {
  /** The address that is signed in. */
  readonly address: string
  readonly memberships: ReadonlyArray<ShownMembership>
  /** The sessions that are valid. The one that asks is shown first, the others in this order. */
  readonly sessions: ReadonlyArray<ShownSession>
  /** The id of the session that asks. */
  readonly current: string
  /** What was just done; null for nothing. */
  readonly done: Done | null
}

/** What the parts of the page need. */
interface Words {
  readonly texts: Texts
  readonly momentOf: (time: Micros.Micros) => Html
}

const membershipRow = ({ texts, momentOf }: Words, { workspace, role, expires_at }: ShownMembership): Html =>
  html`<li><div class="stack">
<h3>${shown(workspace)}</h3>
<p class="muted">${texts.roles[role]}: ${texts.roleMeanings[role]}</p>
</div>
${expires_at === null ? undefined : html`<p class="badge plain">${texts.account.accessEnds(momentOf(expires_at))}</p>`}
</li>`

/** The browser and system in words; what it says of itself where they are not simple to tell. */
const deviceName = ({ account }: Texts, userAgent: string | null): Html => {
  if (userAgent === null || userAgent.trim() === "") return html`${account.unknownDevice}`
  const { browser, system } = deviceOf(userAgent)
  if (browser !== undefined && system !== undefined) return html`${account.device(browser, system)}`
  const known = browser ?? system
  return known === undefined ? shown(userAgent) : html`${known}`
}

const sessionRow = ({ texts, momentOf }: Words, session: ShownSession, isCurrent: boolean): Html => {
  const { account, methods } = texts
  const device = deviceName(texts, session.user_agent)
  const address = session.client_address === null ? html`${account.notKnown}` : shown(session.client_address)
  return html`<li><div class="stack">
<h3 title="${shownPlain(session.user_agent ?? account.unknownDevice)}">${device}
${isCurrent ? html`<span class="badge">${account.thisSession}</span>` : undefined}</h3>
<dl class="facts">
<dt>${account.address}</dt><dd>${address}</dd>
<dt>${account.method}</dt><dd>${methods[session.method]}</dd>
<dt>${account.began}</dt><dd>${momentOf(session.created_at)}</dd>
<dt>${account.lastUsed}</dt><dd>${momentOf(session.last_used_at ?? session.created_at)}</dd>
</dl>
</div>
<form method="post" action="/account/sessions/end">
${hidden("session", session.id)}
<button class="button"><span>${account.end}</span><span class="hidden">${account.endOf(html`${device}, ${address}`)}</span></button>
</form></li>`
}

const sessionList = (words: Words, { sessions, current }: AccountView): Html => {
  const { account } = words.texts
  const own = sessions.filter(({ id }) => id === current)
  const others = sessions.filter(({ id }) => id !== current)
  return html`<section class="card">
<div class="stack"><h2>${account.sessions}</h2><p class="muted">${account.sessionsHint}</p></div>
<ul class="rows">
${own.map((session) => sessionRow(words, session, true))}
${others.map((session) => sessionRow(words, session, false))}
</ul>
${others.length === 0 ? undefined : endOthers(account)}
</section>`
}

const endOthers = ({ endOthers }: Texts["account"]): Html =>
  html`<form method="post" action="/account/sessions/end-others"><button class="button wrong">${endOthers}</button></form>`

const membershipList = (words: Words, { memberships }: AccountView): Html => {
  const { account } = words.texts
  const rows = memberships.map((membership) => membershipRow(words, membership))
  return html`<section class="card">
<h2>${account.workspaces}</h2>
${rows.length === 0 ? html`<p>${account.noWorkspaces}</p>` : html`<ul class="rows">${rows}</ul>`}
</section>`
}

/** The account's page: who is signed in, the workspaces, and the sessions, each of which can be ended. */
export const accountPage = (view: AccountView): string => {
  const words: Words = { texts: textsOf(view.language), momentOf: momentsIn(view.language) }
  const { account } = words.texts
  return pageOf(view, {
    title: account.title,
    width: "wide",
    aside: html`${buttonLink("/", account.console, false)}
<form method="post" action="/sign-out"><button class="button">${account.signOut}</button></form>`,
    main: html`<div class="stack">
<h1>${account.title}</h1>
<p>${account.signedInAs(shown(view.address))}</p>
</div>
${view.done === null ? undefined : notice("done", html`<p>${account.done[view.done]}</p>`)}
${membershipList(words, view)}
${sessionList(words, view)}`
  })
}
