/** What the message of a test says, to a webhook or a log stream's destination. */
export const TEST_MESSAGE = "This is a test."
