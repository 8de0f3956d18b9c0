/** Parts that several pages have. */
import { MAX_EMAIL } from "@cairn/core/workspace"
import { type Html, html } from "./Html.ts"
import type { Refusal, Texts } from "./locale/TextTable.ts"
import { shown } from "./ShownText.ts"
import type { PictureName } from "./style/Pictures.ts"

/** How people can sign in. */
export interface WaysIn {
  /** What the identity provider is called; null if none is set up. */
  readonly provider: string | null
  /** Whether the service sends mail. */
  readonly sendsMail: boolean
  /** The path where the person goes once signed in; null for the first page. */
  readonly returnTo: string | null
}

/** A picture; the words beside it say what it means. */
export const picture = (name: PictureName): Html =>
  html`<span class="picture picture-${name}" aria-hidden="true"></span>`

/** What a page is about, in the middle of it. */
export const card = (...parts: ReadonlyArray<Html | undefined>): Html =>
  html`<div class="card">${parts.filter((part) => part !== undefined)}</div>`

/** A note above what it is about: one that something is wrong, that something was done, or a hint. */
export const notice = (kind: "wrong" | "done" | "hint", content: Html): Html =>
  html`<div class="notice ${kind}" role="${kind === "wrong" ? "alert" : "status"}">${picture(
    kind === "wrong" ? "alert" : kind === "done" ? "done" : "info"
  )}${content}</div>`

/** What a form sends without showing it. */
export const hidden = (name: string, value: string | null): Html | undefined =>
  value === null ? undefined : html`<input type="hidden" name="${name}" value="${value}">`

const withReturn = (path: string, returnTo: string | null): string =>
  returnTo === null ? path : `${path}?return=${encodeURIComponent(returnTo.toWellFormed())}`

/** The address of the page to sign in. */
export const signInPath = (returnTo: string | null): string => withReturn("/sign-in", returnTo)

/** A link that looks like a button. */
export const buttonLink = (path: string, label: string | Html, isFirst = true): Html =>
  html`<a class="button ${isFirst ? "first" : "other"}" href="${path}"><span>${label}</span></a>`

/** What stands in the field for the address. */
export interface TypedAddress {
  readonly address: string | null
  readonly isInvalid: boolean
}

const mailForm = (
  { signIn, hints }: Texts,
  { provider, returnTo }: WaysIn,
  { address, isInvalid }: TypedAddress
): Html => {
  const fault = html`<p class="fault" id="email-fault" role="alert">${picture("alert")}${hints.address_invalid}</p>`
  return html`<form method="post" action="/sign-in/email">
${hidden("return", returnTo)}
<div class="field">
<label for="email">${signIn.email}</label>
<p class="muted" id="email-hint">${signIn.emailHint}</p>
${isInvalid ? fault : undefined}
<input id="email" name="email" type="text" inputmode="email" autocomplete="email" autocapitalize="none"
spellcheck="false" maxlength="${MAX_EMAIL}" required value="${address ?? ""}"
aria-invalid="${String(isInvalid)}" aria-describedby="${isInvalid ? "email-fault email-hint" : "email-hint"}">
</div>
<button class="button ${provider === null ? "first" : "other"}">${signIn.sendLink}</button>
</form>`
}

const LINK_COMMAND = "cairn member sign-in-link ADDRESS"
const MEMBER_COMMAND = "cairn member add ADDRESS"

/** All ways to sign in; how to get a link from the operator if there is no other. */
export const waysIn = (texts: Texts, ways: WaysIn, typed: TypedAddress): Html => {
  const { provider, sendsMail, returnTo } = ways
  if (provider === null && !sendsMail) {
    const [link, member] = [html`<code>${LINK_COMMAND}</code>`, html`<code>${MEMBER_COMMAND}</code>`]
    return html`<p>${texts.signIn.operatorOnly(link, member)}</p>`
  }
  const byProvider =
    provider === null
      ? undefined
      : buttonLink(withReturn("/sign-in/oidc", returnTo), texts.signIn.continueWith(shown(provider)))
  const divider = provider === null || !sendsMail ? undefined : html`<p class="or">${texts.or}</p>`
  return html`${byProvider}${divider}${sendsMail ? mailForm(texts, ways, typed) : undefined}`
}

/** Why somebody was not signed in, and what to do. */
export const refusalOf = (
  { refusals, noMembership, provider: someProvider }: Texts,
  refusal: Refusal,
  { provider, address }: { readonly provider: string | null; readonly address: string | null }
): { readonly title: string; readonly text: Html } => {
  if (refusal !== "no_membership") return refusals[refusal](shown(provider ?? someProvider))
  const { title, text, yourAddress } = noMembership
  return { title, text: text(address === null ? html`${yourAddress}` : shown(address)) }
}
