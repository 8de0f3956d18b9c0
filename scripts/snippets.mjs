// Writes what shows how to send an event, from docs/snippets: the part of README between its marks, and
// packages/api/src/SendingSnippets.ts, which /docs shows: `npm run generate:snippets`.
import { readFileSync, writeFileSync } from "node:fs"
import {
  README,
  readmeWithSnippets,
  SNIPPETS_MODULE,
  snippetsModule
} from "../packages/server/test/contract/Snippets.ts"

writeFileSync(README, readmeWithSnippets(readFileSync(README, "utf8")))
writeFileSync(SNIPPETS_MODULE, snippetsModule())
