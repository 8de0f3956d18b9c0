/** The pages on which people sign in: each a function from what it shows to the page as text. */
import type { Micros } from "@cairn/core/encoding"
import type { MemberRole } from "@cairn/core/workspace"
import { type Html, html } from "./Html.ts"
import { durationIn } from "./locale/Moments.ts"
import { textsOf } from "./locale/Texts.ts"
import type { Hint, Refusal, Texts } from "./locale/TextTable.ts"
import { pageOf, type Visit } from "./Page.ts"
import { card, hidden, notice, picture, refusalOf, signInPath, type WaysIn, waysIn } from "./Parts.ts"
import { shown } from "./ShownText.ts"

/** What the page to sign in shows. */
export interface SignInView extends Visit, WaysIn {
  /** What stands in the field for the address; null for nothing. */
  readonly address: string | null
  /** Why the person sees this page; null if it was opened without a reason that needs words. */
  readonly notice: Hint | Refusal | null
}

const isHint = (texts: Texts, reason: Hint | Refusal): reason is Hint => Object.hasOwn(texts.hints, reason)

/** The note above the ways to sign in. What is wrong with an address stands at its field. */
const noticeOf = (texts: Texts, { notice: reason, provider, address }: SignInView): Html | undefined => {
  if (reason === null || reason === "address_invalid") return undefined
  if (isHint(texts, reason)) {
    return notice(reason === "signed_out" ? "done" : "hint", html`<p>${texts.hints[reason]}</p>`)
  }
  const { title, text } = refusalOf(texts, reason, { provider, address })
  return notice("wrong", html`<div><p><strong>${title}</strong></p><p>${text}</p></div>`)
}

/** What the field for the address holds: who is no member with one address needs another. */
const fieldAddress = ({ address }: { readonly address: string | null }, reason: Hint | Refusal | null) =>
  reason === "no_membership" ? null : address

/** The page to sign in, with the ways that the service offers. */
export const signInPage = (view: SignInView): string => {
  const texts = textsOf(view.language)
  const isInvalid = view.notice === "address_invalid"
  const address = fieldAddress(view, view.notice)
  return pageOf(view, {
    title: texts.signIn.title,
    isFault: view.notice !== null && (isInvalid || !isHint(texts, view.notice)),
    main: card(
      html`<h1>${texts.signIn.title}</h1>`,
      noticeOf(texts, view),
      waysIn(texts, view, { address, isInvalid }),
      html`<a class="way" href="/verify">${texts.signIn.check}</a>`
    )
  })
}

/** What the page shows after a link was asked for. */
export interface MailSentView extends Visit {
  /** As it was typed. */
  readonly address: string
  readonly returnTo: string | null
  /** How long a link is good for. */
  readonly lifetime: Micros.Micros
}

/** Says that a link is on its way: the same to members and others, so that nobody learns who is one. */
export const mailSentPage = (view: MailSentView): string => {
  const { mailSent } = textsOf(view.language)
  const { address, returnTo } = view
  return pageOf(view, {
    title: mailSent.title,
    main: card(
      picture("mail"),
      html`<h1>${mailSent.title}</h1>`,
      html`<p>${mailSent.sent(shown(address))}</p>
<p class="muted">${mailSent.life(durationIn(view.language, view.lifetime))}</p>`,
      html`<section class="apart">
<h2>${mailSent.nothingCame}</h2>
<ol class="steps">${mailSent.steps.map((step) => html`<li>${step}</li>`)}</ol>
</section>`,
      html`<form method="post" action="/sign-in/email">
${hidden("email", address)}${hidden("return", returnTo)}
<button class="button">${mailSent.again}</button>
<a class="way" href="${signInPath(returnTo)}">${mailSent.otherAddress}</a>
</form>`
    )
  })
}

/** What the page of a link shows. */
export interface LinkView extends Visit {
  /** Whom the link signs in. */
  readonly address: string
  /** Who has signed in in this browser, and is signed out by the link; null if nobody else has. */
  readonly signedIn: string | null
  /** The secret of the link. */
  readonly token: string
  /** Where to, and as what; null for a link that is no invitation. */
  readonly invitation: { readonly workspace: string; readonly role: MemberRole } | null
}

const invitationOf = (texts: Texts, { workspace, role }: NonNullable<LinkView["invitation"]>): Html =>
  html`<dl class="facts framed">
<dt>${texts.workspace}</dt><dd>${shown(workspace)}</dd>
<dt>${texts.role}</dt><dd>${texts.roles[role]}<span class="muted">${texts.roleMeanings[role]}</span></dd>
</dl>`

/** The page that a link opens: nothing happens without its button, since scanners of mail open links, too. */
export const linkPage = (view: LinkView): string => {
  const texts = textsOf(view.language)
  const { link } = texts
  const { invitation } = view
  return pageOf(view, {
    title: link.title,
    main: card(
      html`<h1>${link.heading(shown(view.address))}</h1>`,
      invitation === null ? undefined : html`<p>${link.invitation}</p>${invitationOf(texts, invitation)}`,
      view.signedIn === null ? undefined : html`<p>${link.other(shown(view.signedIn))}</p>`,
      html`<form method="post" action="/sign-in/link">
${hidden("token", view.token)}
<button class="button first" aria-describedby="once">${link.button}</button>
<p class="muted" id="once">${link.once}</p>
</form>`,
      html`<section class="apart"><h2>${link.notYou.title}</h2><p class="muted">${link.notYou.text}</p></section>`
    )
  })
}

/** What the page shows to somebody who was not signed in. */
export interface RefusalView extends Visit, WaysIn {
  readonly refusal: Refusal
  /** The address, where it is known. */
  readonly address: string | null
}

/** Says why somebody was not signed in and what to do, with the ways to try again. */
export const refusalPage = (view: RefusalView): string => {
  const texts = textsOf(view.language)
  const { title, text } = refusalOf(texts, view.refusal, view)
  const address = fieldAddress(view, view.refusal)
  return pageOf(view, {
    title,
    isFault: true,
    main: card(
      picture(view.refusal === "link_expired" || view.refusal === "took_too_long" ? "clock" : "alert"),
      html`<h1>${title}</h1>`,
      html`<p>${text}</p>`,
      waysIn(texts, view, { address, isInvalid: false })
    )
  })
}
