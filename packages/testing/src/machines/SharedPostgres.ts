/** One PostgreSQL server for all files of a run, which starts when the first of them asks for it. */
import { inject } from "vitest"
import { databasesOn, type TestDatabases } from "./EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** Where the run's setup returns the port of the shared server. */
    readonly postgresAddress: string
  }
}

/**
 * The databases of the shared server. Others use it at the same time, and it is never stopped, frozen or
 * configured: a test that does so, or looks at the whole server, starts its own.
 */
export const sharedPostgres = async (): Promise<TestDatabases> => {
  const answer = await fetch(inject("postgresAddress"))
  const text = await answer.text()
  if (!answer.ok) throw new Error(`the shared PostgreSQL did not start: ${text}`)
  return databasesOn(Number(text))
}
