/** Every page in every language: what it must have, what it must not have, and what its forms send. */
import { LINK_LIFE } from "@cairn/core/people"
import { assert, describe, it } from "@effect/vitest"
import {
  accountPage,
  failedPage,
  LANGUAGES,
  linkPage,
  mailSentPage,
  needsHttpsPage,
  STYLE_SHEET,
  setupPage,
  signInPage,
  tooManyRequestsPage
} from "../../../../src/http/signin/pages/index.ts"
import { formsTo, readMarkup, textOf } from "./MarkupReader.ts"
import { HINTS, ORDINARY, REACHED_AT, REFUSALS, samplePages } from "./SamplePages.ts"

const pages = LANGUAGES.flatMap((language) =>
  Object.entries(samplePages(language)).map(([name, page]) => ({ language, name, page, ...readMarkup(page) }))
)

const visit = { language: "en", host: "audit.example.com" } as const
const ways = {
  ...visit,
  provider: "Example",
  sendsMail: true,
  returnTo: "/account?a=1&b=2",
  address: null,
  notice: null
}

describe("every page", () => {
  it("is there in every language", () => {
    assert.strictEqual(pages.length, LANGUAGES.length * 45)
    for (const { name, language, page } of pages) {
      const other = pages.find((one) => one.name === name && one.language !== language)
      assert.notStrictEqual(page, other?.page, name)
    }
  })

  it.each(pages)("has the frame of a page: $name in $language", ({ language, page, tags, texts }) => {
    assert.match(page, /^<!doctype html>\n<html lang="/)
    const named = (wanted: string) => tags.filter(({ name }) => name === wanted)
    assert.deepStrictEqual(named("html"), [{ name: "html", attributes: { lang: language } }])
    assert.strictEqual(named("h1").length, 1)
    assert.strictEqual(named("main").length, 1)
    const title = texts.find(({ after }) => after === "title")?.text ?? ""
    assert.match(title, /^.{2,} · Cairn$/)
    const metas = Object.fromEntries(
      named("meta").map(({ attributes }) => [
        attributes.name ?? "charset",
        attributes.content ?? attributes.charset
      ])
    )
    assert.deepStrictEqual(metas, {
      charset: "utf-8",
      viewport: "width=device-width, initial-scale=1",
      "color-scheme": "light dark",
      referrer: "same-origin",
      robots: "noindex, nofollow"
    })
    const sheet = named("link").find(({ attributes }) => attributes.rel === "stylesheet")
    assert.strictEqual(sheet?.attributes.href, STYLE_SHEET.path)
    assert.notMatch(textOf(page), /undefined|null|NaN|\[object|\$\{/)
  })

  it.each(pages)("needs nothing that its policy forbids: $name in $language", ({ tags }) => {
    for (const { name, attributes } of tags) {
      assert.notInclude(["script", "style", "iframe", "object", "embed", "base", "img"], name)
      for (const [attribute, value] of Object.entries(attributes)) {
        assert.notMatch(attribute, /^on|^style$|^srcdoc$|^target$|^formaction$/)
        if (!["href", "action", "src"].includes(attribute)) continue
        // Where the operator says that the service is.
        if (value === `${REACHED_AT}/sign-in`) continue
        const isMark = name === "link" && attributes.rel === "icon"
        assert.match(value, isMark ? /^data:image\/svg\+xml,[^<>]*$/ : /^\/(?:[a-z][^\\]*)?$/)
      }
    }
  })

  it.each(pages)(
    "has labels, ids that are there once, and headings in order: $name in $language",
    ({ tags }) => {
      const ids = tags.flatMap(({ attributes }) => (attributes.id === undefined ? [] : [attributes.id]))
      assert.strictEqual(new Set(ids).size, ids.length)
      const labelled = tags.filter(({ name }) => name === "label").map(({ attributes }) => attributes.for)
      for (const { name, attributes } of tags) {
        if ((name === "input" && attributes.type !== "hidden") || name === "select")
          assert.include(labelled, attributes.id)
        for (const id of (attributes["aria-describedby"] ?? "").split(" "))
          if (id !== "") assert.include(ids, id)
      }
      const levels = tags.filter(({ name }) => /^h[1-6]$/.test(name)).map(({ name }) => Number(name.slice(1)))
      levels.forEach((level, index) => {
        assert.isAtMost(level, (levels[index - 1] ?? 0) + 1)
      })
    }
  )
})

describe("the page to sign in", () => {
  it("leads to the provider, and sends an address and where to go on", () => {
    const page = signInPage(ways)
    const [link] = readMarkup(page).tags.filter(({ name }) => name === "a")
    assert.strictEqual(link?.attributes.href, "/sign-in/oidc?return=%2Faccount%3Fa%3D1%26b%3D2")
    assert.include(textOf(page), "Continue with Example")
    assert.deepStrictEqual(formsTo(page, "/sign-in/email"), [{ email: "", return: "/account?a=1&b=2" }])
    const [field] = readMarkup(page).tags.filter(({ attributes }) => attributes.name === "email")
    assert.include(field?.attributes, {
      type: "text",
      inputmode: "email",
      autocomplete: "email",
      "aria-invalid": "false",
      "aria-describedby": "email-hint"
    })
  })

  it("sends nothing of where to go on if there is no such place", () => {
    const page = signInPage({ ...ways, returnTo: null })
    assert.include(page, 'href="/sign-in/oidc"')
    assert.deepStrictEqual(formsTo(page, "/sign-in/email"), [{ email: "" }])
  })

  it("offers only what the service has, and otherwise says how the operator makes links", () => {
    assert.notInclude(signInPage({ ...ways, provider: null }), "/sign-in/oidc")
    assert.notInclude(signInPage({ ...ways, sendsMail: false }), "<form")
    const page = signInPage({ ...ways, provider: null, sendsMail: false })
    assert.notMatch(page, /<form|<a (?!class="way" href="\/verify")/)
    assert.include(textOf(page), "cairn member sign-in-link ADDRESS")
  })

  it("says at the field what is wrong with an address, and keeps the address", () => {
    const page = signInPage({ ...ways, notice: "address_invalid", address: "ada@" })
    const { tags } = readMarkup(page)
    const fault = tags.find(({ attributes }) => attributes.id === "email-fault")
    assert.strictEqual(fault?.attributes.role, "alert")
    const field = tags.find(({ attributes }) => attributes.id === "email")
    assert.include(field?.attributes, {
      value: "ada@",
      "aria-invalid": "true",
      "aria-describedby": "email-fault email-hint"
    })
    assert.match(page, /<title>Error: /)
  })

  it("says why it is shown: hints as a status, refusals as an alert", () => {
    for (const notice of HINTS.filter((hint) => hint !== "address_invalid")) {
      assert.include(signInPage({ ...ways, notice }), 'role="status"', notice)
    }
    for (const notice of REFUSALS) assert.include(signInPage({ ...ways, notice }), 'role="alert"', notice)
  })

  it("does not offer the address again that is no member", () => {
    const page = signInPage({ ...ways, notice: "no_membership", address: "eve@example.com" })
    assert.include(textOf(page), "eve@example.com is not a member")
    assert.strictEqual(formsTo(page, "/sign-in/email")[0]?.email, "")
  })
})

describe("the page after a link was asked for", () => {
  it("names the address and how long the link is good for, and sends the address once more", () => {
    const page = mailSentPage({ ...visit, address: "ada@example.com", returnTo: "/x", lifetime: LINK_LIFE })
    assert.include(textOf(page), "If ada@example.com belongs to a member")
    assert.include(textOf(page), "15 minutes")
    assert.deepStrictEqual(formsTo(page, "/sign-in/email"), [{ email: "ada@example.com", return: "/x" }])
    assert.include(page, 'href="/sign-in?return=%2Fx"')
  })
})

describe("the page of a link", () => {
  const link = { ...visit, address: "ada@example.com", signedIn: null, token: "secret" }

  it("says who is signed out by it", () => {
    const other = "grace@example.com is signed in in this browser, and will be signed out."
    assert.include(textOf(linkPage({ ...link, signedIn: "grace@example.com", invitation: null })), other)
    assert.notInclude(textOf(linkPage({ ...link, invitation: null })), "signed in in this browser")
  })

  it("has one button, which sends the link's secret and the browser's", () => {
    const page = linkPage({ ...link, invitation: null })
    assert.include(textOf(page), "Sign in as ada@example.com")
    assert.deepStrictEqual(formsTo(page, "/sign-in/link"), [{ token: "secret" }])
    assert.strictEqual(page.split("<button").length, 2)
    assert.notInclude(page, "<a ")
  })

  it("names the workspace and the role of an invitation", () => {
    const page = linkPage({ ...link, invitation: { workspace: "Engines", role: "auditor" } })
    assert.include(textOf(page), "Engines")
    assert.include(textOf(page), "Auditor")
    assert.notInclude(textOf(linkPage({ ...link, invitation: null })), "Role")
  })
})

describe("the page that sets the service up", () => {
  const setup = {
    ...visit,
    token: "secret",
    workspaces: [],
    values: { workspaceName: "", workspaceId: null, email: "", name: "" },
    faults: []
  }
  const workspaces = [
    { id: "wsp_1", name: "Engines" },
    { id: "wsp_2", name: "Looms" }
  ]

  it("has one button, which sends the link's secret and what was entered", () => {
    const page = setupPage(setup)
    assert.deepStrictEqual(formsTo(page, "/set-up"), [
      { token: "secret", workspace_name: "", email: "", name: "" }
    ])
    assert.strictEqual(page.split("<button").length, 2)
    assert.notInclude(page, "<a ")
  })

  it("asks which workspace it is where there are some, and keeps the choice", () => {
    const page = setupPage({ ...setup, workspaces, values: { ...setup.values, workspaceId: "wsp_2" } })
    assert.match(page, /<option value="wsp_1">Engines<\/option>\s*<option value="wsp_2" selected>Looms/)
    assert.notInclude(page, "workspace_name")
  })

  it("says at the field what is wrong with it", () => {
    const page = setupPage({ ...setup, workspaces, faults: ["workspace_choice", "email_taken"] })
    assert.match(page, /<title>Error: /)
    const { tags } = readMarkup(page)
    for (const [id, isInvalid] of [
      ["workspace", true],
      ["email", true],
      ["name", false]
    ] as const) {
      const field = tags.find(({ attributes }) => attributes.id === id)
      assert.strictEqual(field?.attributes["aria-invalid"], String(isInvalid))
      assert.strictEqual(page.includes(`id="${id}-fault"`), isInvalid)
    }
    assert.include(textOf(page), "cairn member update ADDRESS --role owner")
  })
})

describe("the page that asks for https", () => {
  const textFor = (host: string) =>
    textOf(needsHttpsPage({ language: "en", host, port: 9000, reachedAt: null }))

  it("shows the host in the setting, the Caddyfile and the tunnel, without its port", () => {
    const text = textFor("Audit.Example.com:9000")
    assert.include(text, "http://Audit.Example.com:9000")
    assert.include(text, "CAIRN_BASE_URL=https://audit.example.com")
    assert.include(text, "audit.example.com\nreverse_proxy 127.0.0.1:9000")
    assert.include(text, "ssh -L 9000:127.0.0.1:9000 audit.example.com")
    assert.include(text, "http://127.0.0.1:9000")
    assert.notInclude(text, "cairn.example.com")
  })

  it.each([
    ["10.0.0.5:9000", "10.0.0.5"],
    ["[2001:db8::1]:9000", "2001:db8::1"]
  ])("asks for a name where %s is a number, and leads the tunnel there", (host, number) => {
    const text = textFor(host)
    assert.include(text, "CAIRN_BASE_URL=https://cairn.example.com")
    assert.include(text, `ssh -L 9000:127.0.0.1:9000 ${number}`)
    assert.include(text, "cairn.example.com stands for a name")
  })

  it.each([
    "",
    "$(reboot)",
    "a;b",
    "a b",
    "`id`",
    "-v",
    "-oProxyCommand=x",
    "a'b",
    "ex\u202eample",
    "&&",
    "a|b"
  ])("puts no sign that a shell acts on into a command: %s", (host) => {
    const { texts } = readMarkup(needsHttpsPage({ language: "en", host, port: 9000, reachedAt: null }))
    const commands = texts.filter(({ after, text }) => after === "code" && /[=\n]|^ssh/.test(text))
    assert.strictEqual(commands.length, 3)
    for (const { text } of commands) {
      assert.match(
        text,
        /^(?:CAIRN_BASE_URL=https:\/\/|ssh -L 9000:127\.0\.0\.1:9000 |)[a-z0-9][a-z0-9.-]*(?:\nreverse_proxy 127\.0\.0\.1:9000)?$/
      )
    }
  })
})

describe("the account's page", () => {
  const account = accountPage({
    ...visit,
    address: "ada@example.com",
    memberships: [{ workspace: "Engines", role: "auditor", expires_at: 1_775_217_600_000_000 }],
    sessions: [
      {
        id: "ses_2",
        method: "oidc",
        client_address: null,
        user_agent: "something <else>",
        created_at: 1_772_625_600_000_000,
        last_used_at: null
      },
      {
        id: "ses_1",
        method: "mail",
        client_address: "192.0.2.17",
        user_agent: ORDINARY.userAgent,
        created_at: 1_772_625_600_000_000,
        last_used_at: 1_772_629_200_000_000
      }
    ],
    current: "ses_1",
    done: null
  })

  it("leads back to the console", () => {
    const links = readMarkup(account).tags.flatMap(({ name, attributes }) =>
      name === "a" ? [attributes.href] : []
    )
    assert.deepStrictEqual(links, ["/"])
  })

  it("ends each session by its id, all others, and this one by signing out", () => {
    assert.deepStrictEqual(formsTo(account, "/account/sessions/end"), [
      { session: "ses_1" },
      { session: "ses_2" }
    ])
    assert.deepStrictEqual(formsTo(account, "/account/sessions/end-others"), [{}])
    assert.deepStrictEqual(formsTo(account, "/sign-out"), [{}])
  })

  it("marks the session that asks, and tells browser, address, method and times", () => {
    const text = textOf(account).replace(/\s+/g, " ")
    assert.match(text, /Firefox on Linux This session Address ?192\.0\.2\.17/)
    assert.match(
      text,
      /Signed in by ?Link by e-mail Began ?Mar 4, 2026, 12:00 UTC Last used ?Mar 4, 2026, 13:00 UTC/
    )
    assert.match(text, /something <else> Address ?not known Signed in by ?Identity provider/)
    assert.strictEqual(text.split("This session").length, 2)
    assert.include(account, '<time datetime="2026-03-04T13:00:00Z">')
    const title = readMarkup(account).tags.find(({ attributes }) => attributes.title?.startsWith("Mozilla"))
    assert.strictEqual(title?.attributes.title, ORDINARY.userAgent)
  })

  it("names each button's session for those who listen", () => {
    assert.include(textOf(account), "End session: Firefox on Linux, 192.0.2.17")
    assert.include(textOf(account), "End session: something <else>, not known")
  })

  it("tells the role and when access ends", () => {
    assert.include(textOf(account), "Auditor: reads, verifies and exports, and changes nothing")
    assert.include(textOf(account), "Access ends Apr 3, 2026, 12:00 UTC")
  })

  it("offers to end other sessions only if there are any", () => {
    const [alone] = [samplePages("en")["account-done"] ?? ""]
    assert.deepStrictEqual(formsTo(alone, "/account/sessions/end-others"), [])
    assert.include(textOf(alone), "All other sessions have ended.")
  })
})

describe("pages that only say something", () => {
  it("tell how long to wait, and the id of a failed request", () => {
    assert.include(textOf(tooManyRequestsPage({ ...visit, retryAfterSeconds: 200 })), "Wait 4 minutes")
    assert.include(textOf(tooManyRequestsPage({ ...visit, retryAfterSeconds: 0 })), "Wait 1 second")
    assert.include(textOf(tooManyRequestsPage({ ...visit, retryAfterSeconds: null })), "Wait a few minutes")
    assert.include(textOf(failedPage({ ...visit, requestId: "req_1" })), "req_1")
  })
})
