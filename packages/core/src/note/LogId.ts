/** The name of a workspace's log beyond Cairn: the origin of its checkpoints, and hashed in its anchors. */

/**
 * The log id of a workspace. It is fixed when the workspace is made, because the workspace's id is, and knows
 * nothing of the address at which the service happens to be reached.
 */
export const logIdOf = (workspaceId: string): string => `cairn/${workspaceId}`
