/** The outbox over Prisma, which is fetched and generated first; skipped where that cannot be done. */
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, assert, it } from "@effect/vitest"
import { npmToolsOf, run } from "../../../server/test/contract/Tools.ts"
import { Outbox, type PrismaDatabase, type PrismaTransaction, prismaAdapter } from "../../src/outbox/index.ts"
import { type Driver, unitOf } from "./Applications.ts"
import { outboxContract } from "./OutboxContract.ts"

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const TYPESCRIPT = here("../../../../node_modules/typescript/bin/tsc")

/** What of a generated client the suite uses; that its types fit without a cast is what `Fits.ts` shows. */
interface Client extends PrismaDatabase {
  $transaction(
    body: (tx: PrismaTransaction) => Promise<void>,
    options: {
      readonly isolationLevel?: "RepeatableRead" | "Serializable"
      readonly timeout: number
      readonly maxWait: number
    }
  ): Promise<void>
  $disconnect(): Promise<void>
}

const TYPES = {
  compilerOptions: {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "es2024",
    lib: ["es2025"],
    module: "nodenext",
    moduleResolution: "nodenext",
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: ["node"],
    typeRoots: [here("../../../../node_modules/@types")],
    paths: { "@cairn/client/outbox": [here("../../src/outbox/index.ts")] }
  },
  include: ["Fits.ts"]
}

/** A folder with the generated client, or why there is none. */
const generated = async (): Promise<{ readonly home: string } | { readonly missing: string }> => {
  const tools = await npmToolsOf("prisma", here("tools/prisma"))
  if ("missing" in tools) return tools
  const home = await mkdtemp(join(tmpdir(), "cairn-prisma-"))
  await cp(here("tools/prisma"), home, { recursive: true })
  await symlink(join(tools.folder, "node_modules"), join(home, "node_modules"))
  await writeFile(join(home, "package.json"), JSON.stringify({ type: "module" }))
  await writeFile(join(home, "tsconfig.json"), JSON.stringify(TYPES))
  const cli = join(tools.folder, "node_modules/prisma/build/index.js")
  // It would download an engine that changes schemas, which nothing here uses: any program stands in for it.
  const env = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: "1" }
  const { code, said } = await run(process.execPath, [cli, "generate"], { cwd: home, env })
  return code === 0 ? { home } : { missing: `prisma generate failed: ${said}` }
}

const found = await generated()

const driverOf = (connect: (url: string) => Client): Driver => ({
  name: "Prisma",
  dialect: "postgres",
  start: (url, options) => {
    const prisma = connect(url)
    const outbox = new Outbox(prismaAdapter(prisma), options)
    return {
      outbox,
      transaction: (body, isolation = undefined) =>
        prisma.$transaction(
          (tx) =>
            body(
              unitOf(
                (event) => outbox.audit(tx, event),
                (text) => Promise.resolve(tx.$executeRawUnsafe(text))
              )
            ),
          {
            timeout: 60_000,
            maxWait: 60_000,
            ...(isolation && {
              isolationLevel: isolation === "serializable" ? "Serializable" : "RepeatableRead"
            })
          }
        ),
      query: async (text) => (await prisma.$queryRawUnsafe(text)) as ReadonlyArray<Record<string, unknown>>,
      end: () => prisma.$disconnect()
    }
  }
})

if ("missing" in found) {
  it.skip(`an outbox over Prisma: ${found.missing}`)
} else {
  const { home } = found
  afterAll(() => rm(home, { recursive: true, force: true }))

  it("takes a client of Prisma and its transactions without a cast, and no client in the place of one", async () => {
    const { code, said } = await run(process.execPath, [TYPESCRIPT, "-p", "."], { cwd: home })
    assert.strictEqual(code, 0, said)
  })

  const { connect }: { readonly connect: (url: string) => Client } = await import(
    pathToFileURL(join(home, "Connect.ts")).href
  )
  outboxContract(driverOf(connect))
}
