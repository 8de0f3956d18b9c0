/** Names of things that a filter knows by their ids: of what was chosen by name, and of what is in sight. */
import type { ValuesName } from "../../place/Filter.ts"
import type { LogReader } from "../LogReader.ts"

/** Rows that are looked at. */
const ROWS = 50

/** Names by which values were chosen. */
export class ValueNames {
  readonly #names = new Map<string, string>()

  learn(name: ValuesName, value: string, text: string): void {
    this.#names.set(`${name} ${value}`, text)
  }

  /** The name of a resource or a target; undefined where none is known. */
  of(reader: LogReader, name: ValuesName, value: string): string | undefined {
    if (name !== "resource_id" && name !== "target_id") return undefined
    const pages = reader.pages.value
    pages.followed()
    for (let row = 0; row < Math.min(ROWS, pages.rows); row++) {
      const { resource, targets = [] } = pages.at(row) ?? {}
      const things = name === "target_id" ? targets : [resource]
      const found = things.find((thing) => thing?.id === value)?.name
      if (found) return found
    }
    return this.#names.get(`${name} ${value}`)
  }
}
