/** A real mail server for trials, which can be away for a while. */
import { afterAll, assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import type { SMTPServerOptions } from "smtp-server"
import { type Delivered, startMailServer } from "../../../delivery/test/peers/MailServer.ts"
import { eventually } from "./Eventually.ts"

/** Milliseconds that a busy machine may take to send a mail. */
const PATIENCE = 90_000

/** The mail server, and all that it was given while it was there. */
export interface MailBox {
  /** What a server needs to send its mail here. */
  readonly variables: Record<string, string>
  readonly delivered: () => ReadonlyArray<Delivered>
  /** Waits until an address has as many mails, and gives them, the oldest first. */
  readonly to: (address: string, count: number) => Promise<ReadonlyArray<Delivered>>
  /** Goes away, and comes back at the same port. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
}

/** Starts one; it ends after the tests of the file that asks for it. */
export const startMailBox = async (options: SMTPServerOptions = {}): Promise<MailBox> => {
  const open = async (port: number) => {
    const scope = Scope.makeUnsafe()
    const server = await Effect.runPromise(
      Scope.provide(startMailServer({ disabledCommands: ["STARTTLS"], ...options }, port), scope)
    )
    return { scope, server }
  }
  const former: Array<Delivered> = []
  let current: Awaited<ReturnType<typeof open>> | undefined = await open(0)
  const { port } = current.server
  const down = async () => {
    if (current === undefined) return
    const { scope, server } = current
    current = undefined
    await Effect.runPromise(Scope.close(scope, Exit.void))
    former.push(...server.delivered)
  }
  afterAll(down)
  const delivered = () => [...former, ...(current?.server.delivered ?? [])]
  return {
    variables: { CAIRN_SMTP_URL: `smtp://127.0.0.1:${port}`, CAIRN_MAIL_FROM: "Cairn <cairn@example.com>" },
    delivered,
    to: (address, count) =>
      eventually(
        `${count} mails to ${address}`,
        () => {
          const found = delivered().filter(({ recipients }) => recipients.includes(address))
          return found.length >= count ? found : undefined
        },
        PATIENCE
      ),
    down,
    up: async () => {
      current ??= await open(port)
    }
  }
}

/** The link of a mail, which must be the same in both of its parts. */
export const linkIn = ({ mail }: Delivered): string => {
  const [link, ...others] = mail.text?.match(/https?:\/\/\S+\/sign-in\/link\?token=[A-Za-z0-9_-]+/g) ?? []
  assert.isDefined(link, mail.text)
  assert.isEmpty(others)
  assert.include(mail.html, `href="${link}"`)
  return link ?? ""
}
