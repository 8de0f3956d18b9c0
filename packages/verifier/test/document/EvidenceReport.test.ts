/** What stands in an evidence report. */
import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"
import { formatVerifierKey } from "@cairn/core/note"
import { naughtyStrings, testBundle, testLog } from "@cairn/testing"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Stream } from "effect"
import {
  checkEvidence,
  evidenceReportHtml,
  type Failure,
  layerTools,
  REPORT_STYLE,
  type Report
} from "../../src/index.ts"
import { serviceKey, signer } from "../Bundles.ts"
import { testChain } from "../TestChain.ts"
import {
  chain,
  drop,
  edit,
  editContent,
  event,
  honest,
  knowing,
  type Lines,
  log,
  ofType
} from "../tampering/Tampering.ts"
import { contradictions } from "./Contradictions.ts"
import { about, reportOf, textOf } from "./Documents.ts"

const known = { ...knowing, trustedKeys: [serviceKey], knownBlocks: chain.blocks }
const bytes = gzipSync(honest.join(""))
const digest = createHash("sha256").update(bytes).digest("hex")
const groups = digest.match(/.{8}/g)?.join(" ") ?? ""

const forged = edit(honest, event(17), editContent({ action: "nothing.happened" }))

describe("an evidence report", () => {
  it.effect("says of which file it is, of which log, and what was checked by whom and when", () =>
    Effect.gen(function* () {
      const { html } = yield* reportOf([{ name: "bundle.gz", content: bytes }], known)
      const text = textOf(html)
      for (const fact of [
        `bundle.gz, ${bytes.length.toLocaleString("en")} bytes`,
        groups,
        log.workspaceId,
        log.origin,
        "Events 1 to 62",
        "62 events, 2 of them without content, 5 events from before the chain, 2 anchors",
        "2026-02-03 04:05:06 UTC",
        "cairn-verify 1.2.3",
        formatVerifierKey(serviceKey),
        chain.address
      ]) {
        assert.include(text, fact)
      }
      const { events } = log
      assert.match(text, /recorded from 2024-05-01T11:59:59\.999999Z to 2024-05-01T12:01:00\.000000Z/)
      assert.strictEqual(events.length, 62)
    })
  )

  it.effect("is red in words: who, what and when of each event that failed, and not to rely on it", () =>
    Effect.gen(function* () {
      const { html } = yield* reportOf([{ name: "bundle.gz", content: forged }], known)
      const first = textOf(html.slice(0, html.indexOf('class="appendix"')))
      assert.include(first, "TAMPERED — DO NOT RELY ON THIS FILE")
      assert.include(first, "✗ Failed Events are not what was recorded")
      assert.match(
        first,
        / 17 user_000184 nothing\.happened 2024-05-01 12:00:15\.000000Z 2024-05-01 12:00:15\.000000Z it is not what was hashed/
      )
      assert.notInclude(first, "INTACT")
      const colours = REPORT_STYLE.match(/#\w+|\b(?:rgba?|hsla?|oklch|lab)\(/g) ?? []
      assert.deepStrictEqual([...new Set(colours)].sort(), ["#000", "#777", "#fff"])
    })
  )

  it.effect(
    "tells a file that agrees with itself from one that agrees with what is known from elsewhere",
    () =>
      Effect.gen(function* () {
        const alone = textOf((yield* reportOf([{ name: "b", content: honest }])).html)
        assert.include(alone, "INTACT BY ITSELF")
        assert.include(alone, "anyone with the service's database could have made it")
        assert.include(alone, "? Not checked You gave no key to check the signature against.")
        assert.include(alone, "The file is signed with a key that the file itself names.")
        assert.include(alone, "can make new ones; nothing that was checked here rules that out.")
        assert.notInclude(alone, "That the file is false")
        const all = textOf((yield* reportOf([{ name: "b", content: honest }], known)).html)
        assert.notInclude(all, "INTACT BY ITSELF")
        assert.include(all, "what you gave rules that out, if it came from elsewhere.")
        assert.include(all, "✓ Proven The key that you gave has signed the log, up to event 62.")
        assert.include(all, "✓ Proven The account that you gave sent the anchors, up to event 40.")
        assert.include(
          all,
          "✓ Proven The anchors are on the blockchain Base (chain 8453), in blocks that were looked up, up to event 40."
        )
      })
  )

  it.effect("compares an earlier file with a later one, and names both", () =>
    Effect.gen(function* () {
      const older = testBundle(testLog({ events: 30 }), { signer })
      const newer = testBundle(testLog({ events: 60 }), { signer })
      const files = [
        { name: "january.gz", content: older },
        { name: "february.gz", content: newer }
      ] as const
      const good = textOf((yield* reportOf(files, { trustedKeys: [serviceKey] })).html)
      assert.include(good, "Later file february.gz")
      assert.include(good, "Earlier file january.gz")
      assert.include(good, "✓ Proven The log is a continuation of what it was before, at event 30.")
      assert.include(good, "cairn-verify \\ january.gz \\ february.gz")
      const [first, second] = files
      const swapped = textOf((yield* reportOf([second, first], { trustedKeys: [serviceKey] })).html)
      assert.include(
        swapped,
        "✗ Failed The later file ends before the earlier one. Were they given the wrong way round?"
      )
    })
  )

  it.effect("does not call a file intact for an earlier one alone, nor compare one with itself", () =>
    Effect.gen(function* () {
      const older = testBundle(testLog({ events: 30 }), { signer })
      const newer = testBundle(testLog({ events: 60 }), { signer })
      const file = (name: string, content: Lines) => ({ name, content })
      const alone = textOf((yield* reportOf([file("a", older), file("b", newer)])).html)
      assert.match(alone, /INTACT SINCE THE EARLIER FILE Every required check/)
      assert.include(alone, "✓ Proven The log is a continuation of what it was before, at event 30.")
      const same = textOf((yield* reportOf([file("a", newer), file("b", newer)])).html)
      assert.match(same, /INTACT BY ITSELF Every required check/)
      assert.include(same, "? Not checked The earlier file is the same file: nothing was compared.")
      const known = { trustedKeys: [serviceKey] }
      const signed = textOf((yield* reportOf([file("a", newer), file("b", newer)], known)).html)
      assert.match(signed, /without asking the service\. INTACT Every required check/)
      assert.include(signed, "? Not checked The earlier file is the same file: nothing was compared.")
    })
  )

  it.effect("says nothing of a file that is none", () =>
    Effect.gen(function* () {
      const { html } = yield* reportOf([{ name: "photo.jpg", content: Uint8Array.of(255, 216, 255, 1, 2) }])
      const text = textOf(html)
      assert.include(text, "UNREADABLE")
      assert.notInclude(text, "Nothing failed")
      assert.notInclude(text, "✓ Proven")
      const sha = createHash("sha256")
        .update(Uint8Array.of(255, 216, 255, 1, 2))
        .digest("hex")
      assert.include(text, sha.match(/.{8}/g)?.join(" ") ?? "none")
    })
  )

  it.effect("shows an event as text, whatever it says", () =>
    Effect.gen(function* () {
      for (const [index, name] of naughtyStrings.entries()) {
        const markup = `<img src=x onerror=alert(1)>"'&${name}`
        const lines = edit(honest, event(17), editContent({ action: markup, actor: { id: markup } }))
        const { html, report } = yield* reportOf([{ name: markup, content: lines }])
        assert.strictEqual(report.verdict, "tampered", String(index))
        assert.notInclude(html, "<img")
        assert.strictEqual(html.match(/<script/g), null)
        assert.notMatch(html.replaceAll("\n", ""), /[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069]/u)
      }
    })
  )

  it.effect("loads nothing, has no script, and allows neither", () =>
    Effect.gen(function* () {
      const { html } = yield* reportOf([{ name: "b", content: honest }], known)
      assert.notMatch(
        html,
        /<script|<link|<img|<iframe|<form|<a\b|\bsrc=|\bhref=|url\(|@import|\bon[a-z]+=|style=/i
      )
      const hash = createHash("sha256").update(REPORT_STYLE).digest("base64")
      assert.include(html, `default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;;`)
    })
  )

  it.effect("keeps the address of a node to itself: it may hold a secret", () =>
    Effect.gen(function* () {
      const node = "https://base.example/v2/s3cr3t-key"
      const { html } = yield* reportOf([{ name: "b", content: honest }], { ...knowing, node })
      assert.notInclude(html, "s3cr3t")
      assert.notInclude(html, "base.example")
      assert.include(textOf(html), "--rpc=https://…")
      const open = yield* reportOf([{ name: "b", content: testBundle(testLog({ events: 3 })) }], { node })
      assert.notInclude(open.html, "s3cr3t")
    })
  )

  it.effect("stays short, however much is wrong", () =>
    Effect.gen(function* () {
      const many = testBundle(testLog({ events: 3_000 }), { signer }).map((line) =>
        line.replace(/"salt":"\w+"/, `"salt":"${"0".repeat(32)}"`)
      )
      const { html } = yield* reportOf([{ name: "b", content: many }])
      assert.isBelow(html.length, 600_000)
      assert.include(textOf(html), "And 2,998 more failures: see appendix A.")
      assert.include(textOf(html), "And 2,500 more")
    })
  )

  it.effect("has a place to sign, and says what no check shows", () =>
    Effect.gen(function* () {
      const text = textOf((yield* reportOf([{ name: "b", content: honest }])).html)
      for (const part of ["Remarks:", "Name and function:", "Signature:", "E. What no such check shows"]) {
        assert.include(text, part)
      }
      assert.include(text, "My signature says: I checked this file, with the result above.")
    })
  )

  it.effect("says how it was made: with a program, or by a page that the service has sent", () =>
    Effect.gen(function* () {
      const { html, report, files } = yield* reportOf([{ name: "b", content: honest }])
      assert.include(textOf(html), "made with the program cairn-verify 1.2.3, without asking the service.")
      const byPage = (page: string | null) =>
        textOf(evidenceReportHtml(report, { ...about, files, verifier: "the verifier", page }))
      assert.include(
        byPage("https://audit.example"),
        "made in a browser by the page of https://audit.example, without asking the service; the page is the service's own."
      )
      assert.include(byPage(null), "made in a browser by a page of the service, without")
      for (const text of [textOf(html), byPage(null)])
        assert.notMatch(text, /independent|without the service/i)
    })
  )

  it.effect("asks where what was given came from, as no program can know it, and for nothing else", () =>
    Effect.gen(function* () {
      const file = { name: "b", content: honest }
      const originsOf = (html: string) => textOf(html).match(/Where the [a-z ]+:/g) ?? []
      assert.deepStrictEqual(originsOf((yield* reportOf([file])).html), [])
      const key = textOf((yield* reportOf([file], { trustedKeys: [serviceKey, serviceKey] })).html)
      assert.deepStrictEqual(originsOf(key), ["Where the key came from:"])
      assert.include(key, "and what I gave to compare with came from where it says here.")
      assert.include(key, "what the checker typed in vouches for every event")
      assert.include(key, "if it came from elsewhere than this file, its report or the service")
      assert.include(key, "Compare; do not copy from here into the check.")
      assert.include(key, "For a check of your own, put in what you have from elsewhere.")
      assert.deepStrictEqual(originsOf((yield* reportOf([file, file], known)).html), [
        "Where the key came from:",
        "Where the account came from:",
        "Where the blocks were looked up:",
        "Where the earlier file was kept:"
      ])
    })
  )

  it.effect("speaks of another chain where it is one, and gives the option again", () =>
    Effect.gen(function* () {
      const lines = testBundle(
        testLog({ events: 20, periods: [10], send: testChain({ chainId: 84_532 }).send }),
        {
          signer
        }
      )
      const { html } = yield* reportOf([{ name: "b", content: lines }], { chainId: 84_532 })
      assert.include(textOf(html), "--chain-id=84532")
      assert.notInclude(textOf((yield* reportOf([{ name: "b", content: honest }])).html), "--chain-id")
      const wrong = textOf((yield* reportOf([{ name: "b", content: lines }])).html)
      assert.include(wrong, "✗ Failed What was anchored does not fit these events")
    })
  )

  it.effect("says of a statement that holds beside a failure what it is worth", () =>
    Effect.gen(function* () {
      const text = textOf((yield* reportOf([{ name: "b", content: forged }], known)).html)
      assert.match(
        text,
        /✓ Proven The key that you gave has signed.*?True of the hashes that the file states/
      )
      const cut = textOf((yield* reportOf([{ name: "b", content: drop(honest, ofType("end")) }], known)).html)
      assert.include(cut, "✗ Failed The file is not whole.")
    })
  )
})

describe("a statement", () => {
  it.effect("that something else kept from being checked is not proven", () =>
    Effect.gen(function* () {
      const text = textOf((yield* reportOf([{ name: "b", content: drop(honest, event(17)) }], known)).html)
      assert.include(text, "✗ Failed Events are not what was recorded")
      assert.include(text, "? Not checked The signature on the log could not be checked.")
      assert.include(text, "? Not checked Whether what was anchored fits these events could not be checked.")
    })
  )

  it.effect("of the blockchain fails by a block that is another one", () =>
    Effect.gen(function* () {
      const [number] = [...chain.blocks.keys()]
      const knownBlocks = new Map([[number ?? 0, `0x${"a".repeat(64)}`]])
      const text = textOf((yield* reportOf([{ name: "b", content: honest }], { knownBlocks })).html)
      assert.include(text, "✗ Failed The blockchain has other blocks than the file says.")
      assert.include(text, "✓ Proven Each of the 2 anchors holds")
    })
  )

  it.effect("of an account fails by another sender, and that of the anchors does not", () =>
    Effect.gen(function* () {
      const anchorAddress = `0x${"a".repeat(40)}`
      const text = textOf((yield* reportOf([{ name: "b", content: honest }], { anchorAddress })).html)
      assert.include(text, "✗ Failed Another account sent the anchors than the one that you gave.")
    })
  )

  it.effect("fails if a required check did not succeed, though nothing else says why", () =>
    Effect.gen(function* () {
      const { report } = yield* reportOf([{ name: "b", content: honest }], known)
      if ("newer" in report) return assert.fail("two bundles")
      const claimed = report.obligations.claimed.map((claim) =>
        claim.name === "anchor_root" ? { ...claim, discharged: claim.discharged - 1 } : claim
      )
      const failure: Failure = {
        code: "not_shown",
        type: null,
        subject: { kind: "bundle" },
        message: "A required check did not succeed",
        expected: null,
        actual: null,
        event: null
      }
      const short: Report = {
        ...report,
        verdict: "tampered",
        failures: 1,
        failed: [failure],
        failures_by_code: { not_shown: 1 },
        obligations: { ...report.obligations, claimed }
      }
      assert.deepStrictEqual(contradictions(short), [])
    })
  )
})

describe("the file of a report", () => {
  it.effect("is the one that was read: one that changes meanwhile has no report", () =>
    Effect.gen(function* () {
      let reads = 0
      const changing = Stream.suspend(() => {
        reads++
        return Stream.make(
          reads === 1 ? bytes : gzipSync(testBundle(testLog({ events: 61 }), { signer }).join(""))
        )
      })
      const error = yield* checkEvidence([
        { name: "old.gz", stream: changing },
        { name: "new.gz", stream: Stream.make(bytes) }
      ]).pipe(Effect.provide(layerTools), Effect.flip)
      assert.strictEqual(String(error.message), "old.gz was changed while it was read")
    })
  )
})
