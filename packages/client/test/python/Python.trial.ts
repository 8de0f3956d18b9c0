/** The Python client's own tests that take seconds, where a Python is here. */
import { describe } from "@effect/vitest"
import { hasPython } from "./PythonHere.ts"
import { isLong, passModules } from "./PythonModules.ts"

describe.skipIf(!hasPython())("the Python client (skipped: no python3 from 3.9 on)", () =>
  passModules(isLong)
)
