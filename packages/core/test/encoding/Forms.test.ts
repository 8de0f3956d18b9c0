/** What the OpenAPI document says of a text's form against what the server reads. */
import { Micros, NETWORK_FORM, parseNetwork, TIME_FORM } from "@cairn/core/encoding"
import { FRAME_ANCESTOR_FORM, isFrameAncestor } from "@cairn/core/workspace"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { NetAddress } from "effect/net"
import { ADDRESS_FORM } from "../../src/encoding/AddressForm.ts"

/** Addresses of every length and place of `::`, those of one group less and more, and what is near. */
const ADDRESSES = (() => {
  const groups = (count: number) => Array.from({ length: count }, (_, index) => `${index}fF`)
  const whole = [6, 7, 8, 9].map((count) => groups(count).join(":"))
  const short = [...Array(9).keys()].flatMap((before) =>
    [...Array(9).keys()].map((behind) => `${groups(before).join(":")}::${groups(behind).join(":")}`)
  )
  const v4 = [
    "1.2.3.4",
    "0.0.0.0",
    "255.255.255.255",
    "256.1.1.1",
    "1.2.3",
    "1.2.3.4.5",
    "01.2.3.4",
    "1..2.3"
  ]
  const both = [...whole, ...short].flatMap((one) => [one, `${one}${one.endsWith(":") ? "" : ":"}1.2.3.4`])
  const odd = [
    "",
    ":",
    ":::",
    "1:::2",
    "fe80::1%eth0",
    "[::1]",
    " ::1",
    "::1\n",
    "12345::",
    "g::",
    "::1.2.3.400"
  ]
  return [...v4, ...both, ...odd]
})()

const TIMES = (() => {
  const numbers = ["00", "01", "02", "04", "12", "13", "23", "24", "28", "29", "30", "31", "32", "59", "60"]
  const days = numbers.flatMap((month) => numbers.map((day) => `2024-${month}-${day}`))
  const times = numbers.flatMap((one) => [`${one}:00`, `00:${one}`, `00:00:${one}`])
  const tails = ["", "Z", "z", "+00:00", "-2359", "+24", "+23:60", ".1Z", ",123456789Z", ".Z", "Z "]
  return [
    ...days,
    ...times.flatMap((time) => tails.map((tail) => `2024-05-01T${time}${tail}`)),
    "2024-5-1",
    ""
  ]
})()

const ANCESTORS = [
  ..."* 'self' 'Self' https: HTTP: ftp: a A.b *.a.b *.* a.*.b https://a https://a:1 a:* a:123456 a/ a/b [::1] é".split(
    " "
  ),
  "",
  "a b",
  "a\n"
]

const assertSame = (form: string, texts: ReadonlyArray<string>, isRead: (text: string) => boolean) => {
  const pattern = new RegExp(form, "u")
  assert.deepStrictEqual(
    texts.filter((text) => pattern.test(text)),
    texts.filter(isRead)
  )
}

describe("a form in the OpenAPI document", () => {
  it("is that of the addresses, networks, times and frame ancestors that the server reads", () => {
    assertSame(ADDRESS_FORM, ADDRESSES, (text) => Result.isSuccess(NetAddress.ipFromString(text)))
    const networks = ["0.0.0.0", "::"].flatMap((one) =>
      ["", "/0", "/9", "/32", "/33", "/99", "/128", "/129", "/00", "/-1", "/"].map((bits) => `${one}${bits}`)
    )
    assertSame(NETWORK_FORM, [...networks, ...ADDRESSES], (text) => parseNetwork(text) !== undefined)
    assertSame(TIME_FORM, TIMES, (text) => Micros.parse(text) !== undefined)
    assertSame(FRAME_ANCESTOR_FORM, ANCESTORS, isFrameAncestor)
  })
})
