/** What an action does, as far as its words tell: the verbs that every language has a sentence for. */
import type { Kind } from "./Kinds.ts"

/** The verbs as actions mostly spell them, with the kind that an event is of where nothing else tells it. */
const VERBS = {
  created: "add",
  added: "add",
  registered: "add",
  uploaded: "add",
  generated: "add",
  issued: "add",
  copied: "add",
  restored: "add",
  deleted: "remove",
  removed: "remove",
  archived: "remove",
  cancelled: "remove",
  erased: "remove",
  updated: "change",
  changed: "change",
  edited: "change",
  renamed: "change",
  moved: "change",
  replaced: "change",
  rotated: "change",
  reset: "change",
  configured: "change",
  published: "change",
  unpublished: "change",
  opened: "change",
  closed: "change",
  completed: "change",
  started: "change",
  stopped: "change",
  paused: "change",
  resumed: "change",
  scheduled: "change",
  tested: "change",
  sent: "transfer",
  viewed: "read",
  read: "read",
  listed: "read",
  searched: "read",
  accessed: "read",
  downloaded: "transfer",
  exported: "transfer",
  imported: "transfer",
  printed: "transfer",
  shared: "permission",
  unshared: "permission",
  invited: "people",
  joined: "people",
  left: "people",
  approved: "change",
  rejected: "change",
  accepted: "change",
  declined: "change",
  confirmed: "change",
  verified: "change",
  submitted: "change",
  acknowledged: "change",
  granted: "permission",
  revoked: "permission",
  assigned: "permission",
  unassigned: "permission",
  enabled: "permission",
  disabled: "permission",
  activated: "permission",
  deactivated: "permission",
  suspended: "permission",
  locked: "permission",
  unlocked: "permission",
  blocked: "permission",
  unblocked: "permission",
  signed_in: "access",
  signed_out: "access",
  signed_up: "access",
  login_failed: "failure",
  impersonated: "access",
  paid: "money",
  refunded: "money",
  purchased: "money",
  upgraded: "money",
  downgraded: "money",
  failed: "failure",
  denied: "failure"
} as const satisfies Readonly<Record<string, Kind>>
export type Verb = keyof typeof VERBS

/** Other spellings, but those that only lack the ending. */
const SPELLINGS: Readonly<Record<string, Verb>> = {
  new: "created",
  made: "created",
  cloned: "copied",
  duplicated: "copied",
  recovered: "restored",
  destroyed: "deleted",
  purged: "deleted",
  canceled: "cancelled",
  cancel: "cancelled",
  modified: "changed",
  patched: "changed",
  set: "changed",
  finished: "completed",
  begun: "started",
  stop: "stopped",
  launched: "started",
  send: "sent",
  delivered: "sent",
  seen: "viewed",
  get: "viewed",
  queried: "searched",
  leave: "left",
  submit: "submitted",
  pay: "paid",
  bought: "purchased",
  login: "signed_in",
  logged_in: "signed_in",
  log_in: "signed_in",
  signin: "signed_in",
  sign_in: "signed_in",
  authenticated: "signed_in",
  logout: "signed_out",
  logged_out: "signed_out",
  log_out: "signed_out",
  signout: "signed_out",
  sign_out: "signed_out",
  signup: "signed_up",
  sign_up: "signed_up",
  sign_in_failed: "login_failed",
  signin_failed: "login_failed",
  failure: "failed",
  error: "failed",
  refused: "denied",
  forbidden: "denied"
}

const isVerb = (word: string): word is Verb => Object.hasOwn(VERBS, word)

/** The verb that a word is, in one of the forms that actions use: `deleted`, `delete`, `copy`. */
const verbOf = (word: string): Verb | undefined => {
  const forms = [word, `${word}d`, `${word}ed`, word.replace(/y$/, "ied")]
  for (const form of forms) {
    if (isVerb(form)) return form
    if (Object.hasOwn(SPELLINGS, form)) return SPELLINGS[form]
  }
  return undefined
}

/** What an action says. */
export interface ReadAction {
  readonly verb: Verb
  /** What the first part names, such as `api key` of `api_key.created`; empty for none. */
  readonly noun: string
  /** What else it names, such as `password` of `user.password.changed`; empty for nothing. */
  readonly detail: string
}

const PARTS = /[.:/]+/

/** The words of a part: of `signedIn`, `signed-in` and `Signed in` they are the same. */
const wordsOf = (part: string): ReadonlyArray<string> =>
  part
    .replace(/([a-z\d])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_\s-]+/)
    .filter((word) => word !== "")

/**
 * The verb of an action's last part, with the words beside it. Of more than one word the last must be a verb
 * in full, as in `secret_rotated`: `price_list` lists nothing. Only a part that is all of an action may begin
 * with the verb, as in `deleteDocument`.
 */
const verbIn = (
  words: ReadonlyArray<string>,
  isAlone: boolean
): readonly [Verb, ReadonlyArray<string>] | undefined => {
  const whole = verbOf(words.join("_"))
  if (whole !== undefined) return [whole, []]
  const last = words.at(-1) ?? ""
  if (isVerb(last)) return [last, words.slice(0, -1)]
  const first = isAlone ? verbOf(words[0] ?? "") : undefined
  return first === undefined ? undefined : [first, words.slice(1)]
}

const isSignIn = (words: ReadonlyArray<string>): boolean =>
  [words.slice(-1), words.slice(-2)].some((some) => verbOf(some.join("_")) === "signed_in")

/** Characters of an action that are read: the verb of a longer one is not to be found. */
const LONGEST = 256

/** What the service's own actions begin with: its name is no part of what they say. */
const OWN = /^cairn\./

/** The words that an action or a category begins with, such as `api` and `key` of `api_key.created`. */
export const firstWords = (action: string): ReadonlyArray<string> =>
  wordsOf(action.slice(0, LONGEST).replace(OWN, "").split(PARTS)[0] ?? "")

/** What the service records of people who come, leave and read. */
const OWN_ACTIONS: Readonly<Record<string, Verb>> = {
  "cairn.session.started": "signed_in",
  "cairn.session.ended": "signed_out",
  "cairn.session.refused": "login_failed"
}
const ACCESS = "cairn.access."

/** Reads an action; undefined if its last part tells no verb that is known. */
export const readAction = (action: string): ReadAction | undefined => {
  if (action.length > LONGEST) return undefined
  if (action.startsWith(ACCESS)) return { verb: "read", noun: "", detail: action.slice(ACCESS.length) }
  const known = Object.hasOwn(OWN_ACTIONS, action) ? OWN_ACTIONS[action] : undefined
  if (known !== undefined) return { verb: known, noun: "", detail: "" }
  const parts = action.replace(OWN, "").split(PARTS).map(wordsOf)
  const before = parts.slice(0, -1)
  const found = verbIn(parts.at(-1) ?? [], before.length === 0)
  if (found === undefined) return undefined
  const [verb, beside] = found
  const texts = [...before, beside].map((words) => words.join(" ")).filter((text) => text !== "")
  const fails = (verb === "failed" || verb === "denied") && isSignIn([...before.flat(), ...beside])
  if (fails) return { verb: "login_failed", noun: "", detail: "" }
  const [noun = "", ...details] = texts
  return { verb, noun, detail: details.join(" ") }
}

/** The kind of what a verb does. */
export const kindOfVerb = (verb: Verb): Kind => VERBS[verb]
