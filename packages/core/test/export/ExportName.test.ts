import { assert, describe, it } from "@effect/vitest"
import * as Micros from "../../src/encoding/Micros.ts"
import { exportFileName } from "../../src/export/ExportName.ts"

const createdAt = Micros.parse("2026-11-25T09:30:00Z") ?? 0
const ID = "exp_1a2b3c4d-0000-4000-8000-000000000000"
const ACME = { id: "wsp_1", name: "Acme" }

describe("The name of an export's file", () => {
  it.each([
    [
      { format: "evidence", filters: { from: "2026-11-17", to: "2026-11-24" } },
      "evidence-2026-11-17--2026-11-24-1a2b3c4d.cairn"
    ],
    [
      { format: "csv", filters: { from: "2026-11-17T23:00:00.000Z" } },
      "events-2026-11-17--2026-11-25-1a2b3c4d.csv"
    ],
    [{ format: "ndjson", filters: {} }, "events-until-2026-11-25-1a2b3c4d.ndjson"],
    [
      { format: "evidence", filters: { to: "2026-11-24T01:00:00+02:00" } },
      "evidence-until-2026-11-23-1a2b3c4d.cairn"
    ],
    // Nothing later than the request can be in it.
    [
      { format: "csv", filters: { from: "2026-11-17", to: "2030-01-01" } },
      "events-2026-11-17--2026-11-25-1a2b3c4d.csv"
    ],
    // Nothing is.
    [{ format: "csv", filters: { from: "2026-11-20", to: "2026-11-19" } }, "events-1a2b3c4d.csv"],
    [{ format: "evidence", filters: { from: "2030-01-01" } }, "evidence-1a2b3c4d.cairn"]
  ] as const)("says of %j what it holds and of which period: %s", (asked, name) => {
    assert.strictEqual(exportFileName(ACME, { id: ID, ...asked, createdAt }), `cairn-acme-${name}`)
  })

  it("is another for each export of one kind and period", () => {
    const asked = {
      format: "evidence",
      filters: { from: "2026-11-17", to: "2026-11-24" },
      createdAt
    } as const
    const names = ["exp_1a2b3c4d-0000-4000", "exp_1a2b3c4e-0000-4000"].map((id) =>
      exportFileName(ACME, { ...asked, id })
    )
    assert.notStrictEqual(names[0], names[1])
  })

  it("has of the id what every file system takes", () => {
    assert.strictEqual(
      exportFileName(ACME, { id: "exp_../$(x)", format: "csv", filters: {}, createdAt }),
      "cairn-acme-events-until-2026-11-25-x.csv"
    )
  })

  it.each([
    ["Müller & Söhne GmbH", "muller-sohne-gmbh"],
    ["Straße Łódź", "strasse-lodz"],
    ["Smørrebrød ÆØ Œuvre ẞ", "smorrebrod-aeo-oeuvre-ss"],
    ["../../etc/passwd", "etc-passwd"],
    ['x"; filename="evil.exe\r\nSet-Cookie: a', "x-filename-evil-exe-set-cookie-a"],
    ["-rf", "rf"],
    ["株式会社", "wsp_1"],
    ["", "wsp_1"],
    ["a".repeat(10_000), "a".repeat(40)],
    [`${"b".repeat(39)} c`, "b".repeat(39)]
  ])("has of the workspace %j what every file system takes", (name, plain) => {
    const asked = { format: "csv", filters: {}, id: ID, createdAt } as const
    assert.strictEqual(
      exportFileName({ ...ACME, name }, asked),
      `cairn-${plain}-events-until-2026-11-25-1a2b3c4d.csv`
    )
  })
})
