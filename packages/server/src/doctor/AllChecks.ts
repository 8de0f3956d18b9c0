/** Every check, in the order in which they are reported: what others depend on comes first. */
import type { Check } from "./Check.ts"
import { ADDRESS_CHECKS } from "./checks/AddressChecks.ts"
import { BACKUP_CHECKS } from "./checks/BackupChecks.ts"
import { CLOCK_CHECKS } from "./checks/ClockChecks.ts"
import { DATABASE_CHECKS } from "./checks/DatabaseChecks.ts"
import { FAILOVER_CHECKS } from "./checks/FailoverChecks.ts"
import { FOLDER_CHECKS } from "./checks/FolderChecks.ts"
import { LOCK_CHECKS } from "./checks/LockChecks.ts"
import { LOG_CHECKS } from "./checks/LogChecks.ts"
import { MACHINE_CHECKS } from "./checks/MachineChecks.ts"
import { PEER_CHECKS } from "./checks/PeerChecks.ts"
import { POSTGRES_CHECKS } from "./checks/PostgresChecks.ts"
import { RECEIVER_CHECKS } from "./checks/ReceiverChecks.ts"
import { SCHEMA_CHECKS } from "./checks/SchemaChecks.ts"
import { SECRET_KEY_CHECKS } from "./checks/SecretKeyChecks.ts"
import { SETTING_CHECKS } from "./checks/SettingChecks.ts"
import { SPREAD_CHECKS } from "./checks/SpreadChecks.ts"
import { SQLITE_CHECKS } from "./checks/SqliteChecks.ts"

/** The checks. */
export const CHECKS: ReadonlyArray<Check> = [
  ...SETTING_CHECKS,
  ...MACHINE_CHECKS,
  ...FOLDER_CHECKS,
  ...DATABASE_CHECKS,
  ...SQLITE_CHECKS,
  ...LOCK_CHECKS,
  ...POSTGRES_CHECKS,
  ...SPREAD_CHECKS,
  ...SCHEMA_CHECKS,
  ...FAILOVER_CHECKS,
  ...SECRET_KEY_CHECKS,
  ...LOG_CHECKS,
  ...CLOCK_CHECKS,
  ...ADDRESS_CHECKS,
  ...PEER_CHECKS,
  ...BACKUP_CHECKS,
  ...RECEIVER_CHECKS
]
