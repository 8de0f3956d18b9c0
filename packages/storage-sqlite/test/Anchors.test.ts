import { rmSync } from "node:fs"
import { join } from "node:path"
import { SqliteStorage } from "@cairn/storage-sqlite"
import { anchorsContract } from "@cairn/testing"
import { quickFolder } from "@cairn/testing/TestFolders"
import { afterAll } from "vitest"

const folder = quickFolder("cairn-anchors-")
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let databases = 0

anchorsContract("SQLite", () => SqliteStorage.layer({ filename: join(folder, `${databases++}`, "cairn.db") }))
