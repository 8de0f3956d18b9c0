/** Checks of the settings themselves. */
import { secretKeyFile } from "@cairn/storage-sqlite"
import { Effect } from "effect"
import { fileVariable, isFromFile } from "../../settings/SecretFiles.ts"
import { SETTINGS } from "../../settings/Settings.ts"
import { unknownVariables } from "../../settings/UnknownVariables.ts"
import { type Check, type Finding, fault, warning } from "../Check.ts"
import type { Patient } from "../Patient.ts"
import { shellWord } from "../ShellWords.ts"

const settings: Check = {
  id: "settings",
  title: "Settings",
  looks: "Whether each variable has a value that is allowed, and those that belong together agree",
  needs: [],
  run: ({ wrong }) => Effect.succeed(wrong.map(({ cause, mend }) => fault(cause, mend)))
}

const unknown: Check = {
  id: "settings-unknown",
  title: "Names of settings",
  looks: "Whether there is a `CAIRN_…` variable that the server does not know, and silently ignores",
  needs: [],
  run: ({ given }) =>
    Effect.succeed(
      unknownVariables(given).map((line) =>
        warning(line, `correct or unset ${line.slice(0, line.indexOf(" "))}`)
      )
    )
}

/** The files that hold secrets. */
const secretFiles = ({ given, settings: { database, anchor } }: Patient): ReadonlyArray<string> => [
  ...Object.values(SETTINGS)
    .filter(isFromFile)
    .flatMap((setting) => given[fileVariable(setting)] ?? []),
  ...(anchor.privateKey.includes("/") ? [anchor.privateKey] : []),
  ...(database.kind === "sqlite" ? [secretKeyFile(database.filename)] : [])
]

/** Others than the owner and the group may read it. */
const OTHERS = 0o004

const secretRights: Check = {
  id: "secret-files",
  title: "Files with secrets",
  looks: "Whether every user of the machine can read a file that holds a secret",
  needs: [],
  run: (patient) =>
    Effect.map(
      Effect.forEach(secretFiles(patient), (file) =>
        Effect.map(patient.machine.rights(file), (rights): ReadonlyArray<Finding> => {
          if (rights === null || (rights.mode & OTHERS) === 0) return []
          const mode = rights.mode.toString(8)
          return [
            warning(
              `every user of the machine can read ${file} (mode ${mode})`,
              `chmod 600 ${shellWord(file)}`
            )
          ]
        })
      ),
      (found) => found.flat()
    )
}

/** Checks of the settings. */
export const SETTING_CHECKS: ReadonlyArray<Check> = [settings, unknown, secretRights]
