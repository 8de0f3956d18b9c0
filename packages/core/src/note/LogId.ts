/**
 * The name of a workspace's log outside Cairn: it is the origin of its checkpoints and is hashed into its
 * anchors.
 */

/**
 * The log id of a workspace. It depends on the workspace's id only, so it is fixed when the workspace is
 * created and does not depend on the service's address.
 */
export const logIdOf = (workspaceId: string): string => `cairn/${workspaceId}`
