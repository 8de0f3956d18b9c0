/** How many events a filter finds, once what is typed has settled. */
import type { SessionCalls } from "@cairn/client/session"
import { useEffect, useState } from "preact/hooks"
import { type Read, useRead } from "../../data/Read.ts"

/** Milliseconds without a change after which a value counts as settled. */
const SETTLED = 400

/** A value once it has not changed for a moment. */
export const useSettled = <A>(value: A): A => {
  const [settled, settle] = useState(value)
  const name = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => settle(value), SETTLED)
    return () => clearTimeout(timer)
  }, [name])
  return settled
}

/** The conditions of a count. */
export type Condition = NonNullable<Parameters<SessionCalls["events"]["count"]>[0]>

/** How many there are; nothing is counted while there is no condition. */
export const useCount = (condition: Condition | undefined): Read<number> =>
  useRead(
    ["count", condition],
    async ({ events }, signal) => (await events.count(condition ?? {}, { signal })).data.total,
    { enabled: condition !== undefined }
  )
