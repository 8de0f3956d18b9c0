/** `off_hours`: an action occurs outside working hours. */
import { Effect, Schema } from "effect"
import * as Micros from "../../encoding/Micros.ts"
import { isTimeZone, isWithin, localClock, minuteOfDay } from "../BusinessHours.ts"
import { actorLabel, type RuleEvaluator } from "../RuleEvaluator.ts"

const clock = (latest: string) =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => {
        const minute = minuteOfDay(text)
        return minute !== undefined && text <= latest
          ? undefined
          : `must be a time between 00:00 and ${latest}, as HH:MM`
      },
      {
        toJsonSchema: () => ({
          pattern: `^(([01][0-9]|2[0-3]):[0-5][0-9]${latest === "24:00" ? "|24:00" : ""})$`
        })
      }
    )
  )

/**
 * The parameters, each with its default. Days and hours are local to `timezone`, including daylight saving.
 */
export const OffHoursParameters = Schema.Struct({
  timezone: Schema.String.check(
    Schema.makeFilter(
      (text: string) =>
        isTimeZone(text) ? undefined : "must be a name of the IANA time-zone database, such as Europe/Berlin",
      { toJsonSchema: () => ({ minLength: 1 }) }
    )
  )
    .annotate({
      description: "A name of the IANA time-zone database, such as `Europe/Berlin`; `UTC` unless given"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("UTC"))),
  days: Schema.Array(Schema.Finite.annotate({ minimum: 1, maximum: 7, multipleOf: 1 }))
    .check(
      Schema.makeFilter(
        (days: ReadonlyArray<number>) =>
          days.every((day) => Number.isInteger(day) && day >= 1 && day <= 7) &&
          new Set(days).size === days.length
            ? undefined
            : "must be different days from 1 (Monday) to 7 (Sunday)",
        { toJsonSchema: () => ({ uniqueItems: true }) }
      )
    )
    .annotate({
      description:
        "Working days, from 1 (Monday) to 7 (Sunday), Monday to Friday unless given; if there are none, every action is off hours"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed([1, 2, 3, 4, 5]))),
  start: clock("23:59")
    .annotate({ description: "The first minute of work, as `HH:MM`; `09:00` unless given" })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("09:00"))),
  end: clock("24:00")
    .annotate({
      description:
        "The first minute after work; at or before `start` it is on the next day; `18:00` unless given"
    })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed("18:00")))
}).annotate({
  identifier: "OffHoursParameters",
  description: "When people work, local to `timezone`, daylight saving included"
})
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
