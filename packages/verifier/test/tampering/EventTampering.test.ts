/** Every way to tamper with the events of a bundle that we could think of, and by what it is found. */
import { Micros } from "@cairn/core/encoding"
import { testBundle } from "@cairn/testing"
import { signer } from "../Bundles.ts"
import {
  canonical,
  describeTampering,
  drop,
  edit,
  editContent,
  event,
  honest,
  type Json,
  ofType,
  otherHash,
  parse,
  quiet,
  recount,
  rehash,
  rewritten,
  size,
  withCheckpoint,
  withHistory
} from "./Tampering.ts"

describeTampering({
  "a word of an event's content": {
    by: () => edit(honest, event(17), editContent({ action: "document.viewed" })),
    finds: ["content_changed"],
    about: 17
  },
  "a member more in an event's metadata": {
    by: () => edit(honest, event(17), editContent({ metadata: { approved: true } })),
    finds: ["content_changed"],
    about: 17
  },
  "an event's salt": {
    by: () => edit(honest, event(17), () => ({ salt: "0".repeat(32) })),
    finds: ["content_changed"],
    about: 17
  },
  "an event's content taken out, with no removal in the log": {
    by: () => edit(honest, event(17), () => ({ content: null, salt: null })),
    finds: ["content_missing"],
    about: 17
  },
  "the contents of two events exchanged": {
    by: () => {
      const [one, other] = [17, 18].map((sequence) => parse(honest.find(event(sequence)) ?? ""))
      const from = (value: Json | undefined) => () => ({ content: value?.content, salt: value?.salt })
      return edit(edit(honest, event(17), from(other)), event(18), from(one))
    },
    finds: ["content_changed", "content_changed"],
    about: 17
  },
  "a content in another spelling, hashed as it is by a log that was made so": {
    by: () =>
      testBundle(
        rewritten(quiet, ({ sequence, content }) => (sequence === 17 ? { content: `${content} ` } : {})),
        { signer }
      ),
    finds: ["content_not_canonical"],
    about: 17
  },
  "a content that says one thing twice, hashed as it is": {
    by: () =>
      testBundle(
        rewritten(quiet, ({ sequence, content }) =>
          sequence === 17 ? { content: content?.replace("{", '{"action":"a.b",') ?? null } : {}
        ),
        { signer }
      ),
    finds: ["content_not_canonical"],
    about: 17
  },
  "the moment an event was recorded": {
    by: () =>
      edit(honest, event(17), ({ created_at: at }) => ({
        created_at: Micros.format((Micros.parse(String(at)) ?? 0) + 5)
      })),
    finds: ["header_changed"],
    about: 17
  },
  "an event's id": {
    by: () => edit(honest, event(17), () => ({ id: "00000000-0000-4000-8000-000000000000" })),
    finds: ["header_changed"],
    about: 17
  },
  "an event's content and its hash with it": {
    by: () =>
      edit(honest, event(17), (value) => {
        const { content, content_hash } = rehash({
          ...value,
          ...editContent({ action: "document.viewed" })(value)
        })
        return { content, content_hash }
      }),
    finds: ["header_changed"],
    about: 17
  },
  "an event made anew, with hashes that fit each other": {
    by: () =>
      edit(honest, event(17), (value) =>
        rehash({ ...value, ...editContent({ action: "document.viewed" })(value) })
      ),
    finds: ["link_broken", "anchor_root_differs", "checkpoint_root_differs"],
    about: 18
  },
  "an event's link to the one before it": {
    by: () => edit(honest, event(17), () => ({ previous_event_hash: otherHash })),
    finds: ["link_broken"],
    about: 17
  },
  "the first event's missing link": {
    by: () => edit(honest, event(1), () => ({ previous_event_hash: otherHash })),
    finds: ["link_broken"],
    about: 1
  },
  "an event taken out": {
    by: () => recount(drop(honest, event(17))),
    finds: ["event_missing"],
    about: 18
  },
  "an event taken out and the gap closed": {
    by: () => {
      const cut = rewritten(
        { ...quiet, events: quiet.events.filter(({ sequence }) => sequence !== 17) },
        (one) => (one.sequence > 17 ? { sequence: one.sequence - 1 } : {})
      )
      return withCheckpoint(
        testBundle(cut, { signer }),
        testBundle(quiet, { signer, to: quiet.events.length - 1 })
      )
    },
    finds: ["checkpoint_root_differs"],
    about: "checkpoint"
  },
  "an event that stands twice": {
    by: () => recount(honest.flatMap((line) => (event(17)(line) ? [line, line] : [line]))),
    finds: ["event_misplaced"],
    about: 17
  },
  "two events exchanged": {
    by: () => {
      const lines = [...honest]
      const at = lines.findIndex(event(17))
      lines.splice(at, 2, ...lines.slice(at, at + 2).reverse())
      return lines
    },
    finds: ["event_missing", "event_misplaced", "event_missing"],
    about: 18
  },
  "an event slipped in at the end": {
    by: () => {
      const last = parse(honest.find(event(size)) ?? "")
      const created = Micros.format((Micros.parse(String(last.created_at)) ?? 0) + 1)
      const more = rehash({
        ...last,
        sequence: size + 1,
        previous_event_hash: last.event_hash,
        created_at: created
      })
      return recount(honest.flatMap((line) => (event(size)(line) ? [line, `${canonical(more)}\n`] : [line])))
    },
    finds: ["event_misplaced"],
    about: size + 1
  },
  "an event appended, and the range with it": {
    by: () => {
      const last = parse(honest.find(event(size)) ?? "")
      const created = Micros.format((Micros.parse(String(last.created_at)) ?? 0) + 1)
      const more = rehash({
        ...last,
        sequence: size + 1,
        previous_event_hash: last.event_hash,
        created_at: created
      })
      const longer = honest.flatMap((line) => (event(size)(line) ? [line, `${canonical(more)}\n`] : [line]))
      return recount(edit(longer, ofType("header"), () => ({ to: size + 1 })))
    },
    finds: ["checkpoint_behind"],
    about: "checkpoint"
  },
  "the newest events left out": {
    by: () => recount(drop(honest, (line) => event(size)(line) || event(size - 1)(line))),
    // The event that records the erasures is among the missing ones.
    finds: ["range_incomplete", "content_missing", "content_missing"],
    about: "bundle"
  },
  "the newest events left out, and the range with them": {
    by: () =>
      recount(
        edit(
          drop(honest, (line) => event(size)(line) || event(size - 1)(line)),
          ofType("header"),
          () => ({ to: size - 2 })
        )
      ),
    // The event that records the erasures is among the missing ones.
    finds: ["checkpoint_root_differs", "content_missing", "content_missing"],
    about: "checkpoint"
  },
  "time that goes back, in a log that was made so": {
    by: () =>
      testBundle(
        rewritten(quiet, ({ sequence, createdAt }) =>
          sequence === 17 ? { createdAt: createdAt - 5_000_000 } : {}
        ),
        { signer }
      ),
    finds: ["time_went_back"],
    about: 17
  },
  "the workspace's name": {
    by: () =>
      edit(testBundle(quiet, { signer, to: 1 }), ofType("header"), () => ({ workspace_id: "wsp_other" })),
    finds: ["header_changed"],
    about: 1
  },
  "an event from before the chain": {
    by: () => edit(honest, (line) => line === honest[1], editContent({ action: "document.viewed" })),
    finds: ["legacy_changed"],
    about: 1
  },
  "an event from before the chain left out among others": {
    by: () => recount(drop(honest, (line) => line === honest[3])),
    finds: ["legacy_changed", "legacy_changed"],
    about: -(2 ** 35) + 3
  },
  "the hash of an event from before the chain": {
    by: () =>
      edit(
        honest,
        (line) => line === honest[3],
        () => ({ content_hash: otherHash })
      ),
    finds: ["content_changed"],
    about: -(2 ** 35) + 2
  },
  "a content from before the chain in another spelling, in a log that was made so": {
    by: () =>
      testBundle(
        withHistory(({ sequence, content }) =>
          sequence === -(2 ** 35) + 2 ? { content: `${content} ` } : {}
        ),
        { signer }
      ),
    finds: ["content_not_canonical"],
    about: -(2 ** 35) + 2
  },
  "time that goes back before the chain, in a log that was made so": {
    by: () =>
      testBundle(
        withHistory(({ sequence, createdAt }) =>
          sequence === -(2 ** 35) + 2 ? { createdAt: createdAt - 5_000_000 } : {}
        ),
        { signer }
      ),
    finds: ["time_went_back"],
    about: -(2 ** 35) + 2
  },
  "the last event from before the chain left out": {
    by: () => recount(drop(honest, (line) => line === honest[5])),
    finds: ["legacy_changed"],
    about: 1
  },
  "history from before a chain that has none": {
    by: () =>
      recount([
        testBundle(quiet, { signer })[0] ?? "",
        ...honest.filter(ofType("legacy")),
        ...testBundle(quiet, { signer }).slice(1)
      ]),
    finds: ["legacy_changed"],
    about: 1
  },
  "the first event of a range, made anew after another one": {
    by: () =>
      edit(testBundle(quiet, { signer, from: 10 }), event(10), (value) =>
        rehash({ ...value, previous_event_hash: otherHash })
      ),
    finds: ["link_broken", "checkpoint_root_differs"],
    about: 11
  }
})
