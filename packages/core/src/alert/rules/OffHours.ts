/** `off_hours`: an action occurs outside working hours. */
import { Effect, Schema } from "effect"
import * as Micros from "../../encoding/Micros.ts"
import { isTimeZone, isWithin, localClock, minuteOfDay } from "../BusinessHours.ts"
import { actorLabel, type RuleEvaluator } from "../RuleEvaluator.ts"

const clock = (latest: string) =>
  Schema.String.check(
    Schema.makeFilter((text: string) => {
      const minute = minuteOfDay(text)
      return minute !== undefined && text <= latest
        ? undefined
        : `must be a time between 00:00 and ${latest}, as HH:MM`
    })
  )

/**
 * The parameters, each with its default. Days and hours are local to `timezone`, including daylight saving.
 */
export const OffHoursParameters = Schema.Struct({
  /** A name of the IANA time-zone database. */
  timezone: Schema.String.check(
    Schema.makeFilter((text: string) =>
      isTimeZone(text) ? undefined : "must be a name of the IANA time-zone database, such as Europe/Berlin"
    )
  ).pipe(Schema.withDecodingDefaultKey(Effect.succeed("UTC"))),
  /** Working days, 1 = Monday … 7 = Sunday. If there are none, every action is off hours. */
  days: Schema.Array(Schema.Number)
    .check(
      Schema.makeFilter((days: ReadonlyArray<number>) =>
        days.every((day) => Number.isInteger(day) && day >= 1 && day <= 7) &&
        new Set(days).size === days.length
          ? undefined
          : "must be different days from 1 (Monday) to 7 (Sunday)"
      )
    )
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([1, 2, 3, 4, 5]))),
  /** The first minute of work. */
  start: clock("23:59").pipe(Schema.withDecodingDefaultKey(Effect.succeed("09:00"))),
  /** The first minute after work; if it is at or before `start`, it is on the next day. */
  end: clock("24:00").pipe(Schema.withDecodingDefaultKey(Effect.succeed("18:00")))
}).annotate({ identifier: "OffHoursParameters" })
export type OffHoursParameters = typeof OffHoursParameters.Type

const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]

/** Evaluates each event separately, by when it occurred and not by when it was recorded. */
export const offHours = (hours: OffHoursParameters): RuleEvaluator => {
  const local = localClock(hours.timezone)
  return {
    concern: ({ content }) => ({ row: null, actor: content.actor.id }),
    step: ({ content, createdAt }) => {
      const time = local(Micros.parse(content.occurred_at) ?? createdAt)
      if (isWithin(hours, time)) return undefined
      const at = `${String(Math.floor(time.minute / 60)).padStart(2, "0")}:${String(time.minute % 60).padStart(2, "0")}`
      return `${actorLabel(content)} performed ${content.action} on ${DAYS[time.day - 1]} at ${at} ${hours.timezone}, outside business hours (${hours.start} to ${hours.end})`
    },
    changed: () => []
  }
}
