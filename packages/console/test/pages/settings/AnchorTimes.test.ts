import { assert, describe, it } from "@effect/vitest"
import { type Schedule, scheduleForm, scheduleOf } from "../../../src/page/pages/settings/AnchorTimes.ts"

const SCHEDULES: ReadonlyArray<readonly [Schedule, string]> = [
  [null, "service"],
  [{ every_seconds: 3_600, offset_seconds: 0 }, "hour"],
  [{ every_seconds: 3_600, offset_seconds: 60 }, "own"],
  [{ every_seconds: 21_600, offset_seconds: 0 }, "quarter"],
  [{ every_seconds: 86_400, offset_seconds: 0 }, "day"],
  [{ every_seconds: 86_400, offset_seconds: 66_600 }, "day"],
  [{ every_seconds: 86_400, offset_seconds: 30 }, "own"],
  [{ every_seconds: 90, offset_seconds: 7 }, "own"]
]

describe("An anchor schedule", () => {
  it.each(SCHEDULES)("%j is shown as “%s”, and saved as it was", (schedule, rhythm) => {
    const form = scheduleForm(schedule)
    assert.strictEqual(form.rhythm, rhythm)
    assert.deepStrictEqual(scheduleOf(form), schedule)
  })

  it("of every day has its time in UTC", () => {
    assert.strictEqual(scheduleForm({ every_seconds: 86_400, offset_seconds: 66_600 }).time, "18:30")
  })

  it("is none while a number or time is missing", () => {
    const form = scheduleForm(null)
    assert.isUndefined(scheduleOf({ ...form, rhythm: "day", time: "" }))
    assert.isUndefined(scheduleOf({ ...form, rhythm: "own", every: "" }))
    assert.isUndefined(scheduleOf({ ...form, rhythm: "own", every: "1.5" }))
    assert.isUndefined(scheduleOf({ ...form, rhythm: "own", offset: "-1" }))
  })
})
