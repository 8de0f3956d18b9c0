/** English. */
import type { RulesTable } from "./RulesTable.ts"

export const rulesEnglish: RulesTable = {
  hint: "A rule watches the log and raises an alert when something in it looks wrong.",
  list: "Alert rules",
  newRule: "New rule",
  allRules: "All rules",
  empty: "No rule watches this log yet",
  emptyHint:
    "Make one: while you fill it in, you see which alerts it would have raised over all that has been recorded.",
  limit: (used, limit) => `${used} of ${limit} rules of the plan`,
  limitReached: "The plan allows no more rules, on or off. Delete one to make another.",
  columns: {
    rule: "Rule",
    watches: "What it watches",
    state: "State",
    changed: "Changed",
    actions: "Actions"
  },
  on: "On",
  off: "Off",
  watching: (name) => `Watching: ${name}`,
  edit: "Edit",
  editNamed: (name) => `Edit ${name}`,
  remove: "Delete",
  removeNamed: (name) => `Delete ${name}`,
  removeTitle: "Delete this rule?",
  removeExplained: (name) =>
    `“${name}” stops watching at once and cannot be brought back. The alerts that it raised stay. To stop it for a while, turn it off instead.`,
  types: {
    new_country: {
      name: "New country",
      hint: "Somebody acts from a country they were never seen in.",
      first: "Access from a new country"
    },
    high_volume_destructive: {
      name: "Mass deletion",
      hint: "Many deletions, removals or revocations in a short time.",
      first: "Mass deletion"
    },
    ingestion_spike: {
      name: "Spike of events",
      hint: "Many more events than in the hour before.",
      first: "Unusually many events"
    },
    repeated_action: {
      name: "Repeated action",
      hint: "Somebody repeats one action rapidly, as a script would.",
      first: "Rapid repetition"
    },
    off_hours: {
      name: "Off hours",
      hint: "Something happens outside business hours.",
      first: "Work outside business hours"
    }
  },
  newCountry: "Somebody acts from a country they were never seen in before.",
  destructive: (threshold, within, isOne) =>
    `${isOne ? "One actor performs" : "All actors together perform"} ${threshold} or more destructive actions within ${within}.`,
  repeated: (threshold, within) => `An actor performs the same action ${threshold} times within ${within}.`,
  spike: (factor, within, minimum) =>
    `More than ${factor} times as many events within ${within} as on average in the hour before, and at least ${minimum}.`,
  offHours: (days, start, end, timezone) =>
    `Something happens outside ${days}, ${start} to ${end} (${timezone}).`,
  offHoursAlways: "Anything happens at all: no day is a working day.",
  patterns: "Actions that count:",
  onlyAction: "Only actions:",
  onlyTenant: "Only tenant:",
  pause: (span) => `Then no further alert by the same actor for ${span}.`,
  pauseWhole: (span) => `Then no further alert for ${span}.`,
  noPause: "Every event that qualifies raises an alert.",
  form: {
    create: "Create rule",
    save: "Save changes",
    cancel: "Cancel",
    unchanged: "Nothing has been changed yet.",
    type: "What to look for",
    typeStays: "The type of a rule never changes. For another type, make another rule.",
    name: "Name",
    nameHint: "Alerts carry it, in mails and webhooks too.",
    enabled: "Turned on",
    enabledHint: "Off, the rule stays and watches nothing.",
    what: "When to raise an alert",
    which: "Which events",
    whichHint: "All of them, unless you narrow it down.",
    often: "How often",
    patterns: "Actions that count",
    patternsHint: "A pattern a line; * stands for any characters, as in *.deleted.",
    threshold: "How many",
    destructiveHint: "1 to 1,000 such actions.",
    repeatedHint: "2 to 1,000 times.",
    within: "Within",
    withinHint: "A day at most.",
    scope: "Counted for",
    scopeHint: "Together finds what several accounts do in turn.",
    scopes: { actor: "each actor by itself", workspace: "all actors together" },
    window: "Window",
    windowHint: "Its events are compared with the average of the hour before.",
    factor: "Times the average",
    factorHint: "More than 1; 5 means five times as many as usual.",
    minimum: "Events at least",
    minimumHint: "Fewer in a window are never a spike, so that a quiet night does not make one.",
    timezone: "Time zone",
    timezoneHint: "A name such as Europe/Berlin. Daylight saving is taken into account.",
    days: "Working days",
    noDays: "Without a working day, every action is off hours.",
    start: "Work begins",
    end: "Work ends",
    startHint: "The first minute of work.",
    endHint: "The first minute after it; before the start: next day.",
    action: "Only actions",
    actionHint: "A pattern such as document.* or *.exported; empty for all.",
    tenant: "Only tenant",
    tenantHint: "A tenant's id; empty for all.",
    cooldown: "Pause after an alert",
    cooldownHint:
      "For this long the same actor raises no further alert by this rule; a week at most, 0 for none.",
    unitOf: (field) => `${field}: unit`,
    units: { second: "seconds", minute: "minutes", hour: "hours", day: "days" },
    faults: {
      required: () => "Give it a name.",
      long: (_, most) => `At most ${most} characters.`,
      between: (least, most) => `A whole number from ${least} to ${most}.`,
      factor: (_, most) => `A number above 1, at most ${most}.`,
      span: (least, most) => `Whole seconds, from ${least} to ${most}.`,
      patterns: (_, most) => `1 to ${most} patterns, each at most 256 characters long.`,
      timezone: () => "Not a known time zone. Choose one of the list, such as Europe/Berlin.",
      time: () => "A time of day, such as 09:00.",
      kept: () => "A tenant can be replaced, but not lifted. For a rule without one, make another rule.",
      keptAction: () => "A pattern can be replaced, but not lifted. For every action, enter *."
    }
  },
  trial: {
    title: "What it would have raised",
    hint: "The rule as it stands in the form, run over the whole log. Nothing is stored, nobody is notified.",
    running: "Running it over the log…",
    unfinished: "Correct the form to see it.",
    noEvents: "Nothing has been recorded yet that it could be tried on.",
    none: (events) => `It would have raised no alert over ${events} events`,
    some: (count, alerts, events) =>
      `It would have raised ${alerts} ${count === 1 ? "alert" : "alerts"} over ${events} events`,
    recent: (alerts) => `, ${alerts} in the last 7 days`,
    more: (alerts, events) =>
      `It would have raised more than ${alerts} alerts over the first ${events} events`,
    moreHint:
      "What follows shows the first of them. A rule that raises so many is soon ignored: make it narrower.",
    alerts: "Alerts",
    events: "Events",
    upTo: (most) => `up to ${most}`,
    bar: (at, alerts, events) => `${at} — alerts: ${alerts}, events: ${events}`,
    plot: (alerts, from, to, most, at) =>
      `${alerts} alerts from ${from} to ${to}; the most at once, ${most}, around ${at}`,
    first: "The first alerts",
    rest: (_, formatted) => `and ${formatted} more`,
    event: "Event"
  }
}
