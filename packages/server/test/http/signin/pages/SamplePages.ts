/** Every page in every state that looks different, with texts that a test may choose. */
import { Micros } from "@cairn/core/encoding"
import { LINK_LIFE, SETUP_LIFE } from "@cairn/core/people"
import { MemberRole } from "@cairn/core/workspace"
import {
  accountPage,
  failedPage,
  type Hint,
  type Language,
  linkPage,
  mailSentPage,
  needsHttpsPage,
  type Refusal,
  refusalPage,
  refusedOriginPage,
  type SetupRefusal,
  type ShownSession,
  setupPage,
  setupRefusedPage,
  signedOutPage,
  signInPage,
  tooManyRequestsPage
} from "../../../../src/http/signin/pages/index.ts"

export const REFUSALS: ReadonlyArray<Refusal> = [
  "link_unknown",
  "link_expired",
  "link_spent",
  "no_membership",
  "provider_denied",
  "provider_unreachable",
  "address_not_confirmed",
  "other_account",
  "took_too_long"
]

export const SETUP_REFUSALS: ReadonlyArray<SetupRefusal> = [
  "unknown",
  "expired",
  "spent",
  "done",
  "other_browser"
]

export const HINTS: ReadonlyArray<Hint> = [
  "signed_out",
  "session_ended",
  "session_expired",
  "session_idle",
  "sign_in_first",
  "address_invalid"
]

/** Where the service is, as its operator says. */
export const REACHED_AT = "https://audit.example.com"

/** 2026-03-04T12:00:00Z, in microseconds. */
const NOW: Micros.Micros = 1_772_625_600_000_000

/** What comes from outside. */
export interface OutsideTexts {
  readonly host: string
  readonly address: string
  readonly provider: string
  readonly workspace: string
  readonly userAgent: string
  readonly clientAddress: string
  readonly returnTo: string
  readonly secret: string
  readonly id: string
}

/** Ordinary ones. */
export const ORDINARY: OutsideTexts = {
  host: "audit.example.com",
  address: "ada@example.com",
  provider: "Example Identity",
  workspace: "Analytical Engines Ltd",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  clientAddress: "192.0.2.17",
  returnTo: "/account?tab=1&x=2",
  secret: "Jt3wq0Xo1vR4mYbT6kZ8cP2dF5hL7nQ9sV0xA1eG3iK",
  id: "ses_0b8f7c1e-52a4-4f0e-9a57-2d8c4b6e1f30"
}

/** The same text everywhere. */
export const everywhere = (text: string): OutsideTexts => ({
  host: text,
  address: text,
  provider: text,
  workspace: text,
  userAgent: text,
  clientAddress: text,
  returnTo: text,
  secret: text,
  id: text
})

const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1"

const sessionsOf = (outside: OutsideTexts): ReadonlyArray<ShownSession> => {
  const session: ShownSession = {
    id: "ses_1",
    method: "mail",
    client_address: outside.clientAddress,
    user_agent: outside.userAgent,
    created_at: NOW - 3 * Micros.DAY,
    last_used_at: NOW
  }
  return [
    {
      ...session,
      id: "ses_2",
      method: "oidc",
      user_agent: IPHONE,
      client_address: "2001:db8:85a3::8a2e:370:7334",
      last_used_at: NOW - Micros.DAY
    },
    { ...session, id: outside.id },
    {
      ...session,
      id: "ses_3",
      method: "operator",
      user_agent: null,
      client_address: null,
      last_used_at: null
    }
  ]
}

/** What sets the workspaces of one person apart. */
const OFFICES = ["", ", London", ", Turin", ", Kyoto", ", Berlin"]

