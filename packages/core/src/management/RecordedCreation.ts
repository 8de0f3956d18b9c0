/**
 * Changes of the things that a workspace has, each recorded in its log before it is made. They take turns, so
 * that the record is true: if two requests want the last place, only one is recorded as its taker.
 */
import { Effect, Option, type Result } from "effect"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import type { ManagementChange, ManagementEvents, Manager } from "./ManagementEvent.ts"
import { NotFound } from "./NotFound.ts"
import { makeOnePerKey } from "./OnePerKey.ts"

/** Where things of one kind are kept. */
interface Things<A> {
  readonly list: (workspaceId: string) => Effect.Effect<ReadonlyArray<A>, StorageUnavailable>
  readonly create: <E>(
    item: A,
    admit: (existing: ReadonlyArray<A>) => Result.Result<void, E>
  ) => Effect.Effect<void, E | StorageUnavailable>
}

/** Runs the changes of a workspace one after the other. */
export type Turns = ReturnType<typeof makeOnePerKey>

/** Makes the turns of one kind of thing. */
export const makeTurns = (): Turns => makeOnePerKey()

/** For `Effect.fn`: runs a change of the workspace that is its second argument in its turn. */
export const inTurn =
  ({ turns }: { readonly turns: Turns }) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>, _by: Manager, workspaceId: string): Effect.Effect<A, E, R> =>
    turns(workspaceId)(effect)

/** The nouns of the changes that can be refused. */
const NOUNS: ReadonlyArray<readonly [end: string, noun: string]> = [
  ["created", "creation"],
  ["updated", "update"],
  ["deleted", "deletion"],
  ["rotated", "rotation"],
  ["ended", "end"]
]

/** The action that says that another one did not happen: `cairn.member.creation_refused`. */
const refusalOf = (action: string): string => {
  const [end, noun] = NOUNS.find(([end]) => action.endsWith(end)) ?? ["", ""]
  return `${action.slice(0, action.length - end.length)}${noun}_refused`
}

/** Whether the store has failed, so that it is not known what became of a change. */
const isUnknown = (error: object): boolean => "_tag" in error && error._tag === "StorageUnavailable"

/**
 * Records that a recorded change did not happen after all, since another process was faster: an event
 * `…_refused` with the reason.
 */
export const recordRefusal =
  ({ events }: { readonly events: ManagementEvents["Service"] }, by: Manager, change: ManagementChange) =>
  <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.tapError(effect, (error) =>
      isUnknown(error)
        ? Effect.void
        : events.record(by, {
            ...change,
            action: refusalOf(change.action),
            metadata: { reason: error.message }
          })
    )

/**
 * Records that a thing changes, and changes it. Another process may have removed it since, or have changed it
 * so that this change is refused; then a second event says that the first one did not happen.
 */
export const changeRecorded = Effect.fnUntraced(function* <A, E extends { readonly message: string } = never>(
  { events }: { readonly events: ManagementEvents["Service"] },
  by: Manager,
  change: ManagementChange,
  what: string,
  modify: Effect.Effect<Option.Option<A>, E>
) {
  yield* events.record(by, change)
  const { id } = change.resource
  return yield* modify.pipe(
    Effect.flatMap(Option.match({ onNone: () => new NotFound({ what, id }), onSome: Effect.succeed })),
    recordRefusal({ events }, by, change)
  )
})

/**
 * Records that a thing is created, and creates it, if `admit` allows it beside what the workspace has. Only
 * another process can take its place between the record and the creation; then a second event,
 * `….creation_refused`, says that the first one did not happen.
 */
export const createRecorded = Effect.fnUntraced(
  function* <A, E extends { readonly message: string }>(
    { events }: { readonly events: ManagementEvents["Service"]; readonly turns: Turns },
    by: Manager,
    change: ManagementChange,
    {
      things,
      item,
      admit
    }: {
      readonly things: Things<A>
      readonly item: A
      readonly admit: (existing: ReadonlyArray<A>) => Result.Result<void, E>
    }
  ) {
    yield* Effect.fromResult(admit(yield* things.list(change.workspaceId)))
    yield* events.record(by, change)
    yield* things.create(item, admit).pipe(recordRefusal({ events }, by, change))
  },
  (effect, { turns }, _by, { workspaceId }) => turns(workspaceId)(effect)
)
