/** `cairn doctor` */
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { CHECKS } from "../doctor/AllChecks.ts"
import { admit, diagnose } from "../doctor/Diagnosis.ts"
import { doctorText, isHealthy } from "../doctor/DoctorText.ts"
import { version } from "../Version.ts"
import { EXIT_CODES } from "./Failure.ts"
import { leavingLooseEnds, readTimeout, timeoutFlag } from "./LooseEnds.ts"
import { json, print } from "./Shared.ts"

/** `cairn doctor` */
export const doctorCommand = Command.make(
  "doctor",
  {
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("List every check, also those that have found nothing"),
      Flag.withDefault(false)
    ),
    ntp: Flag.String("ntp").pipe(
      Flag.withDescription("A time server to compare this machine's clock with, such as pool.ntp.org"),
      Flag.optional
    ),
    timeout: timeoutFlag,
    json
  },
  Effect.fn(function* ({ all, ntp, timeout, json: asJson }) {
    const limits = yield* readTimeout(timeout)
    const patient = yield* admit({ environment: process.env, ntp: Option.getOrNull(ntp), limits })
    const results = yield* diagnose(CHECKS, patient)
    const healthy = isHealthy(results)
    yield* print(asJson, { version, healthy, checks: results }, doctorText(results, all))
    if (!healthy) process.exitCode = EXIT_CODES.does_not_hold
  }, leavingLooseEnds)
).pipe(
  Command.withExamples([{ command: "cairn doctor" }, { command: "cairn doctor --json" }]),
  Command.withDescription(
    "Look for what is wrong with the settings, the machine, the database and what the server talks to, and say what mends it. Changes nothing, and works beside a running server; fails when there is an error"
  )
)
