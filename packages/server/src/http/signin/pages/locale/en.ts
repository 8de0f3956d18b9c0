/** English. */
import { html } from "../Html.ts"
import type { Texts } from "./TextTable.ts"

export const en: Texts = {
  tagline: "Audit log",
  footer: (host) => html`Cairn, the audit log at ${host}`,
  errorTitle: (title) => `Error: ${title}`,
  or: "or",
  signIn: {
    title: "Sign in",
    continueWith: (provider) => html`Continue with ${provider}`,
    email: "E-mail address",
    emailHint: "We send you a link that signs you in. You need no password.",
    sendLink: "Send me a link",
    operatorOnly: (link, member) =>
      html`This service sends no mail. Ask its operator for a link, who makes one with ${link}, and a member
        first with ${member}`,
    check: "Check an evidence file without signing in"
  },
  hints: {
    signed_out: "You are signed out.",
    session_ended: "Your session was ended. Sign in again to go on.",
    session_expired: "Your session has expired. Sign in again to go on.",
    session_idle: "Your session has ended because it was not used for a while. Sign in again to go on.",
    sign_in_first: "Sign in to go on.",
    address_invalid: "Enter an address such as ada@example.com."
  },
  provider: "The identity provider",
  refusals: {
    link_unknown: () => ({
      title: "This link is not valid",
      text: html`It may have been cut when it was copied, or it is too old. Ask for a new one.`
    }),
    link_expired: () => ({
      title: "This link has expired",
      text: html`Links are good for a limited time only. Ask for a new one.`
    }),
    link_spent: () => ({
      title: "This link does not work any more",
      text: html`Each link signs in once, and this one was used or withdrawn. If you did not use it, sign in
        with a new one and end the sessions that you do not know.`
    }),
    provider_denied: (provider) => ({
      title: "You were not signed in",
      text: html`${provider} did not allow it, or it was cancelled there. Try again, or ask the person who manages
        your account there.`
    }),
    provider_unreachable: (provider) => ({
      title: "Signing in does not work right now",
      text: html`${provider} does not answer. Try again in a few minutes.`
    }),
    address_not_confirmed: (provider) => ({
      title: "Your address is not confirmed",
      text: html`${provider} does not say that your e-mail address is yours. Confirm it there, then try again.`
    }),
    other_account: (provider) => ({
      title: "This is another account",
      text: html`Your address signed in before with another account of ${provider}. Sign in with that one, or ask
        the operator of this service.`
    }),
    took_too_long: () => ({
      title: "Signing in took too long",
      text: html`It was not finished in time, or it was begun in another browser. Start again.`
    })
  },
  noMembership: {
    title: "You are not a member",
    text: (address) =>
      html`${address} is not a member of any workspace here, or no longer. Ask an admin of your workspace for an
        invitation, or sign in with another address.`,
    yourAddress: "Your address"
  },
  mailSent: {
    title: "Check your mail",
    sent: (address) => html`If ${address} belongs to a member, a link is on its way there.`,
    life: (duration) => `It is good for ${duration}, works once, and signs in the browser that opens it.`,
    nothingCame: "Nothing came?",
    steps: [
      "Wait a minute, then look in the spam folder.",
      "Check that the address above is right.",
      "Ask an admin of your workspace whether this address is a member."
    ],
    again: "Send another link",
    otherAddress: "Use another address"
  },
  link: {
    title: "Sign in",
    heading: (address) => html`Sign in as ${address}`,
    invitation: "You were invited to this workspace.",
    other: (address) => html`${address} is signed in in this browser, and will be signed out.`,
    button: "Sign in",
    once: "The link works once: this button uses it up.",
    notYou: {
      title: "Was it not you?",
      text: "Then close this page. Nothing happens without the button, and the link expires by itself."
    }
  },
  setup: {
    title: "Set up Cairn",
    intro: "No workspace here has an owner yet. Become one, and you are signed in.",
    workspaceName: "Name of the workspace",
    workspaceNameHint: "Each workspace has an audit log of its own. You can change its name later.",
    workspaceChoiceHint: "You become the owner of this one, and can add other people then.",
    emailHint: "Your own. You sign in with it from now on.",
    name: "Your name",
    nameHint: "As it will stand in the log beside what you change. You may leave it out.",
    button: "Set up and sign in",
    once: "The link works once: this button uses it up.",
    faults: {
      workspace_name: "Enter a name of 1 to 1,024 characters.",
      workspace_choice: "There are other workspaces by now. Choose one.",
      email: "Enter an address such as ada@example.com.",
      name: "Enter a name of at most 1,024 characters, or none."
    },
    emailTaken: (command) =>
      html`The workspace has a member with this address already. The operator makes it the owner with ${command}`,
    refusals: {
      unknown: {
        title: "This link is not valid",
        text: (life) =>
          `It may have been cut when it was copied, or it is older than ${life}. Look again into the file that the service named in its log when it last started.`
      },
      expired: {
        title: "This link has expired",
        text: (life) =>
          `A set-up link is good for ${life}. Start the service again: it writes a new one into the file.`
      },
      spent: {
        title: "This link does not work any more",
        text: (life) =>
          `A set-up link works once and for ${life}, and a new start of the service replaces it. Look into the file once more, or start the service again.`
      },
      done: {
        title: "This service is set up",
        text: () => "A workspace has an owner, so set-up links do nothing any more."
      },
      other_browser: {
        title: "Nothing was set up",
        text: (life) =>
          `The form was opened in another browser, or more than ${life} ago. Open the link again in this one.`
      }
    },
    askOperator: (command) =>
      html`If you are the owner, sign in. The operator makes a link for that with ${command}`
  },
  https: {
    title: "Sign-in needs https",
    why: (address) =>
      html`You have opened ${address}, which is not encrypted. Your session could be read and used on its way
        here, so nobody is signed in.`,
    openInstead: (address) => html`Open ${address}`,
    operator: "For the operator of this service",
    setting: (setting) =>
      html`Set ${setting} to the https address of this service. If a proxy with TLS stands in front of it
        already, this is all that is missing.`,
    proxy: "Otherwise put one there. Caddy gets the certificate by itself; this is its whole Caddyfile:",
    exampleName: (name) => html`${name} stands for a name that leads to this machine.`,
    onMachine: "On the machine of the service",
    openThere: (address) => html`Open ${address} in a browser there.`,
    elsewhere: "From your own machine, by SSH",
    tunnel: "Run this, and leave it running:",
    thenOpen: (address) => html`Then open ${address} in your browser.`
  },
  account: {
    title: "Your account",
    signedInAs: (address) => html`You are signed in as ${address}.`,
    console: "Back to the console",
    signOut: "Sign out",
    workspaces: "Workspaces",
    noWorkspaces: "You are not a member of any workspace. Ask an admin for an invitation.",
    accessEnds: (time) => html`Access ends ${time}`,
    sessions: "Sessions",
    sessionsHint: "Where you are signed in. End each session that you do not know.",
    thisSession: "This session",
    address: "Address",
    notKnown: "not known",
    method: "Signed in by",
    began: "Began",
    lastUsed: "Last used",
    end: "End",
    endOf: (session) => html` session: ${session}`,
    endOthers: "End all other sessions",
    device: (browser, system) => `${browser} on ${system}`,
    unknownDevice: "Unknown browser",
    done: {
      session_ended: "The session has ended.",
      others_ended: "All other sessions have ended."
    }
  },
  role: "Role",
  workspace: "Workspace",
  roles: {
    owner: "Owner",
    admin: "Admin",
    developer: "Developer",
    auditor: "Auditor",
    member: "Member"
  },
  roleMeanings: {
    owner: "may do everything",
    admin: "may do everything but change owners",
    developer: "sets up keys, rules, webhooks and log streams",
    auditor: "reads, verifies and exports, and changes nothing",
    member: "reads the log"
  },
  methods: {
    mail: "Link by e-mail",
    oidc: "Identity provider",
    operator: "Link from the operator"
  },
  lost: {
    title: "There is no such page",
    text: "The address may have been cut when it was copied, or the page is no longer there.",
    home: "Go to the first page"
  },
  signedOut: {
    title: "You are signed out",
    text: "The session in this browser has ended.",
    again: "Sign in again"
  },
  tooMany: {
    title: "Too many attempts",
    text: "Wait a few minutes, then try again.",
    wait: (duration) => `Wait ${duration}, then try again.`
  },
  failed: {
    title: "Something went wrong",
    text: "The service could not do this. Try again in a minute. If it happens again, give the operator of the service this id.",
    requestId: "Request id"
  },
  origin: {
    title: "Nothing was done",
    text: "The request did not come from a page of this service. Open the page here, and try again."
  },
  toSignIn: "Go to sign-in"
}
