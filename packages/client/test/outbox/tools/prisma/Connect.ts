/** A client of Prisma through its driver adapter, as an application makes it. */
import { PrismaPg } from "@prisma/adapter-pg"
import { PrismaClient } from "./generated/client.ts"

export const connect = (url: string) =>
  new PrismaClient({ adapter: new PrismaPg({ connectionString: url, max: 6 }) })
