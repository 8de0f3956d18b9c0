import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { anchorsContract } from "@cairn/testing"
import { afterAll } from "vitest"

const folder = mkdtempSync(join(tmpdir(), "cairn-anchors-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let databases = 0

anchorsContract("SQLite", () => SqliteStorage.layer({ filename: join(folder, `${databases++}`, "cairn.db") }))
