/** The mails that sign people in. */
import { Micros } from "@cairn/core/encoding"
import type { MailNotice } from "@cairn/core/outbound"
import { emailFault } from "@cairn/core/workspace"
import { oneLine } from "./MailBody.ts"
import { type Notice, notice } from "./Notices.ts"

/** A notice with a link that signs its reader in. */
export type LinkNotice = Extract<MailNotice, { readonly kind: "sign_in" | "invitation" }>

/** What each role may do, in words that follow "You". */
const ROLES: Readonly<Record<Extract<LinkNotice, { kind: "invitation" }>["role"], string>> = {
  owner: "may do everything in it",
  admin: "may change all of its settings",
  developer: "may keep its API keys, alert rules, webhooks and log streams",
  auditor: "may read, verify and export its log",
  member: "may read its log"
}

/** Most characters of a name that somebody chose: the mail must not become somebody's own text. */
const MAX_NAME = 60

/** Characters between two of an address, behind which a mail program sees no link. */
const LINKING = /[.:/@](?=\S)/g

/**
 * A name that somebody chose, for a mail to somebody who may not know them: short, and nothing in it is a
 * link or an address.
 */
const short = (name: string): string => {
  const characters = [...oneLine(name)]
  const cut = characters.length <= MAX_NAME ? name : `${characters.slice(0, MAX_NAME).join("")}…`
  // Who has no name is known by an address, which is shown as it is.
  return emailFault(cut) === undefined ? cut : oneLine(cut).replace(LINKING, (found) => `${found} `)
}

/** The mail with the link itself, which opens a page with one button. */
export const linkNotice = (content: LinkNotice, url: string): Notice => {
  const until = Micros.format(content.expires_at).slice(0, 16).replace("T", " ")
  const end = ["Good until", `${until} UTC, and once`] as const
  if (content.kind === "sign_in") {
    return notice(`Sign in to Cairn at ${new URL(content.service).host}`, {
      title: "Sign in to Cairn",
      paragraphs: [
        "Open the link and press the button on the page that it opens.",
        "If you did not ask for this, do nothing: nobody is signed in unless the button is pressed."
      ],
      link: { label: "Sign in", url },
      facts: [end]
    })
  }
  const workspace = short(content.workspace)
  const facts = [["Workspace", workspace], ["Role", content.role], ["Service", content.service], end] as const
  if (content.confirms === true)
    return notice(`Confirm your address at ${new URL(content.service).host}`, {
      title: "Confirm your address",
      paragraphs: [
        `You set up the audit log of ${workspace} with this address. Open the link and press the button on the page that it opens.`,
        "Until then you get no mail about alerts, nor about a broken chain.",
        "If you do not know what this is about, do nothing."
      ],
      link: { label: "Confirm the address", url },
      facts
    })
  const who = content.invited_by === null ? "You are invited" : `${short(content.invited_by)} invites you`
  // No name stands in the subject, which is all that some people read.
  return notice(`Invitation to an audit log at ${new URL(content.service).host}`, {
    title: `${who} to the audit log of ${workspace}`,
    paragraphs: [
      `You ${ROLES[content.role]}. Open the link and press the button on the page that it opens.`,
      "If you do not know what this is about, do nothing."
    ],
    link: { label: "Accept the invitation", url },
    facts
  })
}
