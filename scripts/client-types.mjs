// Writes what the clients have from the OpenAPI document: `npm run generate:client`.
import { writeFile } from "node:fs/promises"
import { generateTypes, SCHEMA_FILE } from "../packages/client/test/GeneratedTypes.ts"
import { generatePython, PYTHON_FILES } from "../packages/client/test/python/GeneratedPython.ts"

const python = await generatePython()
await writeFile(PYTHON_FILES.types, python.types)
await writeFile(PYTHON_FILES.endpoints, python.endpoints)

const generated = await generateTypes()
if ("missing" in generated) throw new Error(generated.missing)
await writeFile(SCHEMA_FILE, generated.text)
