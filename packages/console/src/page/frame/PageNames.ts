/** The pages of a workspace, by the part of the address that names them. */
import type { GlyphName } from "@cairn/ui/parts"
import type { Permission } from "../data/Session.ts"

/** The page's part of the address; empty for the first one. */
export type PageName =
  | ""
  | "events"
  | "integrity"
  | "exports"
  | "check"
  | "alerts"
  | "rules"
  | "webhooks"
  | "streams"
  | "viewer"
  | "keys"
  | "members"
  | "retention"
  | "usage"
  | "settings"

/** A page in the navigation. */
export interface PageEntry {
  readonly name: PageName
  readonly glyph: GlyphName
  /** What the person must be allowed for the page to be of use. */
  readonly permission: Permission
}

/** The pages as the navigation groups them; the first group has no heading. */
export const PAGE_GROUPS: ReadonlyArray<{
  readonly group: "log" | "watch" | "deliver" | "workspace" | undefined
  readonly pages: ReadonlyArray<PageEntry>
}> = [
  { group: undefined, pages: [{ name: "", glyph: "overview", permission: "workspace:read" }] },
  {
    group: "log",
    pages: [
      { name: "events", glyph: "events", permission: "events:read" },
      { name: "integrity", glyph: "shield", permission: "log:verify" },
      { name: "exports", glyph: "download", permission: "exports:read" },
      { name: "check", glyph: "filecheck", permission: "log:verify" }
    ]
  },
  {
    group: "watch",
    pages: [
      { name: "alerts", glyph: "alert", permission: "alerts:read" },
      { name: "rules", glyph: "rule", permission: "alert_rules:read" }
    ]
  },
  {
    group: "deliver",
    pages: [
      { name: "webhooks", glyph: "webhook", permission: "webhooks:read" },
      { name: "streams", glyph: "stream", permission: "log_streams:read" },
      { name: "viewer", glyph: "eye", permission: "viewer_tokens:create" }
    ]
  },
  {
    group: "workspace",
    pages: [
      { name: "keys", glyph: "key", permission: "api_keys:read" },
      { name: "members", glyph: "people", permission: "members:read" },
      { name: "retention", glyph: "retention", permission: "workspace:read" },
      { name: "usage", glyph: "meter", permission: "usage:read" },
      { name: "settings", glyph: "settings", permission: "workspace:read" }
    ]
  }
]

/** All pages. */
export const PAGES: ReadonlyArray<PageEntry> = PAGE_GROUPS.flatMap(({ pages }) => pages)
