/** A real EVM node for a test, which mines when it is told to. */
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"

/** The program itself: whoever stops the package's wrapper leaves the program running. */
const program = (): string => {
  const require = createRequire(import.meta.url)
  const platform = process.platform === "win32" ? "win32" : process.platform
  const name = `@foundry-rs/anvil-${platform}-${process.arch === "x64" ? "amd64" : process.arch}`
  const wrapper = dirname(
    createRequire(require.resolve("@foundry-rs/anvil/package.json")).resolve(`${name}/package.json`)
  )
  const file = join(wrapper, "bin", process.platform === "win32" ? "anvil.exe" : "anvil")
  if (!existsSync(file)) throw new Error(`there is no ${file}`)
  return file
}

/** How a node is started. */
export interface AnvilOptions {
  /** 8453 unless set. */
  readonly chainId?: number
}

/** Key of the first account that the node gives a balance; it is in every Foundry manual. */
export const PRIVATE_KEY = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

/** A node. */
export class Anvil {
  #process: ChildProcess | undefined
  #port = 0
  readonly #folder = mkdtempSync(join(tmpdir(), "cairn-anvil-"))
  readonly #chainId: number

  constructor({ chainId = 8453 }: AnvilOptions) {
    this.#chainId = chainId
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** Starts it, or starts it again with the state and at the address that it had. */
  async start(): Promise<void> {
    const flags = ["--chain-id", this.#chainId, "--no-mining", "--slots-in-an-epoch", 2, "--port", this.#port]
    const state = ["--state", join(this.#folder, "state.json"), "--preserve-historical-states", "--no-cors"]
    const child = spawn(program(), [...flags, ...state].map(String), { stdio: ["ignore", "pipe", "ignore"] })
    this.#process = child
    this.#port = await new Promise<number>((resolve, reject) => {
      let said = ""
      child.stdout?.on("data", (chunk: Buffer) => {
        said += chunk.toString()
        const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(said)?.[1]
        if (port !== undefined) resolve(Number(port))
      })
      child.on("error", reject)
      child.on("exit", () => reject(new Error(`the node did not start: ${said}`)))
    })
  }

  /** Ends it as an operator would, and waits until it has written its state. */
  async stop(): Promise<void> {
    const child = this.#process
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise((resolve) => child.on("exit", resolve))
    child.kill("SIGCONT")
    child.kill("SIGTERM")
    await ended
  }

  /**
   * It takes connections and answers none.
   * The signal only asks for that: on a busy machine a thread of the node may answer something more after it.
   */
  async hang(): Promise<void> {
    this.#process?.kill("SIGSTOP")
    while (await this.#answers(500)) this.#process?.kill("SIGSTOP")
  }

  wake(): void {
    this.#process?.kill("SIGCONT")
  }

  async dispose(): Promise<void> {
    await this.stop()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Calls a method of the node. */
  async call(method: string, ...params: ReadonlyArray<unknown>): Promise<unknown> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    })
    const body = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (body.error !== undefined) throw new Error(`${method}: ${body.error.message}`)
    return body.result
  }

  /** Whether it answers a question in some milliseconds. */
  async #answers(milliseconds: number): Promise<boolean> {
    try {
      await fetch(this.url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }),
        signal: AbortSignal.timeout(milliseconds)
      })
      return true
    } catch {
      return false
    }
  }

  /** Makes blocks. */
  async mine(blocks = 1): Promise<void> {
    await this.call("anvil_mine", `0x${blocks.toString(16)}`)
  }
}

/** A node for as long as the scope lasts. */
export const anvil = (options: AnvilOptions = {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const node = new Anvil(options)
      await node.start()
      return node
    }),
    (node) => Effect.promise(() => node.dispose())
  )
