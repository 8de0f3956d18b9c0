/** Names of export files. */

const PART = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/

/** Whether a name stays below the folder. */
export const isExportName = (name: string): boolean =>
  name.length <= 255 && name.split("/").every((part) => PART.test(part))

/** Returns the name. One that would leave the folder is a defect of the caller. */
export const exportName = (name: string): string => {
  if (!isExportName(name)) throw new Error(`${JSON.stringify(name)} is not a valid file name`)
  return name
}
