/**
 * The readers of databases and addresses, with hostile input for each; `CostOfLength.trial.ts` measures them.
 */
import { type HostileInput, hostileBytes, hostileTexts, type OutsideReader } from "@cairn/testing"
import { Result } from "effect"
import { openDatabase } from "../src/Database.ts"
import { publicAddress } from "../src/PublicAddress.ts"

const MARKER = Buffer.from("\xab\xcd\xefMaxMind.com", "latin1")

const behind =
  (bytes: (length: number) => Uint8Array): HostileInput<Uint8Array> =>
  (length) =>
    Buffer.concat([Buffer.alloc(16), MARKER, bytes(length)])

const of =
  (byte: number): HostileInput<Uint8Array> =>
  (length) =>
    new Uint8Array(length).fill(byte)

const databases: Record<string, HostileInput<Uint8Array>> = {
  markers: (length) => Buffer.alloc(length, MARKER),
  "almost markers": (length) => Buffer.alloc(length, MARKER.subarray(0, -1)),
  "maps in the metadata": behind(of(0xe1)),
  "arrays in the metadata": behind((length) => Buffer.alloc(length, Buffer.of(0x01, 0x04))),
  "pointers in the metadata": behind(of(0x20)),
  "a long text in the metadata": behind((length) =>
    Buffer.concat([Buffer.of(0xe1, 0x5f, 0xff, 0xff, 0xff), Buffer.alloc(length, 0x61)])
  ),
  ...hostileBytes(hostileTexts("MaxMind.com"))
}

/** All of them. */
export const READERS: ReadonlyArray<OutsideReader<Uint8Array>> = [
  {
    name: "mmdb",
    read: (bytes) =>
      Result.map(openDatabase(Buffer.from(bytes)), ({ get }) => [get("192.0.2.1"), get("2001:db8::1")]),
    inputs: databases
  },
  {
    name: "address to look up",
    read: (bytes) => publicAddress(Buffer.from(bytes).toString()),
    inputs: hostileBytes(hostileTexts("192.0.2.1", "2001:db8::192.0.2.1", "::ffff:192.0.2.1"))
  }
]
