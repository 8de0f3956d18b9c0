/** The allowlist as the form holds it: a network a line. */
import { parseNetwork } from "@cairn/core/encoding"
import { Result } from "effect"
import { IpNetwork, NetAddress } from "effect/net"

/** The networks that hold every address. The service takes no empty list in place of one with members. */
export const EVERYWHERE: ReadonlyArray<string> = ["0.0.0.0/0", "::/0"]

/** The lines that say something. */
export const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")

/** The lines that are no address and no network. */
export const wrongLines = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.filter((line) => parseNetwork(line) === undefined)

/** Whether an address lies in one of the networks, as the service compares them. */
export const isLetIn = (address: string, lines: ReadonlyArray<string>): boolean => {
  const ip = Result.getOrUndefined(NetAddress.ipFromString(address))
  if (ip === undefined) return false
  const canonical = NetAddress.toCanonical(ip)
  return lines.some((line) => {
    const network = parseNetwork(line)
    return network !== undefined && IpNetwork.contains(network, canonical)
  })
}

/** Whether a list lets every address in: it is empty, or holds all of both kinds. */
export const isOpen = (list: ReadonlyArray<string>): boolean =>
  list.length === 0 || EVERYWHERE.every((network) => list.includes(network))
