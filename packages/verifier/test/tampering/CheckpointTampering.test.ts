/**
 * Every way to tamper with the checkpoint of a bundle, and with what is said of the whole of it, that we
 * could think of.
 */
import { testBundle, testLog } from "@cairn/testing"
import { signer } from "../Bundles.ts"
import {
  anchor,
  describeTampering,
  drop,
  edit,
  event,
  honest,
  log,
  objectIn,
  ofType,
  otherHash,
  quiet,
  recount,
  rewritten,
  signedBy,
  size,
  withCheckpoint
} from "./Tampering.ts"

describeTampering({
  "every event left out": {
    by: () => recount(drop(drop(drop(honest, ofType("event")), ofType("anchor")), ofType("legacy"))),
    finds: ["range_incomplete"],
    about: "bundle"
  },
  "the whole log written anew, every hash recomputed, under the old checkpoint": {
    by: () => {
      const other = rewritten(quiet, ({ sequence }) => (sequence === 3 ? { salt: "0".repeat(32) } : {}))
      return withCheckpoint(testBundle(other, { signer }), testBundle(quiet, { signer }))
    },
    finds: ["checkpoint_root_differs"],
    about: "checkpoint"
  },
  "the whole log written anew, under a checkpoint of the tamperer's own": {
    by: () =>
      signedBy(
        9,
        rewritten(quiet, ({ sequence }) => (sequence === 3 ? { salt: "0".repeat(32) } : {}))
      ),
    finds: ["checkpoint_not_signed"],
    about: "checkpoint"
  },
  "a removal made up": {
    by: () => {
      const erased = testLog({ events: 30, erased: [17] })
      const lines = testBundle({ ...erased, anchors: [] }, { signer, to: 20 })
      return edit(lines, ofType("removal"), (value) => {
        const proven = objectIn(value.event)
        const content = { ...objectIn(proven.content), metadata: { sequences: [17, 18] } }
        return { event: { ...proven, content } }
      })
    },
    finds: ["removal_not_in_log", "content_missing"],
    about: 31
  },
  "a checkpoint's size": {
    by: () =>
      edit(honest, ofType("checkpoint"), ({ note }) => ({
        note: String(note).replace(`\n${size}\n`, `\n${size + 1}\n`)
      })),
    finds: ["checkpoint_not_signed", "checkpoint_root_differs"],
    about: "checkpoint"
  },
  "the checkpoint left out, for an auditor who has the key": {
    by: () => drop(honest, ofType("checkpoint")),
    finds: ["checkpoint_missing"],
    about: "bundle"
  },
  "a checkpoint signed by someone else": {
    by: () => withCheckpoint(honest, signedBy(9)),
    finds: ["checkpoint_not_signed"],
    about: "checkpoint"
  },
  "a checkpoint of another log": {
    by: () => withCheckpoint(honest, testBundle({ ...log, origin: "cairn.test/other" }, { signer })),
    finds: ["checkpoint_of_another_log"],
    about: "checkpoint"
  },
  "a checkpoint that is no note": {
    by: () => edit(honest, ofType("checkpoint"), () => ({ note: "signed, the service" })),
    finds: ["checkpoint_malformed"],
    about: "checkpoint"
  },
  "an older checkpoint than the range": {
    by: () => withCheckpoint(honest, testBundle(log, { signer, to: 40, size: 50 })),
    finds: ["checkpoint_behind"],
    about: "checkpoint"
  },
  "the way from the range to the checkpoint": {
    by: () => edit(testBundle(log, { signer, to: 40 }), ofType("checkpoint"), () => ({ after: [otherHash] })),
    finds: ["checkpoint_root_differs"],
    about: "checkpoint"
  },
  "what stands before the range": {
    by: () => edit(testBundle(quiet, { signer, from: 10 }), ofType("prefix"), () => ({ log: [otherHash] })),
    finds: ["checkpoint_root_differs"],
    about: "checkpoint"
  },
  "a frontier before the range that no log has": {
    by: () =>
      edit(testBundle(quiet, { signer, from: 10 }), ofType("prefix"), () => ({
        log: [otherHash, otherHash]
      })),
    finds: ["prefix_malformed"],
    about: "bundle"
  },
  "the link across the edge of the range": {
    by: () =>
      edit(testBundle(quiet, { signer, from: 10 }), event(10), () => ({ previous_event_hash: otherHash })),
    finds: ["header_changed", "checkpoint_root_differs"],
    about: 10
  },
  "the number of lines in the closing line": {
    by: () => edit(honest, ofType("end"), () => ({ events: size - 1 })),
    finds: ["counts_differ"],
    about: "bundle"
  },
  "an anchor left out at the end": {
    by: () => drop(honest, anchor(40)),
    finds: ["counts_differ"],
    about: "bundle"
  },
  "the closing line left out": {
    by: () => drop(honest, ofType("end")),
    finds: ["cut_off"],
    about: "bundle"
  },
  "a range that ends before it begins": {
    by: () => edit(honest, ofType("header"), () => ({ from: size + 9 })),
    finds: ["range_incomplete", "legacy_changed", "event_misplaced", "anchor_misplaced", "anchor_misplaced"],
    about: "bundle"
  },
  "the log's name": {
    by: () => edit(honest, ofType("header"), () => ({ origin: "cairn.test/other" })),
    finds: ["transaction_payload", "transaction_payload", "checkpoint_of_another_log"],
    about: "anchor"
  }
})
