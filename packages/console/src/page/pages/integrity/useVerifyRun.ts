/** Runs a verification, request by request, until the end or until it is stopped. */
import type { SessionCalls } from "@cairn/client/session"
import { useEffect, useRef, useState } from "preact/hooks"
import { type Fault, faultOf } from "../../data/Fault.ts"
import { useSession } from "../../data/Session.ts"
import { addPart, PART, type VerifyRun } from "./VerifyRun.ts"

/** The part of the log that is verified, by times in ISO 8601. */
export interface Range {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Where a verification stands. */
export interface RunState {
  readonly phase: "idle" | "running" | "stopped" | "done"
  readonly range: Range
  readonly run: VerifyRun | undefined
  readonly fault: Fault | undefined
}

const IDLE: RunState = { phase: "idle", range: {}, run: undefined, fault: undefined }

const pause = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000)
    signal.addEventListener("abort", () => {
      clearTimeout(timer)
      resolve()
    })
  })

/** One request; one that comes too soon is made again when it may be. */
const readPart = async (
  { events }: SessionCalls,
  { from, to }: Range,
  signal: AbortSignal
): ReturnType<SessionCalls["events"]["verify"]> => {
  for (;;) {
    try {
      return await events.verify({ from, to, limit: PART }, { signal })
    } catch (error) {
      const fault = faultOf(error)
      if (fault.kind !== "busy" || signal.aborted) throw error
      await pause(fault.seconds, signal)
    }
  }
}

/** A verification that can be started and stopped. */
export const useVerifyRun = () => {
  const { calls } = useSession()
  const [state, setState] = useState<RunState>(IDLE)
  const control = useRef<AbortController>(undefined)
  useEffect(() => () => control.current?.abort(), [])

  const walk = async (range: Range, signal: AbortSignal): Promise<void> => {
    let run: VerifyRun | undefined
    do {
      const from = run?.next ?? range.from
      const { data } = await readPart(calls, { ...range, from }, signal)
      if (signal.aborted) return
      run = addPart(run, data)
      setState({ phase: run.next === undefined ? "done" : "running", range, run, fault: undefined })
    } while (run.next !== undefined)
  }

  return {
    state,
    start: (range: Range) => {
      control.current?.abort()
      const controller = new AbortController()
      control.current = controller
      setState({ ...IDLE, phase: "running", range })
      walk(range, controller.signal).catch((error) => {
        if (controller.signal.aborted) return
        setState((before) => ({ ...before, phase: "stopped", fault: faultOf(error) }))
      })
    },
    stop: () => {
      control.current?.abort()
      setState((before) => ({ ...before, phase: "stopped" }))
    }
  }
}
