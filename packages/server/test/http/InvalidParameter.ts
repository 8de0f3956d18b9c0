/** The body that answers a parameter which is not valid. */
export const invalidParameter = (message: string) => {
  const [field = "", ...reasons] = message.split(": ")
  return { error: "invalid_parameter", message, errors: [{ field, message: reasons.join(": ") }] }
}
