/** A state in a word, with a picture, so that nobody needs its colour. */
import type { ComponentChildren } from "preact"
import { Glyph, type GlyphName } from "./Glyph.tsx"

/** How a state is: well, in need of somebody, broken, at rest, or going on. */
export type Tone = "good" | "warning" | "bad" | "calm" | "busy"

const GLYPHS: Readonly<Record<Tone, GlyphName>> = {
  good: "check",
  warning: "warning",
  bad: "cross",
  calm: "pause",
  busy: "clock"
}

/** The state. `glyph` is the picture where that of the tone says something else. */
export const Badge = ({
  tone,
  glyph = GLYPHS[tone],
  children
}: {
  readonly tone: Tone
  readonly glyph?: GlyphName
  readonly children: ComponentChildren
}) => (
  <span class="badge" data-tone={tone}>
    <Glyph name={glyph} />
    {children}
  </span>
)
