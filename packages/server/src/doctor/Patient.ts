/** What is examined: an installation, by its environment and the machine that it runs on. */
import type { Effect } from "effect"
import type { Configuration } from "../settings/Configuration.ts"
import type { Environment } from "../settings/SettingDeclaration.ts"
import type { Limits } from "./Deadline.ts"
import type { Machine } from "./Machine.ts"
import type { OpenedDatabase } from "./OpenedDatabase.ts"
import type { ReadSettings } from "./WrongSettings.ts"

/** The installation. */
export interface Patient extends ReadSettings {
  /** The environment as it was given. */
  readonly given: Environment
  readonly settings: Configuration
  readonly machine: Machine
  readonly limits: Limits
  /** A time server to ask, if one was named. */
  readonly ntp: string | null
  /** Opens the database once, only to read; fails with what its driver says. */
  readonly opening: Effect.Effect<OpenedDatabase, unknown>
}
