/** File systems, by the kernel's list of mounts (proc(5), `/proc/self/mountinfo`). */

/** A mounted file system. */
export interface Mount {
  readonly path: string
  /** Such as `ext4` or `nfs4`. */
  readonly type: string
}

/** A space, a tab, a newline and a backslash are written as three octal digits. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))

/** The mounts of a list, in their order. */
const mountsIn = (text: string): ReadonlyArray<Mount> =>
  text.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ")
    const path = before.split(" ")[4]
    const type = after.split(" ")[0]
    return path === undefined || type === undefined || type === "" ? [] : [{ path: unescaped(path), type }]
  })

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`)

/** The file system that an absolute path without links is on: the last of the deepest mounts. */
export const mountOf = (mountInfo: string, path: string): Mount | undefined =>
  mountsIn(mountInfo)
    .filter((mount) => isBelow(path, mount.path))
    .reduce<Mount | undefined>(
      (deepest, mount) =>
        deepest !== undefined && deepest.path.length > mount.path.length ? deepest : mount,
      undefined
    )

const NETWORK = /^(?:nfs\d?|cifs|smb\d?|smbfs|9p|afs|ceph|glusterfs|lustre|beegfs|fuse\.(?!fuseblk).*)$/

/** Whether its locks and its shared memory are not those of one machine. */
export const isNetwork = ({ type }: Mount): boolean => NETWORK.test(type)

/** Whether what is on it is gone with the machine's next start. */
export const isInMemory = ({ type }: Mount): boolean => type === "tmpfs" || type === "ramfs"
