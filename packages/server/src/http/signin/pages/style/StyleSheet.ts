/**
 * The style sheet of the pages. It is a module, so that it is in the bundle, and its path changes with its
 * text, so that a browser may keep it for ever.
 */
import { createHash } from "node:crypto"
import { colours } from "./Colours.ts"
import { forms } from "./Forms.ts"
import { frame } from "./Frame.ts"
import { lists } from "./Lists.ts"
import { modes } from "./Modes.ts"
import { pictures } from "./Pictures.ts"
import { words } from "./Words.ts"

// What is for a few comes last, so that it holds.
const text = [colours, frame, words, forms, lists, pictures, modes]
  .map((part) => `${part.trim()}\n`)
  .join("\n")

/** The style sheet, at a path that names its content by 16 digits of its SHA-256. */
export const STYLE_SHEET = {
  path: `/sign-in/${createHash("sha256").update(text).digest("hex").slice(0, 16)}.css`,
  text,
  contentType: "text/css; charset=utf-8"
} as const
