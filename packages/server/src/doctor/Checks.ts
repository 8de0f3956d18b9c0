/** Every check, in the order in which they are told: what others depend on comes first. */
import type { Check } from "./Check.ts"
import { DATABASE_CHECKS } from "./checks/DatabaseChecks.ts"
import { FOLDER_CHECKS } from "./checks/FolderChecks.ts"
import { MACHINE_CHECKS } from "./checks/MachineChecks.ts"
import { POSTGRES_CHECKS } from "./checks/PostgresChecks.ts"
import { SETTING_CHECKS } from "./checks/SettingChecks.ts"
import { SQLITE_CHECKS } from "./checks/SqliteChecks.ts"

/** The checks. */
export const CHECKS: ReadonlyArray<Check> = [
  ...SETTING_CHECKS,
  ...MACHINE_CHECKS,
  ...FOLDER_CHECKS,
  ...DATABASE_CHECKS,
  ...SQLITE_CHECKS,
  ...POSTGRES_CHECKS
]
