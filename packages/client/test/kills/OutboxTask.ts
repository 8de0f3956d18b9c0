/** What the processes of the kill trial of the outbox share with it. */
import type { KillPoint } from "./KillPoints.ts"

/** What a process is told, as JSON in its only argument. */
export interface OutboxTask {
  readonly role: "application" | "relay"
  readonly kind: "postgres" | "sqlite"
  /** The URL or the path of the database. */
  readonly database: string
  /** The address of the service. */
  readonly url: string
  readonly apiKey: string
  /** A word that no other process has. */
  readonly run: string
  /** How many transactions an application makes. A relay of none ends once the outbox is empty. */
  readonly transactions: number
  readonly killPoint?: KillPoint
}

/** What the application's own table says of an event whose transaction committed. */
export interface Business {
  readonly key: string
  /** Milliseconds since 1970 just before and just after the call, as texts. */
  readonly before_call: string
  readonly after_call: string
}

/** The application's own table. */
export const BUSINESS =
  "CREATE TABLE IF NOT EXISTS business (event_key text PRIMARY KEY, before_call text, after_call text)"
