/** The adapter of Prisma over PostgreSQL. */
import { numbered, type OutboxAdapter, type Row } from "../OutboxAdapter.ts"

interface PrismaQueries {
  $executeRawUnsafe(query: string, ...values: Array<string>): PromiseLike<number>
}

/** A `PrismaClient` over PostgreSQL. */
export interface PrismaDatabase extends PrismaQueries {
  $queryRawUnsafe(query: string, ...values: Array<string>): PromiseLike<unknown>
  readonly $disconnect: unknown
}

/** The client that `prisma.$transaction(async (tx) => …)` hands to its callback. */
export interface PrismaTransaction extends PrismaQueries {
  readonly $disconnect?: undefined
}

/** An outbox over Prisma on PostgreSQL. Its `audit` takes the client of an interactive transaction. */
export const prismaAdapter = (prisma: PrismaDatabase): OutboxAdapter<PrismaTransaction> => ({
  dialect: "postgres",
  isSync: false,
  insert: async (tx, statement) => {
    if (tx.$disconnect !== undefined) {
      throw new TypeError("audit needs the client of the transaction, not the PrismaClient")
    }
    await tx.$executeRawUnsafe(numbered(statement), ...statement.values)
  },
  run: async (statement) => {
    const rows = await prisma.$queryRawUnsafe(numbered(statement), ...statement.values)
    return Array.isArray(rows) ? (rows as ReadonlyArray<Row>) : []
  }
})
