/** Invoices, and the audit events that are written in the same transactions. */
import { createAudit } from "@cairn/client/context"
import { Outbox, pgAdapter } from "@cairn/client/outbox"
import type { Pool, PoolClient } from "pg"

/** An invoice as the page shows it; amounts are in cents. */
export interface Invoice {
  readonly id: string
  readonly customer: string
  readonly amount: number
  readonly paid: boolean
  /** Whether its event waits in the outbox. */
  readonly waits: boolean
}

/** The invoices in a database. */
export const makeInvoices = (pool: Pool) => {
  const outbox = new Outbox(pgAdapter(pool))

  /** Adds who acts, from where and in which request, and writes the event into the transaction. */
  const audit = createAudit(outbox)

  const transaction = async <A>(run: (tx: PoolClient) => Promise<A>): Promise<A> => {
    const tx = await pool.connect()
    try {
      await tx.query("BEGIN")
      const result = await run(tx)
      await tx.query("COMMIT")
      return result
    } catch (error) {
      await tx.query("ROLLBACK").catch(() => {})
      throw error
    } finally {
      tx.release()
    }
  }

  const select = `SELECT *, EXISTS (
      SELECT FROM cairn_outbox WHERE event::json ->> 'resource_id' = invoice.id
    ) AS waits FROM invoice`

  return {
    outbox,

    migrate: async (): Promise<void> => {
      await outbox.migrate()
      await pool.query(
        "CREATE TABLE IF NOT EXISTS invoice (id text PRIMARY KEY, customer text, amount int, paid boolean)"
      )
      await pool.query(
        `INSERT INTO invoice VALUES ('1001', 'Blue Ltd', 12000, false), ('1002', 'Green Inc', 4550, false)
         ON CONFLICT DO NOTHING`
      )
    },

    list: async (): Promise<ReadonlyArray<Invoice>> =>
      (await pool.query<Invoice>(`${select} ORDER BY id`)).rows,

    find: async (id: string): Promise<Invoice | undefined> =>
      (await pool.query<Invoice>(`${select} WHERE id = $1`, [id])).rows[0],

    /** The invoice is paid and the event is written, or neither. False where there is nothing to pay. */
    pay: (id: string): Promise<boolean> =>
      transaction(async (tx) => {
        const { rows } = await tx.query<{ readonly amount: number }>(
          "UPDATE invoice SET paid = true WHERE id = $1 AND NOT paid RETURNING *",
          [id]
        )
        const [invoice] = rows
        if (invoice === undefined) return false
        await audit(tx, "invoice.paid", {
          resource: "invoice",
          resource_id: id,
          metadata: { before: { paid: false }, after: { paid: true }, amount: invoice.amount }
        })
        return true
      })
  }
}
