import { MIGRATIONS } from "@cairn/storage-postgres"
import { isEndurance } from "@cairn/testing/SeededTrial"
import { describe } from "@effect/vitest"
import { BEFORE_VALUES, earlierMigrations } from "./EarlierMigrations.ts"

/**
 * The migrations that a database is at before it is brought up to date: in the short form every third and the
 * newest ones.
 */
const starts = Array.from({ length: MIGRATIONS.length - 1 }, (_, index) => index + 1).filter(
  (number) => isEndurance() || number % 3 === 1 || number >= BEFORE_VALUES
)

describe("migrations of PostgreSQL", () => earlierMigrations(starts))
