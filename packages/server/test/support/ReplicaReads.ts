/** What is read of a log that grows, of whichever server answers. */
import { Page, type StorePosition } from "@cairn/core/log"
import { Export } from "@cairn/core/outbound"
import type { SeededRandom } from "@cairn/testing"
import { layerTools, verifyEvidence } from "@cairn/verifier"
import { assert } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import { makePositionSeal } from "../../src/secret/PositionSeal.ts"
import type { ApiClient } from "./ApiClient.ts"
import { SECRET_KEY } from "./CairnProcess.ts"
import { eventually } from "./Eventually.ts"

export const POSITION_HEADER = "x-cairn-position"

const SEAL = makePositionSeal([SECRET_KEY])

/** A position as the servers seal it, or others with another key. */
export const sealedPosition = (position: StorePosition, seal = SEAL): string =>
  seal.seal({ ...position, at: Date.now() * 1_000 })

/** What is in a position of the servers. */
export const openedPosition = (text: string): StorePosition => {
  const position = SEAL.open(text)
  if (typeof position !== "object") throw new Error(`it does not open: ${text}`)
  return position
}

const WORDS = ["opened", "closed", "moved", "renamed"]
const ACTORS = ["ada", "ben", "cho"]

/** An event of a label. */
export const generatedEvent = (random: SeededRandom, label: string) => ({
  actor_id: random.pick(ACTORS),
  action: `file.${random.pick(WORDS)}`,
  resource_id: label,
  metadata: { note: `${random.pick(WORDS)} by ${random.pick(ACTORS)}` },
  ...(random.chance(0.5) ? { occurred_at: new Date(Date.now() - random.below(1_000_000)).toISOString() } : {})
})

/** A read of any kind. */
export const generatedRead = (random: SeededRandom, ids: ReadonlyArray<string>): string => {
  const conditions = new URLSearchParams({
    // Of nobody else: that something was exported is an event too.
    actor_id: random.pick(ACTORS),
    ...(random.chance(0.4) ? { action: `file.${random.pick(WORDS)}` } : {}),
    ...(random.chance(0.3) ? { search: random.pick(WORDS) } : {}),
    ...(random.chance(0.4) ? { time: random.pick(["occurred", "recorded"]) } : {})
  })
  return random.pick([
    () => `/events/${random.pick(ids)}`,
    () => `/events?limit=${1 + random.below(100)}&${conditions}`,
    () => `/events/count?${conditions}`,
    () => `/events/histogram?buckets=${2 + random.below(50)}&${conditions}`,
    () => `/events/facets?field=${random.pick(["action", "actor", "resource_id"])}&${conditions}`,
    () => `/events/export?format=csv&${conditions}`,
    () => "/verify?limit=1000000"
  ])()
}

const decodePage = Schema.decodeUnknownSync(Page(Schema.Struct({ id: Schema.String })))

/**
 * The ids of a list whose pages are answered by one server after the other, of which the first is asked with
 * a position.
 */
export const walkPages = async (
  servers: ReadonlyArray<ApiClient>,
  query: Readonly<Record<string, string>>,
  position: string
): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let count = 0, cursor: string | null = ""; cursor !== null; count++) {
    const place: Record<string, string> = cursor === "" ? {} : { cursor }
    const { body } = (await servers[count % servers.length]?.request(
      "GET",
      `/api/v1/events?${new URLSearchParams({ ...query, ...place })}`,
      undefined,
      count === 0 ? { [POSITION_HEADER]: position } : {}
    )) ?? { body: undefined }
    const { data, pagination } = decodePage(body)
    ids.push(...data.map(({ id }) => id))
    cursor = pagination.next_cursor
  }
  return ids
}

const decodeCreated = Schema.decodeUnknownSync(Schema.Struct({ data: Schema.Struct({ id: Schema.String }) }))
const decodeExport = Schema.decodeUnknownSync(Schema.Struct({ data: Export }))
/** The file of an export that is asked for now. */
const fileOf = async (api: ApiClient, request: Readonly<Record<string, string>>): Promise<Uint8Array> => {
  const asked = await api.request("POST", "/api/v1/exports", request)
  assert.strictEqual(asked.status, 202, JSON.stringify(asked.body))
  const { id } = decodeCreated(asked.body).data
  await eventually("the export is made", async () => {
    const { status } = decodeExport((await api.get(`/exports/${id}`)).body).data
    assert.notStrictEqual(status, "failed")
    return status === "completed" ? true : undefined
  })
  return api.file(`/exports/${id}/download`)
}

/** The ids in the first column of a table. */
export const idsOfTable = (csv: unknown): ReadonlyArray<string> =>
  String(csv)
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split(",")[0]?.replaceAll('"', "") ?? "")

/** The ids of the events of a label in an export that is asked for now. */
export const exportedIds = async (api: ApiClient, label: string): Promise<ReadonlyArray<string>> =>
  idsOfTable(new TextDecoder().decode(await fileOf(api, { format: "csv", resource_id: label })))

/** What `cairn-verify` finds in an evidence bundle that is asked for now. */
export const bundleReport = async (api: ApiClient) => {
  const bytes = await fileOf(api, { format: "evidence" })
  return Effect.runPromise(
    Effect.provide(verifyEvidence(Stream.make(bytes), { trustedKeys: [] }), layerTools)
  )
}
