/** The bodies that create and change a member. */
import { Schema } from "effect"
import { MAX_NAME } from "../event/EventInput.ts"
import { hasAtMost } from "../event/TextFault.ts"
import { formedText, nameText } from "../event/TextSchema.ts"
import { MemberRole } from "./Permissions.ts"
import { restrictedTime, restrictingTime } from "./Restriction.ts"

/** Most characters of an address: RFC 5321 section 4.5.3.1.3, less the angle brackets. */
export const MAX_EMAIL = 254

/**
 * One at sign between two parts without spaces, control characters or brackets. Anything more is for the mail
 * server to check.
 */
export const EMAIL = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u

/** The same for readers that do not know classes of characters by their Unicode names. */
const EMAIL_PATTERN = EMAIL.source.replaceAll("\\p{Cc}", "\\u0000-\\u001f\\u007f-\\u009f")

/** What is wrong with an address; undefined if nothing is. */
export const emailFault = (email: string): string | undefined =>
  EMAIL.test(email) && hasAtMost(email, MAX_EMAIL) && email.isWellFormed()
    ? undefined
    : `must be an e-mail address of at most ${MAX_EMAIL} characters`

/** A part of an address between two dots, or all of it. */
const LABEL = '[^\\s\\p{Cc}\\p{Cf}<>()[\\]\\\\,;:"@.]+'

/** The same with dots between other characters only (`dot-atom` of RFC 5322), and none that shows nothing. */
const NEW_EMAIL = new RegExp(`^${LABEL}(?:\\.${LABEL})*@${LABEL}(?:\\.${LABEL})*$`, "u")

/** What is wrong with the address of a new member; addresses that are there are taken as they are. */
export const newEmailFault = (email: string): string | undefined =>
  emailFault(email) ??
  (NEW_EMAIL.test(email)
    ? undefined
    : "must be an e-mail address, without dots at the ends of its parts or side by side, and without invisible characters")

const Name = Schema.optionalKey(
  Schema.NullOr(nameText({ least: 0, most: MAX_NAME })).annotate({
    description: "What the person is called; null for nothing"
  })
)

const ROLES =
  "`owner` may do everything, `admin` everything but what concerns owners, `developer` keeps keys, rules, webhooks and log streams, " +
  "`auditor` reads, verifies and exports, `member` reads the log. Owners and admins get mail once their address is confirmed"

/** A new member. */
export const MemberInput = Schema.Struct({
  email: formedText(newEmailFault, { pattern: EMAIL_PATTERN, maxLength: MAX_EMAIL }).annotate({
    description: "The person's address; no two members share one"
  }),
  name: Name,
  role: Schema.optionalKey(
    Schema.NullOr(MemberRole).annotate({
      description: `What the person may do; \`member\` unless given. ${ROLES}`
    })
  ),
  expires_at: restrictedTime(
    "When the person's access ends, ISO 8601, in the future; never where it is left out. Not for owners and admins"
  )
}).annotate({ identifier: "MemberInput", description: "A new member" })
export type MemberInput = typeof MemberInput.Type

/** What to change of a member; omitted fields stay. */
export const MemberPatch = Schema.Struct({
  name: Name,
  role: Schema.optionalKey(MemberRole.annotate({ description: `What the person may do. ${ROLES}` })),
  expires_at: Schema.optionalKey(
    Schema.NullOr(restrictingTime).annotate({
      description:
        "When the person's access ends instead, ISO 8601, in the future. One that is there is moved and not lifted, but for who becomes an owner or admin"
    })
  )
}).annotate({
  identifier: "MemberPatch",
  description: "What to change of a member; fields that are left out stay"
})
export type MemberPatch = typeof MemberPatch.Type
