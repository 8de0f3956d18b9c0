/**
 * The accent colour, made readable: whatever is asked for, text in it and on it has the contrast that WCAG
 * 2.2 asks for.
 */

/** Red, green and blue, 0 to 255. */
export type Colour = readonly [number, number, number]

/** WCAG 2.2 success criterion 1.4.3, for text of ordinary size. */
const READABLE = 4.5

/** A colour as `#rgb` or `#rrggbb`, the number sign optional; undefined for anything else. */
export const readColour = (text: string): Colour | undefined => {
  const digits = text.replace(/^#/, "")
  const long = /^[0-9a-f]{3}$/i.test(digits) ? digits.replaceAll(/./g, "$&$&") : digits
  if (!/^[0-9a-f]{6}$/i.test(long)) return undefined
  const channel = (index: number) => Number.parseInt(long.slice(index, index + 2), 16)
  return [channel(0), channel(2), channel(4)]
}

/** WCAG 2.2, "relative luminance". */
const luminance = (colour: Colour): number => {
  const [red, green, blue] = colour.map((channel) => {
    const share = channel / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0)
}

/** WCAG 2.2, "contrast ratio": 1 to 21. */
export const contrast = (one: Colour, other: Colour): number => {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)
}

const mix = (from: Colour, to: Colour, share: number): Colour => {
  const channel = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * share)
  return [channel(0), channel(1), channel(2)]
}

const WHITE: Colour = [255, 255, 255]
const BLACK: Colour = [0, 0, 0]

/** The colour, as far towards black or white as it must go to be readable on each of `backgrounds`. */
export const readableOn = (colour: Colour, backgrounds: ReadonlyArray<Colour>): Colour => {
  const isDark = backgrounds.every((background) => luminance(background) < 0.18)
  for (let step = 0; step <= 20; step++) {
    const candidate = mix(colour, isDark ? WHITE : BLACK, step / 20)
    if (backgrounds.every((background) => contrast(candidate, background) >= READABLE)) return candidate
  }
  return isDark ? WHITE : BLACK
}

/** Black or white, whichever is more readable on the colour. */
export const textOn = (colour: Colour): Colour =>
  contrast(WHITE, colour) >= contrast(BLACK, colour) ? WHITE : BLACK

/** The colour in CSS form. */
export const formatColour = (colour: Colour): string => `rgb(${colour.join(" ")})`
