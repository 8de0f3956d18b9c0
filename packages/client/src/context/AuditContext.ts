/** What every event of a running request has: carried by AsyncLocalStorage across every await. */
import { AsyncLocalStorage } from "node:async_hooks"
import { joined } from "../Joined.ts"
import type { EventInput } from "../Types.ts"

/** Members that events get from their context. */
export type ContextFields = Partial<EventInput>

/** A context that a request runs in; what is set in it changes while it does. */
export interface RunningContext {
  /** What was set, later over earlier. */
  fields: ContextFields
  /**
   * Called for each event, since a handler may learn more members later; it gets the members of the outer
   * context. A job has none.
   */
  readonly ask: ((outer: ContextFields) => ContextFields) | undefined
  /** What it runs within. */
  readonly outer: RunningContext | undefined
}

/** What of a request or response of Node this needs. */
export interface EmitterLike {
  emit(name: string | symbol, ...values: ReadonlyArray<unknown>): boolean
}

/** Where the storage is, and the version of what it holds. */
const CONTEXT = Symbol.for("@cairn/client/context/1")

/**
 * One for all copies of this package in a process, such as that of a bundler beside that of Node: the
 * middleware may be in one and what logs events in another.
 */
const sharedStorage = (): AsyncLocalStorage<RunningContext> => {
  const global = globalThis as { [CONTEXT]?: AsyncLocalStorage<RunningContext> }
  global[CONTEXT] ??= new AsyncLocalStorage()
  return global[CONTEXT]
}

const storage = sharedStorage()

const fieldsOf = ({ fields, ask, outer }: RunningContext): ContextFields => {
  const around = outer === undefined ? {} : fieldsOf(outer)
  return joined(ask === undefined ? around : joined(around, ask(around)), fields)
}

const isWithin = (inner: RunningContext | undefined, context: RunningContext): boolean =>
  inner !== undefined && (inner === context || isWithin(inner.outer, context))

/**
 * The members that an event gets here: for the `context` of a client or an outbox. `undefined` outside of a
 * request.
 */
export const auditContext = (): ContextFields | undefined => {
  const running = storage.getStore()
  return running && fieldsOf(running)
}

/** A context for a request. */
export const makeContext = (ask: NonNullable<RunningContext["ask"]>): RunningContext => ({
  fields: {},
  ask,
  outer: storage.getStore()
})

/** Runs `run`, and all that it starts, in a context. */
export const enterContext = <A>(context: RunningContext, run: () => A): A => storage.run(context, run)

/**
 * Runs the listeners of a request or response in a context. Events such as the end of a body, or that the
 * client has gone, come from the connection, which has no context.
 */
export const bindEmitter = (context: RunningContext, emitter: EmitterLike): void => {
  const emit = emitter.emit
  emitter.emit = (...event) => {
    const run = () => emit.apply(emitter, event)
    return isWithin(storage.getStore(), context) ? run() : enterContext(context, run)
  }
}

/** Runs `run`, and all that it starts, with these members for each event, over those that are there. */
export const withAuditContext = <A>(fields: ContextFields, run: () => A): A => {
  const around = storage.getStore()
  // A job within a job has its members: it does not hold on to it, which may have begun a million others.
  const job = around !== undefined && around.ask === undefined ? around : undefined
  return enterContext(
    job === undefined
      ? { fields, ask: undefined, outer: around }
      : { fields: joined(job.fields, fields), ask: undefined, outer: job.outer },
    run
  )
}

/**
 * Sets members for each further event of the running request, such as the actor once it is known; within
 * {@link withAuditContext}, for that alone. Whether there is a request: outside of one, nothing is set.
 */
export const setAuditContext = (fields: ContextFields): boolean => {
  const running = storage.getStore()
  if (running === undefined) return false
  running.fields = joined(running.fields, fields)
  // Middleware within middleware is one request.
  for (let inner = running; inner.ask !== undefined && inner.outer?.ask !== undefined; inner = inner.outer) {
    inner.outer.fields = joined(inner.outer.fields, fields)
  }
  return true
}
