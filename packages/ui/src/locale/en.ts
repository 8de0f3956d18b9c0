/** English. */
import type { Messages } from "./MessageTable.ts"
import { enSentences } from "./sentences/en.ts"

export const en: Messages = {
  title: "Audit log",
  loading: "Loading…",
  retry: "Try again",
  close: "Close",
  refresh: "Refresh",
  previous: "Newer event",
  next: "Older event",
  filters: "Filters",
  clearFilters: "Clear filters",
  remove: (label) => `Remove filter: ${label}`,
  conditions: {
    search: "Search",
    action: "Action",
    actor_id: "Actor",
    resource: "Resource",
    resource_id: "Resource id",
    resource_name: "Resource name",
    session_id: "Session",
    tenant_id: "Tenant",
    target_type: "Target type",
    target_id: "Target",
    category: "Category",
    country: "Country",
    from: "From",
    to: "To"
  },
  searchHint: "Actor, action, resource, details",
  actionHint: "user.created or user.*",
  actorHint: "Id or name",
  unknownActor: "No known name, so it was taken as an id. The search finds names in events.",
  starNotes: {
    action: "Only .* at the end and *. at the beginning work, as in user.* and *.deleted",
    search: "Finds the text anywhere, so it needs no *",
    whole: "Compared as a whole: * is an ordinary character here"
  },
  period: "Period",
  periods: {
    all: "All time",
    hour: "Last hour",
    day: "Last 24 hours",
    week: "Last 7 days",
    this_week: "This week (from Mon)",
    last_week: "Last week (Mon–Sun)",
    month: "Last 30 days",
    custom: "Custom"
  },
  columns: {
    verification: "Verification",
    actor: "Actor",
    action: "Action",
    resource: "Resource",
    place: "Location"
  },
  showRelative: "Show relative times",
  showAbsolute: "Show exact times",
  counting: "Counting…",
  total: (count, formatted) => `${formatted} ${count === 1 ? "event" : "events"}`,
  activity: "Activity",
  activityHint: "Choose a period by dragging across the chart, or with the arrow keys and Enter.",
  activitySummary: (total, from, to, most, at) =>
    `${total} events from ${from} to ${to}; most of them, ${most}, around ${at}`,
  empty: "Nothing has happened yet",
  emptyHint: "Events appear here moments after they are recorded.",
  emptyFiltered: "No event matches",
  emptyFilteredHint: "Change or clear the filters to see more.",
  expired: "This view has expired",
  expiredHint: "Reload the page that you came from to go on.",
  missing: "This view was opened without access",
  missingHint: "Open it from the product that shows it to you.",
  refused: "This view may not be shown",
  refusedHint: "Its access does not cover this audit log.",
  gone: "This event is not here",
  goneHint: "It does not exist, is no longer kept, or is not yours to see.",
  failed: "The audit log could not be reached",
  failedHint: "Check your connection and try again.",
  busy: (seconds) => `Too many requests. Trying again in ${seconds} s.`,
  unavailable: (seconds) => `The service cannot answer right now. Trying again in ${seconds} s.`,
  byCairn: "Recorded by Cairn itself",
  marks: {
    checking: "Being verified",
    proven: "Verified",
    broken: "Verification failed",
    unchecked: "Not verified"
  },
  provenStatement: (sequence, size) =>
    `What you see is exactly what the log holds as event ${sequence} of ${size}. A change to it would change the log's fingerprint.`,
  provenHere: "Your browser computed this itself, from the event and its proof.",
  signedBy: (key) => `The state of the log is signed by ${key}.`,
  notSigned: "Who signed the log's state was not checked: no key was given for that.",
  anchoredIn: (id) => `It is part of anchor ${id}, whose root is meant for a public blockchain.`,
  notAnchored: "It is in no anchor on a blockchain yet.",
  brokenStatement:
    "This event is not what the log's proof holds. It may have been changed after it was recorded.",
  uncheckedReasons: {
    no_hash: "It was recorded before the log became verifiable.",
    no_proof: "There is no proof of it yet. It follows moments after recording.",
    unreachable: "Its proof could not be loaded."
  },
  expected: "Expected",
  found: "Found",
  log: "Log",
  changes: "Changes",
  field: "Field",
  before: "Before",
  after: "After",
  absent: "not set",
  metadata: "More details",
  foundIn: (words, fields) => `“${words}” was found in: ${fields}.`,
  targets: "Also affected",
  details: "Event details",
  fields: {
    recorded: "Recorded",
    occurred: "Occurred",
    actor: "Actor",
    resource: "Resource",
    category: "Category",
    place: "Location",
    tenant: "Tenant",
    session: "Session",
    id: "Event id",
    version: "Version",
    idempotencyKey: "Idempotency key",
    eventHash: "Hash",
    previousHash: "Hash of the event before"
  },
  showMore: (count) => `Show ${count} more`,
  copy: "Copy as JSON",
  copied: "Copied",
  copyFailed: "Could not be copied",
  onlyThis: (label) => `Show only: ${label}`,
  live: { news: (count, formatted) => `${formatted} new ${count === 1 ? "event" : "events"}` },
  exportOf: {
    busy: (seconds) => `The service is busy. Try again in ${seconds} s.`,
    as: (format) => `Export as ${format}`,
    cancel: "Cancel export",
    saved: "Exported",
    failed: "Not exported",
    refused: "This may not be exported, or the month's exports are used up."
  },
  verified: {
    checking: "Being verified…",
    of: (count, proven, shown) => `${proven} of ${shown} shown ${count === 1 ? "event" : "events"} verified`,
    next: "Show one that is not verified"
  },
  keys: {
    title: "Keyboard",
    single: "Single keys are shortcuts",
    skip: "Skip to the list",
    toolbar: "List",
    copyLink: "Copy link",
    uses: {
      search: "Search",
      rows: "Next and previous event",
      open: "Open the event, or choose the period",
      close: "Close the event",
      help: "These keys"
    }
  },
  print: { printed: "Printed", of: (rows, total) => `${rows} of ${total} events` },
  clock: {
    byOccurrence: "Go by occurrence",
    byRecording: "Go by recording",
    inUtc: "Show times in UTC",
    inLocal: "Show times in your zone",
    other: { occurred: (at) => `Occurred: ${at}`, recorded: (at) => `Recorded: ${at}` }
  },
  sentence: enSentences,
  drawer: {
    technical: "Technical details",
    json: "All of it, as JSON",
    added: "added",
    removed: "removed",
    changed: "changed",
    showAll: (count) => `Show all, ${count} characters`
  }
}
