// Writes the client's types from the OpenAPI document: `npm run generate:client`.
import { writeFile } from "node:fs/promises"
import { generateTypes, SCHEMA_FILE } from "../packages/client/test/GeneratedTypes.ts"

const generated = await generateTypes()
if ("missing" in generated) throw new Error(generated.missing)
await writeFile(SCHEMA_FILE, generated.text)
