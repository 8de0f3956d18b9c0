/** Browsers by their names, and sessions by members. */
import type { Schemas } from "../../data/Schemas.ts"

const BROWSERS = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"]
] as const

const SYSTEMS = [
  ["Windows", "Windows"],
  ["Android", "Android"],
  ["iPhone", "iOS"],
  ["iPad", "iPadOS"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"]
] as const

/**
 * What a browser and its system are called, such as "Firefox, Linux"; the text itself where it is none of the
 * common ones.
 */
export const deviceOf = (userAgent: string): string => {
  const find = (table: ReadonlyArray<readonly [sign: string, name: string]>) =>
    table.find(([sign]) => userAgent.includes(sign))?.[1]
  const names = [find(BROWSERS), find(SYSTEMS)].filter((name) => name !== undefined)
  return names.length === 2 ? names.join(", ") : userAgent
}

/** When members signed in last, by their ids, and in how many places they are; newest sessions come first. */
export const signInsOf = (
  sessions: ReadonlyArray<Pick<Schemas["MemberSession"], "member_id" | "created_at">>
): ReadonlyMap<string, { readonly last: string; readonly count: number }> => {
  const found = new Map<string, { readonly last: string; readonly count: number }>()
  for (const { member_id, created_at } of sessions) {
    const before = found.get(member_id)
    found.set(member_id, { last: before?.last ?? created_at, count: (before?.count ?? 0) + 1 })
  }
  return found
}
