/** The Python of this machine, and the client for it. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { startProgram, type TrackedProcess } from "../../../server/test/support/CairnProcess.ts"

/** The folder of the Python client. */
export const PYTHON_CLIENT = fileURLToPath(new URL("../../../../clients/python/", import.meta.url))

/** Variables with which Python finds the client. */
export const PYTHON_ENVIRONMENT = {
  PYTHONPATH: [join(PYTHON_CLIENT, "src"), PYTHON_CLIENT].join(":"),
  PYTHONDONTWRITEBYTECODE: "1"
}

/** Tests that hang say where, shortly before nobody waits for them any more. */
export const PYTHON_PATIENCE = { CAIRN_TEST_PATIENCE: "170" }

/** Whether a Python is here that is new enough. */
export const hasPython = (): boolean =>
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0

/** Starts a module of the client's tests. */
export const startPython = (
  module: string,
  args: ReadonlyArray<string>,
  variables: Record<string, string> = {}
): TrackedProcess => startProgram("python3", ["-m", module, ...args], { ...PYTHON_ENVIRONMENT, ...variables })
