/** `cairn support-bundle FILE` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { admit } from "../doctor/Diagnosis.ts"
import { writeBundle } from "../doctor/support/SupportBundle.ts"
import { leavingLooseEnds, readTimeout, timeoutFlag } from "./LooseEnds.ts"
import { json, print } from "./Shared.ts"

/** `cairn support-bundle FILE` */
export const supportBundleCommand = Command.make(
  "support-bundle",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File to write (.tar.gz), which must not exist yet")
    ),
    log: Flag.String("log").pipe(
      Flag.withDescription("File with the log of the server, of which the newest lines are included"),
      Flag.optional
    ),
    timeout: timeoutFlag,
    json
  },
  Effect.fn(function* ({ file, log, timeout, json: asJson }) {
    const patient = yield* admit({ environment: process.env, limits: yield* readTimeout(timeout) })
    const written = yield* writeBundle(patient, file, Option.getOrNull(log))
    const text = `${file}: ${written.files.join(", ")}\nLook at it before you send it: tar -xzOf ${file} | less`
    yield* print(asJson, { file, ...written }, text)
  }, leavingLooseEnds)
).pipe(
  Command.withExamples([{ command: "cairn support-bundle cairn-support.tar.gz --log /var/log/cairn.log" }]),
  Command.withDescription(
    "Write what a maintainer needs to help: what cairn doctor finds, versions, settings without secrets, sizes and metrics; nothing of any event, person or customer"
  )
)
