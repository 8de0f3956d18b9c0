/** What the manual and the package's README show type-checks strictly as it stands, for whoever pastes it. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const root = fileURLToPath(new URL("../../..", import.meta.url))

/** What a reader has around a snippet that begins in the middle of an application. */
const AROUND: Readonly<Record<string, string>> = {
  Cairn: 'import { Cairn } from "@cairn/client"',
  Outbox: 'import { Outbox } from "@cairn/client/outbox"',
  pgAdapter: 'import { pgAdapter } from "@cairn/client/outbox"',
  auditContext: 'import { auditContext } from "@cairn/client/context"',
  createAudit: 'import { createAudit } from "@cairn/client/context"',
  expect: 'import { expect } from "vitest"',
  cairn: 'declare const cairn: import("@cairn/client").Cairn',
  user: "declare const user: { readonly id: string; readonly company: string }",
  invoice: "declare const invoice: { readonly id: string }",
  id: "declare const id: string",
  url: "declare const url: string",
  apiKey: "declare const apiKey: string | undefined",
  pool: 'declare const pool: import("pg").Pool',
  client: 'declare const client: import("pg").PoolClient',
  tx: 'declare const tx: import("pg").PoolClient',
  rawBody: "declare const rawBody: Uint8Array",
  request: "declare const request: Request",
  payInvoice: "declare const payInvoice: (...given: ReadonlyArray<unknown>) => Promise<void>",
  app: `declare const app: {
    set(name: string, value: unknown): void
    use(middleware: (req: import("express").Request, res: import("node:events"), next: () => void) => void): void
    post(
      path: string,
      handler: (req: import("express").Request, res: { end(): void }) => Promise<void>
    ): void
  }`,
  waitUntil: "declare const waitUntil: (promise: Promise<unknown>) => void"
}

/** What an application with a sign-in declares of its requests. */
const EXPRESS = `declare module "express" {
  import type { IncomingMessage } from "node:http"
  export interface Request extends IncomingMessage {
    readonly ip?: string | undefined
    readonly params: Readonly<Record<string, string>>
    get(name: string): string | undefined
    readonly user?: { readonly id: string; readonly company: string }
  }
}
`

const snippetsOf = async (path: string, language: string): Promise<ReadonlyArray<string>> => {
  const text = await readFile(join(root, path), "utf8")
  return [...text.matchAll(/^```(\w+)\n([^`]*)^```$/gm)].flatMap(([, of, code = ""]) =>
    of === language ? [code] : []
  )
}

/** A snippet, with what it uses and does not say itself. */
const wholeOf = (code: string): string => {
  const lines = Object.entries(AROUND).flatMap(([name, line]) => {
    const isSaid = new RegExp(
      `\\b(?:const|import|import type) (?:${name}\\b|\\{[^}]*\\b${name}\\b[^}]*\\}|\\[[^\\]]*\\b${name}\\b)`
    ).test(code)
    return new RegExp(`(?<![.\\w"'/])${name}\\b(?!:)`).test(code) && !isSaid ? [line] : []
  })
  return `${lines.join("\n")}\n${code}\nexport {}\n`
}

const OPTIONS = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  target: "ES2024",
  lib: ["ES2024", "DOM", "ESNext.AsyncIterable"],
  types: ["node"],
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  customConditions: ["@cairn/source"]
}

const pages = ["docs/Client.md", "packages/client/README.md"]

describe("the TypeScript that the manual of the client shows", () => {
  for (const [module, moduleResolution] of [
    ["nodenext", "nodenext"],
    ["preserve", "bundler"]
  ]) {
    it(`type-checks strictly under ${moduleResolution}`, async () => {
      const folder = await mkdtemp(join(tmpdir(), "cairn-client-doc-"))
      try {
        await symlink(join(root, "node_modules"), join(folder, "node_modules"), "junction")
        await mkdir(join(folder, "src"))
        await writeFile(join(folder, "package.json"), '{"type":"module"}')
        await writeFile(join(folder, "src/express.d.ts"), EXPRESS)
        let count = 0
        for (const page of pages) {
          for (const code of await snippetsOf(page, "ts")) {
            await writeFile(join(folder, `src/${page.replaceAll(/\W/g, "-")}-${count++}.ts`), wholeOf(code))
          }
        }
        assert.isAbove(count, 10)
        const compilerOptions = { ...OPTIONS, module, moduleResolution }
        await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }))
        const tsc = join(root, "node_modules/typescript/bin/tsc")
        const said = await new Promise<string>((resolve) => {
          execFile(process.execPath, [tsc, "-p", folder], (_, out, err) => resolve(out + err))
        })
        assert.strictEqual(said, "")
      } finally {
        await rm(folder, { recursive: true })
      }
    })
  }
})
