/**
 * Connections to the mail server. Names are resolved without the shared thread pool, and a connection ends
 * when its mail is abandoned.
 */
import { connect, type LookupFunction, type Socket } from "node:net"
import { systemResolver } from "../outbound/HostResolver.ts"

/** Opens a connection, which is destroyed as soon as the signal is aborted. */
export type MailDialer = (
  signal: AbortSignal,
  done: (error: Error | null, opened?: { readonly connection: Socket }) => void
) => void

/**
 * A dialer of the server that an `smtp:` or `smtps:` URL names. Connecting may take `timeout` milliseconds.
 */
export const mailDialer = (url: string, timeout: number): MailDialer => {
  const { hostname, port, protocol } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, "$1")
  const resolve = systemResolver()
  const lookup: LookupFunction = (name, { all }, done) =>
    resolve(name, (error, addresses) => {
      const [first] = addresses
      if (error !== null || first === undefined) done(error ?? new Error(`${name} has no address`), "", 0)
      else if (all === true) done(null, [...addresses])
      else done(null, first.address, first.family)
    })
  return (signal, done) => {
    const socket = connect({
      host,
      port: Number(port) || (protocol === "smtps:" ? 465 : 587),
      lookup,
      signal
    })
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection to the mail server within ${timeout} ms`)),
      timeout
    )
    let begun = false
    const begin = (error: Error | null): void => {
      if (begun) return
      begun = true
      clearTimeout(late)
      if (error === null) done(null, { connection: socket })
      else done(error)
    }
    socket.once("connect", () => begin(null))
    // The listener stays: an error on a broken or abandoned connection must not end the process.
    socket.on("error", begin)
  }
}
