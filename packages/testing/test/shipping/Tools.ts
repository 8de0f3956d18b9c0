/** Programs of others that check the files of a shipment, where the machine has them. */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** How a program ended. */
export interface Ran {
  readonly code: number | null
  readonly stdout: string
  /** Both streams. */
  readonly said: string
}

/** Runs a program in the root of the repository to its end. */
export const runTool = (
  [program = "", ...args]: ReadonlyArray<string>,
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {}
): Ran => {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd: root,
    encoding: "utf8",
    ...options,
    env: { ...process.env, ...options.env }
  })
  return { code: status, stdout: stdout ?? "", said: `${stdout ?? ""}${stderr ?? ""}` }
}

/** The first of some commands that a machine has: the one that tells its version. */
export const findTool = (
  candidates: ReadonlyArray<ReadonlyArray<string>>,
  version = "version"
): ReadonlyArray<string> | undefined =>
  candidates.find((command) => runTool([...command, version]).code === 0)

/** The part of a title that says why tests are skipped. */
export const because = (command: ReadonlyArray<string> | undefined, name: string): string =>
  command === undefined ? ` (skipped: no ${name})` : ""
