import { assert, describe, it } from "@effect/vitest"
import { withoutQuotedLink } from "../../src/mail/QuotedLink.ts"

const SECRET = "q7Zk2mV0-aB_9xYpLwE4rT6uI8oQ1sD3fGhJ5kNcXzM"
const LINK = `https://audit.example.com/sign-in/link?token=${SECRET}`

describe("what a mail server answers to a link", () => {
  it.each([
    ["the link", `5.7.1 blocked for ${LINK} by a filter`, "5.7.1 blocked for *** by a filter"],
    ["the link in brackets", `bad URL <${LINK}>, sorry`, "bad URL *** sorry"],
    ["a part of it", `${LINK.slice(0, 70)}…`, "***"],
    ["its end alone", `…${SECRET.slice(-10)} is listed`, "*** is listed"],
    ["it in two parts", `${SECRET.slice(0, 20)}=\r\n${SECRET.slice(20)}`, "***\r\n***"],
    ["it among letters", `x${SECRET}x`, "***"],
    ["nothing of it", "4.2.2 mailbox of ada@example.com is full", "4.2.2 mailbox of ada@example.com is full"]
  ])("is shown without the secret if it quotes %s", (_, answer, shown) => {
    assert.strictEqual(withoutQuotedLink(answer, LINK), shown)
  })
})
