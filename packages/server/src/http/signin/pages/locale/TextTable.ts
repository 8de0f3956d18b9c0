/** What each language has to say. */
import type { SetupFault } from "@cairn/core/management"
import type { SignInMethod } from "@cairn/core/people"
import type { MemberRole } from "@cairn/core/workspace"
import type { Html } from "../Html.ts"

/**
 * Why somebody was not signed in. By a link: it is `link_unknown`, `link_expired` or `link_spent`. By the
 * identity provider: it has refused (`provider_denied`) or does not answer (`provider_unreachable`), it does
 * not say that the address is the person's (`address_not_confirmed`), the address belongs to
 * another account (`other_account`), or what was begun was not finished in time (`took_too_long`). By either:
 * `no_membership`.
 */
export type Refusal =
  | "link_unknown"
  | "link_expired"
  | "link_spent"
  | "no_membership"
  | "provider_denied"
  | "provider_unreachable"
  | "address_not_confirmed"
  | "other_account"
  | "took_too_long"

/** Why a person sees the page to sign in; `sign_in_first`: what was asked for needs it. */
export type Hint =
  | "signed_out"
  | "session_ended"
  | "session_expired"
  | "session_idle"
  | "sign_in_first"
  | "address_invalid"

/** What a person has just done on the account's page. */
export type Done = "session_ended" | "others_ended"

/**
 * Why a set-up link does nothing: it is not one (`unknown`), too old (`expired`), used or replaced by a later
 * start while there is no owner (`spent`), of no use since there is an owner (`done`), or the form was sent
 * by a browser that has not opened the link (`other_browser`).
 */
export type SetupRefusal = "unknown" | "expired" | "spent" | "done" | "other_browser"

/** A title, and what to do. */
export interface Statement {
  readonly title: string
  readonly text: string
}

/**
 * The texts of one language. What is put into a sentence comes as markup, or as text where the sentence
 * stands in an attribute or a title.
 */
export interface Texts {
  readonly tagline: string
  readonly footer: (host: Html) => Html
  /** The title of a page that says that something went wrong. */
  readonly errorTitle: (title: string) => string
  readonly or: string

  readonly signIn: {
    readonly title: string
    readonly continueWith: (provider: Html) => Html
    readonly email: string
    readonly emailHint: string
    readonly sendLink: string
    /** By which command a link is made, and by which a member first. */
    readonly operatorOnly: (link: Html, member: Html) => Html
    /** The link for those who need no session. */
    readonly check: string
  }
  readonly hints: Readonly<Record<Hint, string>>
  /** In place of the name of a provider that is not known, at the beginning of a sentence. */
  readonly provider: string
  readonly refusals: Readonly<
    Record<
      Exclude<Refusal, "no_membership">,
      (provider: Html) => { readonly title: string; readonly text: Html }
    >
  >
  readonly noMembership: {
    readonly title: string
    readonly text: (address: Html) => Html
    /** In place of an address that is not known, at the beginning of a sentence. */
    readonly yourAddress: string
  }

  readonly mailSent: {
    readonly title: string
    readonly sent: (address: Html) => Html
    readonly life: (duration: string) => string
    readonly nothingCame: string
    readonly steps: ReadonlyArray<string>
    readonly again: string
    readonly otherAddress: string
  }
  readonly link: {
    readonly title: string
    readonly heading: (address: Html) => Html
    readonly invitation: string
    /** Somebody else has signed in in this browser. */
    readonly other: (address: Html) => Html
    readonly button: string
    readonly once: string
    readonly notYou: Statement
  }

  readonly setup: {
    readonly title: string
    readonly intro: string
    readonly workspaceName: string
    readonly workspaceNameHint: string
    readonly workspaceChoiceHint: string
    readonly emailHint: string
    readonly name: string
    readonly nameHint: string
    readonly button: string
    readonly once: string
    readonly faults: Readonly<Record<Exclude<SetupFault, "email_taken">, string>>
    /** By which command a member becomes the owner. */
    readonly emailTaken: (command: Html) => Html
    /** Given for how long a set-up link is good. */
    readonly refusals: Readonly<
      Record<SetupRefusal, { readonly title: string; readonly text: (life: string) => string }>
    >
    /** By which command the operator makes a link. */
    readonly askOperator: (command: Html) => Html
  }

  readonly https: {
    readonly title: string
    readonly why: (address: Html) => Html
    /** On the button that leads to the service. */
    readonly openInstead: (address: Html) => Html
    readonly operator: string
    readonly setting: (setting: Html) => Html
    readonly proxy: string
    /** For a service that was reached by a number, for which no certificate is to be had. */
    readonly exampleName: (name: Html) => Html
    readonly onMachine: string
    readonly openThere: (address: Html) => Html
    readonly elsewhere: string
    readonly tunnel: string
    readonly thenOpen: (address: Html) => Html
  }

  readonly account: {
    readonly title: string
    readonly signedInAs: (address: Html) => Html
    readonly console: string
    readonly signOut: string
    readonly workspaces: string
    readonly noWorkspaces: string
    readonly accessEnds: (time: Html) => Html
    readonly sessions: string
    readonly sessionsHint: string
    readonly thisSession: string
    readonly address: string
    readonly notKnown: string
    readonly method: string
    readonly began: string
    readonly lastUsed: string
    readonly end: string
    /** Follows `end`, for those who listen. */
    readonly endOf: (session: Html) => Html
    readonly endOthers: string
    readonly device: (browser: string, system: string) => string
    readonly unknownDevice: string
    readonly done: Readonly<Record<Done, string>>
  }
  readonly role: string
  readonly workspace: string
  readonly roles: Readonly<Record<MemberRole, string>>
  /** What each may do. */
  readonly roleMeanings: Readonly<Record<MemberRole, string>>
  readonly methods: Readonly<Record<SignInMethod, string>>

  readonly signedOut: Statement & { readonly again: string }
  /** For an address at which there is no page. */
  readonly lost: Statement & { readonly home: string }
  readonly tooMany: Statement & { readonly wait: (duration: string) => string }
  readonly failed: Statement & { readonly requestId: string }
  readonly origin: Statement
  readonly toSignIn: string
}
