/**
 * The order in which the files of a run begin. Vitest knows how long they took only where it has run them
 * before, and otherwise begins with the largest: a long one that begins last runs beside idle cores.
 */
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { BaseSequencer, type TestSpecification } from "vitest/node"

const ROOT = fileURLToPath(new URL("../..", import.meta.url))

/** The trials that take more than a minute, the longest first. */
export const LONGEST: ReadonlyArray<string> = [
  "packages/server/test/hold/Console.test.ts",
  "packages/server/test/http/signin/pages/EveryPage.trial.ts",
  "packages/server/test/hold/ThreatModel.test.ts",
  "packages/testing/test/Publish.trial.ts",
  "packages/server/test/hold/ConsoleTasks.test.ts",
  "packages/server/test/hold/ConsoleHostile.test.ts",
  "packages/server/test/hold/AnchorTampering.test.ts",
  "packages/server/test/hold/Announcements.test.ts",
  "packages/storage-postgres/test/Explain.trial.ts",
  "packages/storage-postgres/test/PostgresStorage.trial.ts",
  "packages/server/test/hold/SignInCrash.test.ts",
  "packages/server/test/hold/Demo.test.ts",
  "packages/server/test/hold/Evidence.test.ts",
  "packages/core/test/CostOfLength.trial.ts",
  "packages/server/test/contract/Requests.trial.ts",
  "packages/testing/test/RegularExpressions.trial.ts"
]

/** Those of {@link LONGEST} in its order, and then the others in theirs. */
export const longestFirst = <File>(
  files: ReadonlyArray<File>,
  pathOf: (file: File) => string
): Array<File> => {
  const place = (file: File) => {
    const at = LONGEST.indexOf(pathOf(file))
    return at === -1 ? LONGEST.length : at
  }
  return files.toSorted((one, other) => place(one) - place(other))
}

/** The sequencer; vitest makes it. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    return longestFirst(await super.sort(files), ({ moduleId }) => relative(ROOT, moduleId))
  }
}
