/** A table of things, a row each; on a narrow screen each row is a card whose cells have their names. */
import type { ComponentChildren } from "preact"

/** A column. */
export interface Column<Row> {
  readonly name: string
  /** Whether only those who listen get the name, as for buttons. */
  readonly unnamed?: boolean
  readonly cell: (row: Row) => ComponentChildren
}

/** The table. The first column is what a row is called by. */
export const Table = <Row,>({
  label,
  columns,
  rows,
  keyOf
}: {
  /** What it lists. */
  readonly label: string
  readonly columns: ReadonlyArray<Column<Row>>
  readonly rows: ReadonlyArray<Row>
  readonly keyOf: (row: Row) => string
}) => (
  <table class="table">
    <caption class="hidden">{label}</caption>
    <thead>
      <tr>
        {columns.map(({ name, unnamed }) => (
          <th key={name} scope="col">
            {unnamed === true ? <span class="hidden">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map(({ name, unnamed, cell }, index) =>
            index === 0 ? (
              <th key={name} scope="row">
                {cell(row)}
              </th>
            ) : (
              <td key={name} data-label={unnamed === true ? "" : name}>
                {cell(row)}
              </td>
            )
          )}
        </tr>
      ))}
    </tbody>
  </table>
)
