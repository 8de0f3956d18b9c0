import { copyFileSync, mkdirSync } from "node:fs"
import { basename, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import {
  type ChainBreak,
  ChainVerification,
  contentHash,
  eventHash,
  type EventHeader,
  Micros,
  type Sha256Shape
} from "@cairn/core"
import { siblingFile } from "@cairn/storage-sqlite"
import { ordinaryEvents } from "@cairn/testing"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createHash } from "node:crypto"
import { apiClient } from "../support/ApiClient.ts"
import { cairn, killLeftovers, startServer } from "../support/CairnProcess.ts"
import { temporaryFolder } from "../support/TemporaryFolder.ts"
