/** Browsers and systems by what they call themselves, for people who look for a session they know. */

/** What a browser says of itself; undefined where that is not simple to tell. */
export interface Device {
  readonly browser: string | undefined
  readonly system: string | undefined
}

/** A name, and the marks of which one is in the text of `User-Agent`. */
type Marks = readonly [name: string, ...marks: ReadonlyArray<string>]

/** The first that fits counts: most browsers also name the one that they are made from. */
const BROWSERS: ReadonlyArray<Marks> = [
  ["Edge", "Edg/", "EdgA/", "EdgiOS/"],
  ["Opera", "OPR/", "OPT/"],
  ["Vivaldi", "Vivaldi/"],
  ["Samsung Internet", "SamsungBrowser/"],
  ["Firefox", "Firefox/", "FxiOS/"],
  ["Chrome", "Chrome/", "CriOS/"],
  ["Safari", "Safari/"],
  ["curl", "curl/"]
]

/** Telephones name the system that theirs is made from, too. */
const SYSTEMS: ReadonlyArray<Marks> = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["ChromeOS", "CrOS"],
  ["Windows", "Windows NT"],
  ["macOS", "Macintosh", "Mac OS X"],
  ["Linux", "Linux"]
]

const find = (table: ReadonlyArray<Marks>, text: string): string | undefined =>
  table.find(([, ...marks]) => marks.some((mark) => text.includes(mark)))?.[0]

/** The browser and system of a `User-Agent` (RFC 9110 section 10.1.5). */
export const deviceOf = (userAgent: string): Device => ({
  browser: find(BROWSERS, userAgent),
  system: find(SYSTEMS, userAgent)
})
