/** The kinds of events that a picture and a colour tell apart, beside the words. */
export const KINDS = [
  "access",
  "add",
  "change",
  "document",
  "failure",
  "machine",
  "money",
  "other",
  "people",
  "permission",
  "read",
  "remove",
  "settings",
  "transfer"
] as const
export type Kind = (typeof KINDS)[number]
