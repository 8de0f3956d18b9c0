/** One line of the table. */
export interface Row {
  /** Its number in docs/Performance.md. */
  readonly number: string
  readonly what: string
  /** What it is held against, in the same unit; absent for absolute targets. */
  readonly limit?: number
  readonly measured: number
  readonly unit: string
  readonly target: string
  readonly met: boolean
  readonly note?: string
}

/** How long and where to measure. */
export interface Settings {
  /** Seconds of each load. */
  readonly seconds: number
}

/** A row held against a limit: `measured / limit` must reach `atLeast`. */
export const ratioRow = (
  row: Omit<Row, "target" | "met" | "limit"> & {
    readonly limit: number
    readonly atLeast: number
    readonly also?: boolean
  }
): Row => {
  const { atLeast, also = true, ...rest } = row
  return { ...rest, target: `≥ ${atLeast} of the limit`, met: row.measured / row.limit >= atLeast && also }
}

const number = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString("en") : value >= 10 ? value.toFixed(1) : value.toFixed(2)

/** The table as Markdown. */
export const table = (rows: ReadonlyArray<Row>): string =>
  [
    "| # | what | limit | measured | ratio | target | met |",
    "|---|---|---|---|---|---|---|",
    ...rows.map(({ number: id, what, limit, measured, unit, target, met, note }) =>
      [
        "",
        id,
        note === undefined ? what : `${what} (${note})`,
        limit === undefined ? "" : `${number(limit)} ${unit}`,
        `${number(measured)} ${unit}`,
        limit === undefined ? "" : (measured / limit).toFixed(2),
        target,
        met ? "yes" : "**no**",
        ""
      ]
        .join(" | ")
        .trim()
    )
  ].join("\n")
