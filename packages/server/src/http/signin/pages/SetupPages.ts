/** The page on which the first owner sets the service up, and what it says where that is refused. */
import type { SetupFault, SetupInput } from "@cairn/core/management"
import { MAX_EMAIL } from "@cairn/core/workspace"
import { type Html, html } from "./Html.ts"
import { durationIn } from "./locale/Moments.ts"
import { textsOf } from "./locale/Texts.ts"
import type { SetupRefusal, Texts } from "./locale/TextTable.ts"
import { pageOf, type Visit } from "./Page.ts"
import { buttonLink, card, hidden, picture, signInPath } from "./Parts.ts"
import { shownPlain } from "./ShownText.ts"

/** What the page shows. */
export interface SetupView extends Visit {
  /** The secret of the link. */
  readonly token: string
  /** The workspaces to choose from; empty if the first one is to be made. */
  readonly workspaces: ReadonlyArray<{ readonly id: string; readonly name: string }>
  /** What stands in the fields. */
  readonly values: SetupInput
  /** What is wrong with the values. */
  readonly faults: ReadonlyArray<SetupFault>
}

/** The names of the form's fields. */
type Field = "workspace" | "email" | "name"

/** What a field has beside its control. */
interface FieldTexts {
  readonly label: string
  readonly hint: string
  /** What is wrong with it. */
  readonly fault: Html | string | undefined
}

/** A field; `control` is given the attributes that lead to its hint and to its fault. */
const field = (
  name: Field,
  { label, hint, fault }: FieldTexts,
  control: (isInvalid: string, describedBy: string) => Html
): Html => {
  const shownFault = html`<p class="fault" id="${name}-fault" role="alert">${picture("alert")}${fault}</p>`
  const describedBy = fault === undefined ? `${name}-hint` : `${name}-fault ${name}-hint`
  return html`<div class="field">
<label for="${name}">${label}</label>
<p class="muted" id="${name}-hint">${hint}</p>
${fault === undefined ? undefined : shownFault}
${control(String(fault !== undefined), describedBy)}
</div>`
}

const MEMBER_COMMAND = "cairn member update ADDRESS --role owner"
const LINK_COMMAND = "cairn member sign-in-link ADDRESS"

const faultFor = ({ setup }: Texts, faults: ReadonlyArray<SetupFault>, ...of: typeof faults) => {
  const found = of.find((fault) => faults.includes(fault))
  if (found === undefined) return undefined
  return found === "email_taken"
    ? setup.emailTaken(html`<code>${MEMBER_COMMAND}</code>`)
    : setup.faults[found]
}

const workspaceField = (texts: Texts, { workspaces, values, faults }: SetupView): Html => {
  const { setup } = texts
  const fault = faultFor(texts, faults, "workspace_name", "workspace_choice")
  if (workspaces.length === 0) {
    const said = { label: setup.workspaceName, hint: setup.workspaceNameHint, fault }
    return field(
      "workspace",
      said,
      (isInvalid, describedBy) => html`<input id="workspace" name="workspace_name" type="text"
autocomplete="organization" maxlength="1024" required value="${values.workspaceName}"
aria-invalid="${isInvalid}" aria-describedby="${describedBy}">`
    )
  }
  const said = { label: texts.workspace, hint: setup.workspaceChoiceHint, fault }
  const options = workspaces.map(({ id, name }) =>
    id === values.workspaceId
      ? html`<option value="${id}" selected>${shownPlain(name)}</option>`
      : html`<option value="${id}">${shownPlain(name)}</option>`
  )
  return field(
    "workspace",
    said,
    (isInvalid, describedBy) => html`<select id="workspace" name="workspace_id" required
aria-invalid="${isInvalid}" aria-describedby="${describedBy}">
${options}
</select>`
  )
}

const emailField = (texts: Texts, { values, faults }: SetupView): Html =>
  field(
    "email",
    {
      label: texts.signIn.email,
      hint: texts.setup.emailHint,
      fault: faultFor(texts, faults, "email", "email_taken")
    },
    (isInvalid, describedBy) => html`<input id="email" name="email" type="text" inputmode="email"
autocomplete="email" autocapitalize="none" spellcheck="false" maxlength="${MAX_EMAIL}" required
value="${values.email}" aria-invalid="${isInvalid}" aria-describedby="${describedBy}">`
  )

const nameField = (texts: Texts, { values, faults }: SetupView): Html =>
  field(
    "name",
    { label: texts.setup.name, hint: texts.setup.nameHint, fault: faultFor(texts, faults, "name") },
    (isInvalid, describedBy) => html`<input id="name" name="name" type="text" autocomplete="name"
maxlength="1024" value="${values.name}" aria-invalid="${isInvalid}" aria-describedby="${describedBy}">`
  )

/** The page that a set-up link opens: nothing happens without its button. */
export const setupPage = (view: SetupView): string => {
  const texts = textsOf(view.language)
  const { setup } = texts
  return pageOf(view, {
    title: setup.title,
    isFault: view.faults.length > 0,
    main: card(
      html`<h1>${setup.title}</h1>`,
      html`<p>${setup.intro}</p>`,
      html`<form method="post" action="/set-up">
${hidden("token", view.token)}
${workspaceField(texts, view)}
${emailField(texts, view)}
${nameField(texts, view)}
<button class="button first" aria-describedby="once">${setup.button}</button>
<p class="muted" id="once">${setup.once}</p>
</form>`
    )
  })
}

/** What the page shows where a set-up link does nothing. */
export interface SetupRefusedView extends Visit {
  readonly refusal: SetupRefusal
  /** Microseconds that a set-up link is good for. */
  readonly lifetime: number
}

/** Says why nothing was set up, and what to do. */
export const setupRefusedPage = (view: SetupRefusedView): string => {
  const texts = textsOf(view.language)
  const { title, text } = texts.setup.refusals[view.refusal]
  const isDone = view.refusal === "done"
  return pageOf(view, {
    title,
    isFault: true,
    main: card(
      picture(view.refusal === "expired" ? "clock" : "alert"),
      html`<h1>${title}</h1>`,
      html`<p>${text(durationIn(view.language, view.lifetime))}</p>`,
      isDone ? html`<p>${texts.setup.askOperator(html`<code>${LINK_COMMAND}</code>`)}</p>` : undefined,
      isDone ? buttonLink(signInPath(null), texts.toSignIn) : undefined
    )
  })
}
