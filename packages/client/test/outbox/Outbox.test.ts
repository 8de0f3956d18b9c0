/** The outbox over each driver that is installed; Prisma has a trial. */
import { drivers } from "./Applications.ts"
import { outboxContract } from "./OutboxContract.ts"

for (const driver of drivers) outboxContract(driver)
