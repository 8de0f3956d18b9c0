/** The world outside of a page, as far as it can be reached without a request of the page. */
import { createSocket } from "node:dgram"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

/** What a page may reach, on this machine. */
export interface Outside {
  /** A script that looks for a way out by WebRTC, and ends once one would have been found. */
  readonly call: string
  /** A script that leads to another address, in a new window and in its own. */
  readonly lead: string
  /** How many packets came by WebRTC. */
  readonly packets: () => number
  /** The paths of the other address that were asked for. */
  readonly visits: ReadonlyArray<string | undefined>
  readonly stop: () => void
}

/** Starts it. */
export const startOutside = async (): Promise<Outside> => {
  const stun = createSocket("udp4")
  let packets = 0
  stun.on("message", () => packets++)
  stun.bind(0, "127.0.0.1")
  await once(stun, "listening")
  const visits: Array<string | undefined> = []
  const elsewhere = createServer(({ url }, answer) => {
    visits.push(url)
    answer.end()
  })
  elsewhere.listen(0, "127.0.0.1")
  await once(elsewhere, "listening")
  const { port } = elsewhere.address() as AddressInfo
  return {
    call: `(async () => {
      const iceServers = [{ urls: "stun:127.0.0.1:${stun.address().port}" }]
      const connection = new RTCPeerConnection({ iceServers })
      connection.createDataChannel("x")
      await connection.setLocalDescription(await connection.createOffer())
      await new Promise((resolve) => setTimeout(resolve, 1500))
      connection.close()
    })()`,
    lead: `(() => {
      open("http://127.0.0.1:${port}/opened")
      location.href = "http://127.0.0.1:${port}/left"
    })()`,
    packets: () => packets,
    visits,
    stop: () => {
      stun.close()
      elsewhere.close()
    }
  }
}
