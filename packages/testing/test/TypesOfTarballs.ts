/**
 * A program that checks whether the types in tarballs resolve as their code does, for packages of ES modules
 * only. It prints the problems of each as JSON. One process for all: TypeScript takes longer to load than to
 * check.
 */
import { readFileSync } from "node:fs"
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"

/** How a package of ES modules is not resolved: by require, and by TypeScript's oldest way. */
const IGNORED: ReadonlyArray<string> = ["node10", "node16-cjs"]

const problemsOf = async (tarball: string): Promise<ReadonlyArray<unknown>> => {
  const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))))
  if (checked.types === false) return ["it has no types"]
  return checked.problems.filter(
    (problem) => !("resolutionKind" in problem) || !IGNORED.includes(problem.resolutionKind)
  )
}

const problems: Array<ReadonlyArray<unknown>> = []
for (const tarball of process.argv.slice(2)) problems.push(await problemsOf(tarball))
console.log(JSON.stringify(problems))
