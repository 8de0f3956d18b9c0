/** The databases that are measured. */
export type Product = "SQLite" | "PostgreSQL"

/** One line of the table. */
export interface Row {
  /** Its number in docs/Performance.md; a letter behind it where the line has no number of its own. */
  readonly number: string
  readonly what: string
  /** Absent where no database takes part. */
  readonly database?: Product
  /** What it is held against, in the same unit; absent for absolute targets. */
  readonly limit?: number
  readonly measured: number
  readonly unit: string
  readonly target: string
  readonly met: boolean
  readonly note?: string
}

/** How long and how much to measure. */
export interface Settings {
  /** Seconds of each load. */
  readonly seconds: number
  /** Whether lists are also measured on 10^7 events. */
  readonly large: boolean
  /** Whether what an event costs is printed by stage too. */
  readonly stages: boolean
  /** The command's file of another commit's bundle, to be measured beside this one's. */
  readonly against?: string
  /** Workspaces of the rows with many. */
  readonly workspaces: number
  /** Events that lists, searches and exports are measured on, but for the large ones: 10^6 unless set. */
  readonly events: number
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

/** A row that must not exceed a bound of the same unit. */
export const boundedRow = (row: Omit<Row, "target" | "met"> & { readonly atMost: number }): Row => {
  const { atMost, ...rest } = row
  return { ...rest, target: `≤ ${atMost} ${row.unit}`, met: row.measured <= atMost }
}

/** A figure as the table and its notes show it. */
export const figure = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString("en") : value >= 10 ? value.toFixed(1) : value.toFixed(2)

const order = (one: Row, other: Row): number =>
  Number.parseFloat(one.number) - Number.parseFloat(other.number) ||
  (one.number < other.number ? -1 : one.number > other.number ? 1 : 0)

/** The table as Markdown, by the numbers of the rows. */
export const table = (rows: ReadonlyArray<Row>): string =>
  [
    "| # | what | database | limit | measured | ratio | target | met |",
    "|---|---|---|---|---|---|---|---|",
    ...rows
      .toSorted(order)
      .map(({ number: id, what, database, limit, measured, unit, target, met, note }) =>
        [
          "",
          id,
          note === undefined ? what : `${what} (${note})`,
          database ?? "",
          limit === undefined ? "" : `${figure(limit)} ${unit}`,
          `${figure(measured)} ${unit}`,
          limit === undefined ? "" : (measured / limit).toFixed(2),
          target,
          met ? "yes" : "**no**",
          ""
        ]
          .join(" | ")
          .trim()
      )
  ].join("\n")
