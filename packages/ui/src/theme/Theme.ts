/** Light or dark, and the accent colour, as the embedding product or else the reader's system wants them. */
import { type Colour, formatColour, readableOn, readColour, textOn } from "./Colour.ts"

type Theme = "light" | "dark"

/** What was chosen of the looks. */
export interface ThemeChoice {
  /** Undefined: as the reader's system is set. */
  readonly theme: Theme | undefined
  /** As asked for; see `readColour`. */
  readonly accent: string | undefined
}

/** Backgrounds that the accent stands on; the same as in the style sheet. */
const BACKGROUNDS: Readonly<Record<Theme, ReadonlyArray<Colour>>> = {
  light: [
    [255, 255, 255],
    [244, 246, 248]
  ],
  dark: [
    [20, 23, 28],
    [29, 34, 41]
  ]
}

const paint = (theme: Theme, accent: Colour | undefined): void => {
  const { dataset, style } = document.documentElement
  dataset.theme = theme
  style.removeProperty("--accent")
  style.removeProperty("--on-accent")
  if (accent === undefined) return
  const readable = readableOn(accent, BACKGROUNDS[theme])
  style.setProperty("--accent", formatColour(readable))
  style.setProperty("--on-accent", formatColour(textOn(readable)))
}

/**
 * Applies the theme, and again when the system's setting changes, unless the embedding product chose one.
 * Returns what ends that: call it before another theme is applied.
 */
export const applyTheme = ({ theme, accent: asked }: ThemeChoice): (() => void) => {
  const accent = readColour(asked ?? "")
  const dark = matchMedia("(prefers-color-scheme: dark)")
  paint(theme ?? (dark.matches ? "dark" : "light"), accent)
  const follow = ({ matches }: MediaQueryListEvent) => paint(matches ? "dark" : "light", accent)
  if (theme === undefined) dark.addEventListener("change", follow)
  return () => dark.removeEventListener("change", follow)
}
