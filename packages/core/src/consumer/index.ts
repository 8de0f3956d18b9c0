/** Positions in the log: the port `Consumers`, the runner of consumers, and their effects. */
export { Alert, ListedAlert } from "./Alert.ts"
export { AlertRuleType } from "./AlertRuleType.ts"
export {
  type Consumed,
  consumerLags,
  eventsAfter,
  MAX_CONSUMER_BATCH,
  type RunningConsumer
} from "./ConsumerRunner.ts"
export {
  BEFORE_FIRST_EVENT,
  type ConsumerCommit,
  type ConsumerKey,
  type ConsumerPosition,
  type ConsumerRow,
  Consumers,
  type ConsumersShape,
  type RaisedAlert
} from "./Consumers.ts"
export { DeliveryChannel, NewDelivery } from "./Delivery.ts"
export { whileHeld } from "./KeptHold.ts"
export { type Reading, RecentEvents, type RecentEventsShape } from "./RecentEvents.ts"
