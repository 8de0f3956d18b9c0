/** Metrics as Prometheus' text format has them, for what a test asks of them. */

/** A series and its value. */
export interface ScrapedSeries {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** Every series of a text. */
export const scrapedSeries = (text: string): ReadonlyArray<ScrapedSeries> =>
  text.split("\n").flatMap((line) => {
    const [, name, labels = "", value] = LINE.exec(line) ?? []
    if (name === undefined || value === undefined) return []
    const read = [...labels.matchAll(LABEL)].map(([, key = "", text = ""]) => [key, text] as const)
    return [{ name, labels: Object.fromEntries(read), value: Number(value) }]
  })

/** The value of the series with these labels among others, all added up; undefined if there is none. */
export const scrapedValue = (
  text: string,
  name: string,
  labels: Readonly<Record<string, string>> = {}
): number | undefined => {
  const found = scrapedSeries(text).filter(
    (series) =>
      series.name === name && Object.entries(labels).every(([key, value]) => series.labels[key] === value)
  )
  return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0)
}
