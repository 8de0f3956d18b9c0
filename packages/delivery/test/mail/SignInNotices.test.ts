import { assert, describe, it } from "@effect/vitest"
import { linkNotice } from "../../src/mail/SignInNotices.ts"

const URL = "https://audit.example.com/sign-in/link?token=x"

const invitation = (workspace: string, invited_by: string | null) =>
  linkNotice(
    {
      kind: "invitation",
      sealed: "",
      expires_at: 1_772_625_600_000_000,
      workspace,
      role: "member",
      invited_by,
      service: "https://audit.example.com"
    },
    URL
  )

/** All that a mail says. */
const said = (notice: ReturnType<typeof invitation>): string => JSON.stringify(notice)

describe("the mail of an invitation", () => {
  it("says by whom, to what, until when and with which link", () => {
    const text = said(invitation("Acme", "ada@example.com"))
    for (const part of ["Acme", "ada@example.com", "2026-03-04 12:00 UTC", URL]) assert.include(text, part)
  })

  it("has none of its sender's own words in the subject", () => {
    for (const words of ["Invoice overdue", "a\r\nBcc: eve@example.com"])
      assert.deepStrictEqual(invitation(words, words).subject, invitation("Acme", null).subject)
  })

  it("has no link of its sender's, and no long text", () => {
    for (const words of [
      "pay at https://evil.example/now",
      "www.evil.example",
      "evil.example/now",
      "//evil.example"
    ]) {
      const text = said(invitation(words, words)).replaceAll(URL, "")
      assert.notMatch(text, /evil\.example/, words)
      assert.notMatch(text, /:\/\/(?!audit\.example\.com)/, words)
    }
    assert.notInclude(said(invitation("x".repeat(61), "y".repeat(61))), "x".repeat(61))
  })
})
