/**
 * Notifies a workspace's owners and admins, including recent former ones, that contents will be kept for a
 * shorter time: at once, and again a day before it takes effect.
 *
 * Each mail's id is derived from the announcement and the receiver, and the outbox accepts an id once. That
 * the mails are stored is recorded only afterwards, so an interrupted run is repeated and nobody is mailed
 * twice. Any number of processes may do this.
 */
import { Context, Effect, Layer, Result } from "effect"
import * as Micros from "../encoding/Micros.ts"
import { Sha256 } from "../hashing/Sha256.ts"
import { ClockGuard } from "../log/ClockGuard.ts"
import type { StorageUnavailable } from "../log/StorageUnavailable.ts"
import { loadAudience, mailDeliveries } from "../outbound/Announcement.ts"
import { Outbox } from "../outbound/Outbox.ts"
import type { Webhooks } from "../outbound/Webhooks.ts"
import { type ManagedWorkspace, ManagedWorkspaces } from "../workspace/ManagedWorkspace.ts"
import type { Members } from "../workspace/Members.ts"
import type { RetentionHold, RetentionSettings } from "../workspace/RetentionSettings.ts"
import { departedSince, type PendingRetention, pendingRetention } from "../workspace/RetentionWindow.ts"

/** How long before it takes effect the reminder is sent. */
const REMIND_BEFORE: Micros.Micros = Micros.DAY

/** Which of the two mails. */
type Mail = "announced" | "reminded"

/**
 * The mails about a hold that are due at `now`. A hold that was set with no more than a day to go has only
 * one mail.
 */
const dueMails = (hold: RetentionHold, now: Micros.Micros): ReadonlyArray<Mail> => {
  const remindAt = hold.until - REMIND_BEFORE
  return [
    ...(hold.announced ? [] : ["announced" as const]),
    ...(hold.reminded || remindAt <= hold.since || now < remindAt ? [] : ["reminded" as const])
  ]
}

/** The same settings with the mails about some holds recorded, unless other holds have replaced them. */
const noted = (
  settings: RetentionSettings,
  told: ReadonlyArray<RetentionHold>,
  mails: ReadonlyArray<Mail>
): RetentionSettings => {
  const note = (hold: RetentionHold | null) =>
    hold !== null && told.some(({ id }) => id === hold.id)
      ? { ...hold, ...Object.fromEntries(mails.map((mail) => [mail, true])) }
      : hold
  return { ...settings, own_hold: note(settings.own_hold), plan_hold: note(settings.plan_hold) }
}

/** The use case *announce a shorter retention*. */
export class RetentionNotices extends Context.Service<
  RetentionNotices,
  {
    /**
     * Puts the mails that are due into the outbox, and returns how many workspaces had any. Meant to run
     * every few seconds.
     */
    readonly round: Effect.Effect<number, StorageUnavailable>
  }
>()("@cairn/core/RetentionNotices") {
  /**
   * `mail` is whether the service sends mail. If not, nothing is recorded, and a service that sends mail
   * later announces what is still pending.
   */
  static readonly layer = ({ mail }: { readonly mail: boolean }) =>
    Layer.effect(
      RetentionNotices,
      Effect.gen(function* () {
        const context = yield* Effect.context<Webhooks | Members | ManagedWorkspaces>()
        const workspaces = yield* ManagedWorkspaces
        const outbox = yield* Outbox
        const sha256 = yield* Sha256
        const clock = yield* ClockGuard

        const tell = Effect.fnUntraced(function* (
          workspace: ManagedWorkspace,
          { from, to, at, holds }: PendingRetention,
          mails: ReadonlyArray<Mail>,
          now: Micros.Micros
        ) {
          // Two holds that end at the same time share a mail.
          const cause = `retention ${holds.map(({ id }) => id).join(" ")}`
          const { id: workspaceId } = workspace
          const present = yield* Effect.provide(loadAudience(workspaceId, true), context)
          const departed = departedSince(workspace.retention, holds)
          const audience = { ...present, addresses: [...new Set([...present.addresses, ...departed])] }
          if (audience.addresses.length === 0) {
            yield* Effect.logWarning(
              "Contents will be kept for a shorter time, and there is nobody to mail"
            ).pipe(Effect.annotateLogs({ workspaceId, to_days: to, takes_effect_at: Micros.format(at) }))
          }
          for (const mail of mails) {
            const notice = {
              kind: "retention_shortened",
              workspace: workspace.name,
              from_days: from,
              to_days: to,
              takes_effect_at: Micros.format(at),
              reminder: mail === "reminded"
            } as const
            yield* outbox.put(mailDeliveries(sha256, audience, notice, `${cause} ${mail}`, now))
          }
          // A crash before this leaves the mails, which the next round finds in the outbox.
          yield* workspaces
            .modify(
              workspaceId,
              ({ retention }) => Result.succeed({ retention: noted(retention, holds, mails) }),
              now
            )
            .pipe(Effect.catchTag("WorkspaceNotFound", () => Effect.void))
        })

        const tellOf = Effect.fnUntraced(function* (workspace: ManagedWorkspace, now: Micros.Micros) {
          let told = false
          for (const pending of pendingRetention(workspace, now)) {
            const mails = [...new Set(pending.holds.flatMap((hold) => dueMails(hold, now)))]
            if (mails.length === 0) continue
            yield* tell(workspace, pending, mails, now)
            told = true
          }
          return told
        })

        const round = Effect.gen(function* () {
          if (!mail) return 0
          // With a clock that is ahead, the mail of the day before would be sent too early.
          const now = yield* clock.now
          let told = 0
          for (const workspace of yield* workspaces.list) if (yield* tellOf(workspace, now)) told++
          return told
        }).pipe(
          Effect.catchTag("ClockAhead", () => Effect.succeed(0)),
          Effect.withSpan("RetentionNotices.round")
        )

        return RetentionNotices.of({ round })
      })
    )
}
