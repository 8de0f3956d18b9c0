/** Faults that are planted in copies of a SQLite database, and what is expected of each. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { it } from "@effect/vitest"
import type { Machine } from "../../src/doctor/Machine.ts"
import {
  assertFound,
  assertHealthy,
  calmMachine,
  copyFiles,
  type Expected,
  examine,
  type Variables,
  type Ward
} from "./Ward.ts"

/** Runs statements in a file, as somebody with a shell would. */
export const inFile = (file: string, statements: string): void => {
  const db = new DatabaseSync(file)
  db.enableDefensive?.(false)
  db.exec(statements)
  db.close()
}

/** A fault. */
export interface Fault extends Expected {
  readonly name: string
  readonly plant: (database: string) =>
    | {
        readonly variables?: Variables
        readonly machine?: Partial<Machine>
      }
    | undefined
  readonly cure?: (database: string, mend: string) => unknown
}

/** A test for each fault, in a copy of the database of its own in the folder `root`. */
export const planted = (
  faults: ReadonlyArray<Fault>,
  kind: string,
  { root, original }: Pick<Ward, "root" | "original">
) => {
  for (const [index, { name, plant, cure, ...expected }] of faults.entries()) {
    it(`finds ${name}`, async () => {
      const database = copyFiles(original, join(root, `${kind} ${index}`))
      const { variables = {}, machine } = plant(database) ?? {}
      const all = { CAIRN_DATABASE_URL: `sqlite:${database}`, ...variables }
      const results = await examine(
        all,
        machine === undefined ? {} : { machine: { ...calmMachine, ...machine } }
      )
      assertFound(results, expected)
      if (cure === undefined) return
      const { findings } = results.find(({ id }) => id === expected.check) ?? { findings: [] }
      for (const { mend } of findings) await cure(database, mend)
      assertHealthy(await examine(all, {}, expected.check))
    })
  }
}