/** The pages, by name. */
export const samplePages = (
  language: Language,
  outside: OutsideTexts = ORDINARY
): Readonly<Record<string, string>> => {
  const visit = { language, host: outside.host }
  const { address, provider, returnTo, workspace } = outside
  const ways = { ...visit, provider, sendsMail: true, returnTo, address: null, notice: null }
  const link = { ...visit, address, signedIn: null, token: outside.secret }
  const account = {
    ...visit,
    address,
    memberships: MemberRole.literals.map((role, index) => ({
      workspace: `${workspace}${OFFICES[index]}`,
      role,
      expires_at: role === "auditor" ? NOW + 30 * Micros.DAY : null
    })),
    sessions: sessionsOf(outside),
    current: outside.id,
    done: null
  }
  const values = { workspaceName: workspace, workspaceId: outside.id, email: address, name: workspace }
  const setup = { ...visit, token: outside.secret, workspaces: [], values, faults: [] }
  const choice = OFFICES.map((office, index) => ({
    id: index === 1 ? outside.id : `wsp_${index}`,
    name: `${workspace}${office}`
  }))
  const setupRefusals = SETUP_REFUSALS.map((refusal) => [
    `set-up-${refusal}`,
    setupRefusedPage({ ...visit, refusal, lifetime: SETUP_LIFE })
  ])
  const refusals = REFUSALS.map((refusal) => [
    `refusal-${refusal}`,
    refusalPage({ ...ways, refusal, address: refusal.startsWith("link") ? null : address })
  ])
  const hints = HINTS.map((notice) => [
    `sign-in-${notice}`,
    signInPage({
      ...ways,
      notice,
      address: notice === "address_invalid" ? address.replace(/@.*/, "@") : address
    })
  ])
  return {
    "sign-in": signInPage(ways),
    "sign-in-by-mail": signInPage({ ...ways, provider: null, returnTo: null }),
    "sign-in-by-provider": signInPage({ ...ways, sendsMail: false }),
    "sign-in-by-operator": signInPage({ ...ways, provider: null, sendsMail: false }),
    "sign-in-refused": signInPage({ ...ways, notice: "no_membership", address }),
    ...Object.fromEntries(hints),
    "mail-sent": mailSentPage({ ...visit, address, returnTo, lifetime: LINK_LIFE }),
    link: linkPage({ ...link, invitation: null }),
    "link-other-person": linkPage({ ...link, signedIn: address, invitation: null }),
    "link-invitation": linkPage({ ...link, invitation: { workspace, role: "auditor" } }),
    ...Object.fromEntries(refusals),
    "set-up": setupPage({ ...setup, values: { ...values, workspaceName: "", email: "", name: "" } }),
    "set-up-faults": setupPage({ ...setup, faults: ["workspace_name", "email", "name"] }),
    "set-up-choice": setupPage({ ...setup, workspaces: choice }),
    "set-up-choice-faults": setupPage({
      ...setup,
      workspaces: choice,
      faults: ["workspace_choice", "email_taken"]
    }),
    ...Object.fromEntries(setupRefusals),
    "refusal-without-ways": refusalPage({
      ...ways,
      refusal: "no_membership",
      provider: null,
      sendsMail: false
    }),
    "needs-https": needsHttpsPage({ ...visit, port: 8787, reachedAt: null }),
    "needs-https-by-number": needsHttpsPage({
      language,
      host: "10.0.0.5:8787",
      port: 8787,
      reachedAt: null
    }),
    "needs-https-elsewhere": needsHttpsPage({ ...visit, port: 8787, reachedAt: REACHED_AT }),
    account: accountPage(account),
    "account-done": accountPage({ ...account, done: "others_ended", sessions: account.sessions.slice(1, 2) }),
    "account-empty": accountPage({ ...account, done: "session_ended", memberships: [] }),
    "signed-out": signedOutPage(visit),
    "too-many-requests": tooManyRequestsPage({ ...visit, retryAfterSeconds: 240 }),
    "too-many-requests-soon": tooManyRequestsPage({ ...visit, retryAfterSeconds: null }),
    failed: failedPage({ ...visit, requestId: outside.id.replace("ses_", "") }),
    "refused-origin": refusedOriginPage(visit)
  }
}
