/** When the periods of a workspace's anchors end, as a person says it. */
import type { Schemas } from "../../data/Schemas.ts"

/** When periods end; null leaves it to the service. */
export type Schedule = Schemas["AnchorSchedule"] | null

/** How often periods end: usual lengths, or one's own. */
export type Rhythm = "service" | "hour" | "quarter" | "day" | "own"

/** Seconds of the usual lengths. */
const SECONDS = { hour: 3_600, quarter: 6 * 3_600, day: 86_400 } as const

/** The rhythm of a schedule. */
const rhythmOf = (schedule: Schedule): Rhythm => {
  if (schedule === null) return "service"
  const { every_seconds: every, offset_seconds: offset } = schedule
  if (every === SECONDS.day) return offset % 60 === 0 ? "day" : "own"
  if (offset !== 0) return "own"
  return every === SECONDS.hour ? "hour" : every === SECONDS.quarter ? "quarter" : "own"
}

/** The time of the day (UTC) at which a daily period ends, such as `18:30`. */
export const timeOfDay = (schedule: Schedule): string =>
  schedule === null || schedule.every_seconds !== SECONDS.day
    ? "00:00"
    : new Date(schedule.offset_seconds * 1_000).toISOString().slice(11, 16)

/** What the form holds. */
export interface ScheduleForm {
  readonly rhythm: Rhythm
  /** Of a daily period: `HH:MM`. */
  readonly time: string
  /** Of a period of one's own, both in seconds. */
  readonly every: string
  readonly offset: string
}

/** The form of a schedule. */
export const scheduleForm = (schedule: Schedule): ScheduleForm => ({
  rhythm: rhythmOf(schedule),
  time: timeOfDay(schedule),
  every: String(schedule?.every_seconds ?? SECONDS.day),
  offset: String(schedule?.offset_seconds ?? 0)
})

const whole = (text: string): number | undefined => {
  const value = Number(text)
  return text.trim() !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/**
 * The schedule of the form; undefined where a number or time is missing. Limits are the service's to check.
 */
export const scheduleOf = ({ rhythm, time, every, offset }: ScheduleForm): Schedule | undefined => {
  if (rhythm === "service") return null
  if (rhythm === "hour" || rhythm === "quarter") {
    return { every_seconds: SECONDS[rhythm], offset_seconds: 0 }
  }
  if (rhythm === "day") {
    const [hours, minutes] = time.split(":").map(Number)
    if (hours === undefined || minutes === undefined || Number.isNaN(hours + minutes)) return undefined
    return { every_seconds: SECONDS.day, offset_seconds: hours * 3_600 + minutes * 60 }
  }
  const [every_seconds, offset_seconds] = [whole(every), whole(offset)]
  return every_seconds === undefined || offset_seconds === undefined
    ? undefined
    : { every_seconds, offset_seconds }
}
