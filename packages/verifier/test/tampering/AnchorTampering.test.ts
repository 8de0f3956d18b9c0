/** Every way to tamper with the anchors of a bundle that we could think of, and by what it is found. */

import { toHex } from "@cairn/core/hashing"
import { hashFromHex, merkleRoot } from "@cairn/core/merkle"
import { testBundle, testLog } from "@cairn/testing"
import { Result } from "effect"
import { sha256, signer } from "../Bundles.ts"
import {
  anchor,
  chain,
  describeTampering,
  drop,
  edit,
  editAnchor,
  event,
  honest,
  options,
  otherHash,
  quiet,
  recount,
  rewritten
} from "./Tampering.ts"

describeTampering({
  "an anchor's root": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ merkle_root: otherHash }))
      ),
    finds: ["anchor_root_differs", "transaction_payload"],
    about: "anchor"
  },
  "an anchor's number of events": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ events_count: 19 }))
      ),
    finds: ["anchor_events_differ"],
    about: "anchor"
  },
  "an anchor's first event": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ first_event_hash: otherHash }))
      ),
    finds: ["anchor_events_differ"],
    about: "anchor"
  },
  "an anchor's last event": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ last_event_hash: otherHash }))
      ),
    finds: ["anchor_events_differ"],
    about: "anchor"
  },
  "an anchor's link to the one before it": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ previous_anchor_hash: otherHash }))
      ),
    finds: ["anchor_link_broken", "transaction_payload"],
    about: "anchor"
  },
  "an anchor made the first of its chain": {
    by: () =>
      edit(
        honest,
        anchor(20),
        editAnchor(() => ({ previous_anchor_hash: otherHash }))
      ),
    finds: ["anchor_link_broken", "transaction_payload"],
    about: "anchor"
  },
  "the first anchor left out": {
    by: () => recount(drop(honest, anchor(20))),
    finds: ["anchor_missing"],
    about: "anchor"
  },
  "an anchor left out between two": {
    by: () => {
      const lines = testBundle(testLog({ ...options, periods: [20, 40, 50] }), { signer })
      return recount(drop(lines, anchor(40)))
    },
    finds: ["anchor_link_broken", "anchor_missing"],
    about: "anchor",
    knowing: { anchorAddress: chain.address }
  },
  "the first anchor of a range left out": {
    by: () => {
      const lines = testBundle(testLog({ ...options, periods: [20, 40, 50] }), { signer, from: 21 })
      return recount(drop(lines, anchor(40)))
    },
    finds: ["anchor_missing"],
    about: "anchor"
  },
  "an anchor's period": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(({ period_start: start }) => ({ period_end: start }))
      ),
    finds: ["anchor_period_differs"],
    about: "anchor"
  },
  "an anchor that stands in the midst of its events": {
    by: () => {
      const line = honest.find(anchor(40)) ?? ""
      return drop(honest, anchor(40)).flatMap((other) => (event(30)(other) ? [other, line] : [other]))
    },
    finds: ["anchor_misplaced"],
    about: "anchor"
  },
  "an anchor that is confirmed and in no block": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ block_number: null }))
      ),
    finds: ["anchor_malformed", "block_differs"],
    about: "anchor"
  },
  "an event slipped into a period that was anchored": {
    by: () => {
      const late = rewritten(quiet, ({ sequence, createdAt }) =>
        sequence > 10 ? { createdAt: createdAt - 900_000 } : {}
      )
      const leaves = late.events
        .slice(0, 10)
        .map(({ eventHash: hash }) => Result.getOrThrow(hashFromHex(hash ?? "", "leaf_data")))
      const [first] = testLog({ events: 30, periods: [10] }).anchors
      if (first === undefined) throw new Error("no anchor")
      const root = toHex(merkleRoot(sha256, leaves))
      return testBundle(
        { ...late, anchors: [{ ...first, anchor: { ...first.anchor, merkle_root: root } }] },
        { signer }
      )
    },
    finds: ["anchor_period_differs"],
    about: 11
  },
  "periods that overlap": {
    by: () =>
      edit(
        honest,
        anchor(40),
        editAnchor(() => ({ period_start: "2024-05-01T12:00:00Z" }))
      ),
    finds: ["anchor_period_differs"],
    about: "anchor"
  }
})
