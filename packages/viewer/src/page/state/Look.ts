/** How the page looks, as the product that embeds it chose. */
import { applyTheme } from "@cairn/ui/theme"
import type { Appearance } from "./Address.ts"

/** What stands behind a font that the reader's system lacks. */
const FALLBACK = "system-ui, sans-serif"

/** Applies it. Returns what ends that: call it before another look is applied. */
export const applyLook = (appearance: Appearance): (() => void) => {
  const { font, isTransparent } = appearance
  const { style } = document.documentElement
  // What is no list of fonts is left out by the browser.
  style.fontFamily = ""
  if (font !== undefined) style.fontFamily = `${font}, ${FALLBACK}`
  style.background = isTransparent ? "transparent" : ""
  return applyTheme(appearance)
}
