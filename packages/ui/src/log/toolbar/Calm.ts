/** Values that change often, for those who listen: they hear of them when it is time. */
import { useEffect, useState } from "preact/hooks"

/**
 * What a value was when it was announced last. A change is announced once `wait` milliseconds have passed
 * without another one, or since the announcement before, as `since` says.
 */
export const useCalm = <A>(value: A, wait: number, since: "change" | "told"): A => {
  const [calm, setCalm] = useState({ value, at: Number.NEGATIVE_INFINITY })
  useEffect(() => {
    if (value === calm.value) return
    const left = since === "told" ? calm.at + wait - performance.now() : wait
    const timer = setTimeout(() => setCalm({ value, at: performance.now() }), Math.max(0, left))
    return () => clearTimeout(timer)
  }, [value, calm])
  return calm.value
}
