/** Why a store failed, in the few words that an operator acts on. */

/** A cause that is known by its name. */
interface KnownCause {
  /** Two words, for a status page. */
  readonly name: string
  /** The sentence of the log. */
  readonly says: string
  /** Whether trying again alone does not help: someone has to make room, or to repair. */
  readonly lasts: boolean
  /** What drivers and platforms call it. */
  readonly is: RegExp
}

const KNOWN: ReadonlyArray<KnownCause> = [
  {
    name: "disk full",
    says: "the disk is full",
    lasts: true,
    is: /(?:database or )?disk (?:is )?full|no space left on device|disk quota exceeded|\b(?:ENOSPC|EDQUOT|53100)\b/i
  },
  {
    name: "read-only",
    says: "the database takes no writes (read-only transaction, or a standby)",
    lasts: true,
    is: /read-?only (?:database|transaction|file ?system)|during recovery|\b(?:EROFS|25006)\b/i
  },
  {
    name: "damaged",
    says: "database disk image is malformed",
    lasts: true,
    is: /disk image is malformed|file is not a database|invalid page in block|\b(?:XX001|XX002)\b/i
  },
  {
    name: "I/O error",
    says: "the disk does not work",
    lasts: true,
    is: /disk I\/O error|\bEIO\b|\b58030\b/i
  },
  {
    name: "old primary",
    says: "the database is an old primary, which another has replaced: stop it, or see cairn recover",
    lasts: true,
    is: /on an older timeline|is an old primary|\bCN001\b/i
  },
  {
    name: "no standby",
    says: "no synchronous standby confirms commits",
    lasts: false,
    is: /no synchronous standby confirms/i
  },
  {
    name: "no connection",
    says: "the database cannot be reached",
    lasts: false,
    is: /\b(?:ECONNREFUSED|ECONNRESET|ENOTFOUND|EHOSTUNREACH|ETIMEDOUT|EPIPE|57P0[123]|08\d\d\d)\b|failed to connect|connection (?:terminated|ended|closed|refused)/i
  },
  {
    name: "no answer",
    says: "the database does not answer",
    lasts: false,
    is: /does not answer|timed? ?out/i
  },
  {
    name: "busy",
    says: "the database is busy",
    lasts: false,
    is: /database (?:table )?is locked|too many (?:clients|connections)|\b(?:53300|55P03|40001|40P01)\b/i
  }
]

/** How many causes of causes are followed. */
const DEEPEST = 8

/** What an error and its causes say, and their codes. */
const said = (error: unknown): string => {
  const parts: Array<string> = []
  let at: unknown = error
  for (let depth = 0; depth < DEEPEST && typeof at === "object" && at !== null; depth++) {
    if ("code" in at && typeof at.code === "string") parts.push(at.code)
    if ("message" in at && typeof at.message === "string") parts.push(at.message)
    at = "cause" in at ? at.cause : "reason" in at ? at.reason : undefined
  }
  if (typeof at === "string") parts.push(at)
  return parts.join("\n")
}

/** Why a store failed. */
export type StoreCause = Pick<KnownCause, "name" | "says" | "lasts">

/**
 * Names the cause of a store's failure, by what its driver, the platform, or the causes beneath say. What is
 * not known has the name `failed`. Nothing of the error's own text is in it.
 */
export const storeCause = (error: unknown): StoreCause => {
  const text = said(error)
  const known = KNOWN.find(({ is }) => is.test(text))
  return known ?? { name: "failed", says: "the store failed", lasts: false }
}

/** Most characters of an error's text in the log. */
const MAX_TEXT = 500

/** All that an error and its causes say, on one line of at most 500 characters: for the operator's log. */
export const storeErrorText = (error: unknown): string =>
  [...new Set(said(error).split("\n"))].join("; ").slice(0, MAX_TEXT)
