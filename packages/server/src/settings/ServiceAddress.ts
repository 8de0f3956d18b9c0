/** Where clients reach the service. */
import type { Configuration } from "./Configuration.ts"

/** The address for a port that the service listens on, without a slash at the end. */
export const serviceAddress = (
  { baseUrl, host }: Pick<Configuration, "baseUrl" | "host">,
  port: number
): string => {
  if (baseUrl !== "") return baseUrl
  const name = ["0.0.0.0", "::"].includes(host) ? "localhost" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`
}
