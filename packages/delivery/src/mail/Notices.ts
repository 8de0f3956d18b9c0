/** The mails that Cairn writes to a workspace's admins and owners. */
import type { Alert } from "@cairn/core/consumer"
import { BREAK_MEANING, type BrokenChain } from "@cairn/core/verification"
import { type MailContent, mailBody, oneLine } from "./MailBody.ts"
import type { Mail } from "./Mailer.ts"

/** A mail without its recipient: the same text goes to many people. */
export type Notice = Omit<Mail, "to">

/** A notice with both bodies. */
export const notice = (subject: string, content: MailContent): Notice => ({
  subject: oneLine(subject),
  ...mailBody(content)
})

/** A rule raised an alert. */
export const alertNotice = (workspace: string, alert: Alert): Notice =>
  notice(`[Cairn] ${alert.rule_name}: ${alert.reason}`, {
    title: alert.rule_name,
    paragraphs: [alert.reason],
    facts: [
      ["Workspace", workspace],
      ["Rule", `${alert.rule_name} (${alert.rule_type})`],
      ["Triggered at", alert.triggered_at],
      ["Event", alert.event_id],
      ["Alert", alert.id]
    ]
  })

/**
 * A webhook was disabled, because its receiver asked for that (410) or because attempts have failed for days.
 */
export const webhookDisabledNotice = (
  workspace: string,
  webhook: { readonly id: string; readonly url: string },
  cause: "gone" | "failing",
  lastError: string
): Notice =>
  notice(`[Cairn] Webhook disabled: ${webhook.url}`, {
    title: "A webhook was disabled",
    paragraphs: [
      cause === "gone"
        ? "Its receiver returned 410 Gone, which asks for no more messages."
        : "Every attempt has failed for five days.",
      "Undelivered messages are kept and can be sent again once the webhook is enabled."
    ],
    facts: [
      ["Workspace", workspace],
      ["Webhook", webhook.id],
      ["URL", webhook.url],
      ["Last error", lastError]
    ]
  })

/** A log stream has been failing for a while. */
export const streamDownNotice = (
  workspace: string,
  stream: { readonly id: string; readonly name: string },
  since: string,
  lastError: string
): Notice =>
  notice(`[Cairn] Log stream down: ${stream.name}`, {
    title: `The log stream ${stream.name} is down`,
    paragraphs: [
      "Its destination has not accepted events for a while. Cairn retries every few minutes; nothing is lost, and the stream resumes where it stopped."
    ],
    facts: [
      ["Workspace", workspace],
      ["Stream", stream.id],
      ["Failing since", since],
      ["Last error", lastError]
    ]
  })

/** Most breaks that a mail lists. */
const LISTED_BREAKS = 10

/** Verification found the chain broken. */
export const chainBrokenNotice = (
  workspace: string,
  { breaks, breaks_found: found = breaks.length }: BrokenChain
): Notice =>
  notice("[Cairn] The audit log's hash chain is broken", {
    title: "The audit log's hash chain is broken",
    paragraphs: [
      "Verification found events that were changed, inserted or removed after they were recorded. Keep the database as it is, and compare it with a backup or an evidence bundle."
    ],
    facts: [
      ["Workspace", workspace],
      ["Breaks", String(found)],
      ...breaks
        .slice(0, LISTED_BREAKS)
        .map(({ event_id, type }): readonly [string, string] => ["Event", `${event_id} (${type})`]),
      ...(found > LISTED_BREAKS ? [["Not listed", String(found - LISTED_BREAKS)] as const] : []),
      ...[...new Set(breaks.slice(0, LISTED_BREAKS).map(({ type }) => type))].map(
        (type): readonly [string, string] => [type, BREAK_MEANING[type]]
      )
    ]
  })

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`)

/** Contents will be kept for a shorter time. A reminder repeats an earlier notice. */
export const retentionShortenedNotice = (
  workspace: string,
  change: {
    readonly from_days: number | null
    readonly to_days: number
    readonly takes_effect_at: string
    readonly reminder: boolean
  }
): Notice => {
  const day = change.takes_effect_at.slice(0, 10)
  return notice(
    `[Cairn] ${change.reminder ? "Reminder: from" : "From"} ${day} on, ${workspace} keeps events for ${days(change.to_days)} only`,
    {
      title: `Events will be kept for ${days(change.to_days)} only`,
      paragraphs: [
        "From then on, older events are not shown and their contents are removed permanently. The hashes stay.",
        "Until then nothing is hidden or removed. To cancel it, set the workspace's retention_days back, or ask the operator of the service. " +
          "Who changed it is in the log, under cairn.retention.scheduled."
      ],
      facts: [
        ["Workspace", workspace],
        ["Kept until then", change.from_days === null ? "without end" : days(change.from_days)],
        ["Kept from then on", days(change.to_days)],
        ["Takes effect at", change.takes_effect_at]
      ]
    }
  )
}
