import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { secretKeyFile } from "@cairn/storage-sqlite"
import { assert, describe, it } from "@effect/vitest"
import { keyAdvice } from "../../src/command/BackupCommand.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"

const database = join(temporaryFolder(), "cairn.db")

describe("what a backup says of the key", () => {
  it("is to keep what there is, and that there is none where the file is gone", () => {
    assert.include(keyAdvice(false, database), `${secretKeyFile(database)} is not there either`)
    assert.include(keyAdvice(true, database), "keep CAIRN_SECRET_KEY apart")
    writeFileSync(secretKeyFile(database), "x")
    assert.include(keyAdvice(false, database), `keep ${secretKeyFile(database)} apart`)
  })
})
