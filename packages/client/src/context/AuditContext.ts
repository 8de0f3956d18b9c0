/** What every event of a running request has: carried by AsyncLocalStorage across every await. */
import { AsyncLocalStorage } from "node:async_hooks"
import { joined } from "../Joined.ts"
import type { EventInput } from "../Types.ts"

/** Members that events get from their context. */
export type ContextFields = Partial<EventInput>

interface Running {
  /** What was set, later over earlier. */
  readonly fields: ContextFields
  /** What is asked for anew at each event, since a handler may learn it later. */
  readonly ask: () => ContextFields
  /** What it runs within. */
  readonly outer: Running | undefined
}

/** A context that a request runs in; what is in it changes while it does. */
export interface RunningContext {
  current: Running
}

const storage = new AsyncLocalStorage<RunningContext>()

const fieldsOf = ({ fields, ask, outer }: Running): ContextFields =>
  joined(joined(outer === undefined ? {} : fieldsOf(outer), ask()), fields)

/**
 * The members that an event gets here: for the `context` of a client or an outbox. `undefined` outside of a
 * request.
 */
export const auditContext = (): ContextFields | undefined => {
  const running = storage.getStore()
  return running && fieldsOf(running.current)
}

/** A context for a request, which middleware enters once or more often. */
export const makeContext = (ask: () => ContextFields): RunningContext => ({
  current: { fields: {}, ask, outer: storage.getStore()?.current }
})

/** Runs `run`, and all that it starts, in a context. */
export const enterContext = <A>(context: RunningContext, run: () => A): A => storage.run(context, run)

/** Runs `run`, and all that it starts, with these members for each event, over those that are there. */
export const withAuditContext = <A>(fields: ContextFields, run: () => A): A =>
  enterContext({ current: { fields, ask: () => ({}), outer: storage.getStore()?.current } }, run)

/**
 * Sets members for each further event of the running request, such as the actor once it is known. Whether
 * there is a request: outside of one, nothing is set.
 */
export const setAuditContext = (fields: ContextFields): boolean => {
  const running = storage.getStore()
  if (running === undefined) return false
  running.current = { ...running.current, fields: joined(running.current.fields, fields) }
  return true
}
