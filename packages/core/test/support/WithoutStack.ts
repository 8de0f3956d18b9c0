/**
 * Runs `make` while errors capture no stack. A test that provokes errors by the ten thousand would otherwise
 * spend most of its time on their stacks; its own assertions keep theirs.
 */
export const withoutStack = <A>(make: () => A): A => {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return make()
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
