/**
 * The name of a workspace's log outside Cairn: it is the origin of its checkpoints and is hashed into its
 * anchors.
 */

/** What the log ids of a service begin with unless its operator says otherwise. */
const DEFAULT_ORIGIN = "cairn"

/**
 * The log id of a workspace: what the service was called when the workspace was created, a slash, and the
 * workspace's id. It is stored with the workspace, so it does not depend on the service's address or
 * settings.
 */
export const logIdOf = (workspaceId: string, origin: string | null = null): string =>
  `${origin ?? DEFAULT_ORIGIN}/${workspaceId}`

/** A host, maybe a port and a path, of characters that need no escape: a URL without its scheme. */
const SCHEMELESS_URL =
  /^[a-z0-9]+(?:-+[a-z0-9]+)*(?:\.[a-z0-9]+(?:-+[a-z0-9]+)*)*(?::[0-9]{1,5})?(?:\/[A-Za-z0-9._~-]+)*$/

/**
 * Whether new logs may be named after this: a URL without a scheme (C2SP tlog-checkpoint, "origin"), such as
 * `audit.example.com`, of at most 200 characters. It has no space, no plus sign and no line break, which
 * would divide a note's lines (C2SP signed-note).
 */
export const isLogOrigin = (text: string): boolean => text.length <= 200 && SCHEMELESS_URL.test(text)
