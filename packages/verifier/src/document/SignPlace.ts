/** The place to sign: where what was typed in came from, what the signature says, and room for remarks. */
import type { BroughtName } from "../report/Obligations.ts"
import type { Outcome } from "./Outcome.ts"
import { element, type PageElement } from "./PageElement.ts"

/** Where it came from, which only who checked knows. */
const ORIGINS: Readonly<Record<BroughtName, string>> = {
  trusted_key: "Where the key came from",
  anchor_address: "Where the account came from",
  block_hash: "Where the blocks were looked up",
  rpc: "Where the blocks were looked up",
  earlier: "Where the earlier file was kept"
}

const SIGNED = ["Name and function", "Date", "Signature"]

const lines = (kind: string, names: ReadonlyArray<string>): PageElement =>
  element(
    "div",
    { class: `signature ${kind}` },
    ...names.map((name) => element("p", {}, element("span", { class: "label" }, `${name}:`)))
  )

/** Lines to fill in; of what was not given there is none. */
export const signPlace = ({ brought, earlier }: Outcome): PageElement => {
  const origins = [...new Set(brought.map(({ name }) => ORIGINS[name]))]
  const files = earlier === null ? "this file" : "these two files"
  const whence = origins.length === 0 ? "" : ", and what I gave to compare with came from where it says here"
  return element(
    "div",
    { class: "signing" },
    ...(origins.length === 0 ? [] : [lines("origins", origins)]),
    lines("remarks", ["Remarks"]),
    element("p", {}, `My signature says: I checked ${files}, with the result above${whence}.`),
    lines("names", SIGNED)
  )
}
