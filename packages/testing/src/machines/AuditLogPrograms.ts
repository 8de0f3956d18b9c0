/** Separate programs for tests: one that records and is killed, and `cairn-verify`. */
import { execFile, spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"

const verifier = fileURLToPath(new URL("../../../verifier/bin/cairn-verify.js", import.meta.url))

/** Runs a program that prints ids and is killed; returns them. Rejects if it ends in any other way. */
export const killedProgram = (program: URL, ...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  new Promise((resolve, reject) => {
    const flags = ["--conditions=@cairn/source", "--disable-warning=ExperimentalWarning"]
    const command = [...flags, fileURLToPath(program), ...args]
    execFile(process.execPath, command, { timeout: 60_000 }, (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL" && stdout !== "") resolve(stdout.split("\n"))
      else reject(new Error(`it was not killed: ${stdout}${stderr}`))
    })
  })

/** The verdict of `cairn-verify` on a bundle, with a key that is trusted. */
export const verdictOf = (bundle: string, key: string): string => {
  const { stdout, stderr } = spawnSync(process.execPath, [verifier, bundle, "--trusted-key", key], {
    encoding: "utf8"
  })
  return /\b(INTACT|TAMPERED|UNREADABLE|UNPROVEN)\b/.exec(stdout)?.[0] ?? `${stdout}${stderr}`
}
