import { type SpawnOptions, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, lchownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { StartupError } from '../lib/startup-error.ts'
import { ownerOf, readLink, readText } from './embedded-postgres-process.ts'
import { copyPrograms } from './embedded-postgres-programs.ts'

/** PostgreSQL refuses to run as root. */
type ServerUser = { name: string; uid: number; gid: number }

export type ServerHost = {
  programs: string
  home: string
  prefix: readonly string[]
  user?: ServerUser
}

export type Machine = {
  /** From util-linux. */
  unshare: string
  /** Where namespaces are forbidden, in order. */
  users: readonly string[]
  /** For data that the user cannot reach otherwise, in order. */
  places: readonly string[]
}

export const thisMachine: Machine = {
  unshare: 'unshare',
  users: ['postgres', 'nobody', 'daemon'],
  places: ['/var/lib', tmpdir()],
}

/** Withholds the environment, which holds keys, and the folder. */
export function spawnSettings(host: ServerHost): SpawnOptions {
  return {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin', LC_ALL: 'C', TZ: 'UTC' },
    ...(host.user && { uid: host.user.uid, gid: host.user.gid }),
  }
}

/**
 * Chooses how PostgreSQL runs: root uses a user namespace, else an unprivileged user. An existing cluster stays with
 * its owner. Data elsewhere is linked from `<dataDir>/postgres`. Requires the data folder's lock. Throws `StartupError`
 * if nothing works.
 */
export function chooseHost(
  dataDir: string,
  programs: string,
  machine: Machine,
  log: (message: string) => void,
): ServerHost {
  const plain: ServerHost = { programs, home: dataDir, prefix: [] }
  if (process.getuid?.() !== 0) return plain

  const link = join(dataDir, 'postgres')
  const target = readLink(link)
  const home = target === undefined ? dataDir : dirname(resolve(dataDir, target))
  const owner = ownerOf(target === undefined ? link : home)
  if (target !== undefined && !owner) {
    throw new StartupError(
      `The data of PostgreSQL was kept in ${home}, which does not exist any more: restore it, remove ${link} to start with an empty database, or set DATABASE_URL.`,
    )
  }
  if (owner && owner.uid !== 0) return hostOfOwner(owner, home, programs)

  const namespaced = { ...plain, prefix: [machine.unshare, '--user', '--map-user=1000', '--map-group=1000', '--'] }
  if (runs(namespaced)) return namespaced
  const host = hostOfOtherUser(plain, machine, owner !== undefined)
  log(
    `PostgreSQL runs as the user ${host.user.name}, with its data in ${host.home}: user namespaces are forbidden here`,
  )
  return host
}

function hostOfOwner({ uid, gid }: { uid: number; gid: number }, home: string, shipped: string): ServerHost {
  const user = { name: String(uid), uid, gid }
  const programs = canSwitchTo(user) && canReach(home, user) && reachablePrograms(shipped, home, user)
  if (programs) return { programs, home, prefix: [], user }
  throw new StartupError(
    `The data of PostgreSQL in ${home} belongs to the user ${user.name}. This process cannot run PostgreSQL as that user: start Coffer as that user, or set DATABASE_URL.`,
  )
}

function hostOfOtherUser(
  { home: dataDir, programs: shipped }: ServerHost,
  machine: Machine,
  handOver: boolean,
): ServerHost & { user: ServerUser } {
  for (const user of machine.users.flatMap(findUser).filter(canSwitchTo)) {
    const home = openDataFolder(dataDir, user) ?? (handOver ? undefined : ownPlace(dataDir, machine.places, user))
    const programs = home && reachablePrograms(shipped, home, user)
    if (!programs) continue
    if (handOver) chownAll(join(home, 'postgres'), user)
    if (home !== dataDir) symlinkSync(join(home, 'postgres'), join(dataDir, 'postgres'))
    return { programs, home, prefix: [], user }
  }
  throw new StartupError(
    'PostgreSQL does not run as root, and here root may neither open a user namespace nor run it as another user: start Coffer as an ordinary user, or set DATABASE_URL to your own PostgreSQL.',
  )
}

/** Lets the group walk through the folder, not list it. */
function openDataFolder(dataDir: string, user: ServerUser): string | undefined {
  if (!canReach(dirname(dataDir), user)) return undefined
  if (canReach(dataDir, user)) return dataDir
  chownSync(dataDir, 0, user.gid)
  chmodSync(dataDir, 0o710)
  return dataDir
}

function ownPlace(dataDir: string, places: readonly string[], user: ServerUser): string | undefined {
  const name = `coffer-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`
  for (const place of places) {
    const home = join(place, name)
    if (!canReach(place, user)) continue
    try {
      mkdirSync(home, { mode: 0o700 })
      chownSync(home, user.uid, user.gid)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') continue
    }
    // In a shared folder another user may have taken the name.
    const found = ownerOf(home)
    if (found?.uid === user.uid && readLink(home) === undefined) return home
  }
  return undefined
}

function reachablePrograms(programs: string, home: string, user: ServerUser): string | undefined {
  if (runs({ programs, home, prefix: [], user })) return programs
  const copy = join(
    copyPrograms(dirname(programs), home, (made) => chownAll(made, user)),
    'bin',
  )
  return runs({ programs: copy, home, prefix: [], user }) ? copy : undefined
}

/** Starts a program: only that shows what a sandbox forbids. */
function runs(host: ServerHost): boolean {
  const [command = '', ...args] = [...host.prefix, join(host.programs, 'initdb'), '--version']
  return spawnSync(command, args, { ...spawnSettings(host), stdio: 'ignore' }).status === 0
}

function canSwitchTo({ uid, gid }: ServerUser): boolean {
  return spawnSync('/bin/sh', ['-c', ':'], { uid, gid, cwd: '/', stdio: 'ignore' }).status === 0
}

function canReach(folder: string, user: ServerUser): boolean {
  const found = statSync(folder, { throwIfNoEntry: false })
  const others = found?.gid === user.gid ? 0o010 : 0o001
  if (!found || !(found.mode & (found.uid === user.uid ? 0o100 : others))) return false
  const parent = dirname(folder)
  return parent === folder || canReach(parent, user)
}

function findUser(name: string): ServerUser[] {
  const line = readText('/etc/passwd')
    ?.split('\n')
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(':') ?? []
  return Number(uid) > 0 && Number(gid) > 0 ? [{ name, uid: Number(uid), gid: Number(gid) }] : []
}

function chownAll(path: string, { uid, gid }: ServerUser): void {
  lchownSync(path, uid, gid)
  if (!statSync(path).isDirectory() || readLink(path) !== undefined) return
  for (const name of readdirSync(path)) chownAll(join(path, name), { name: '', uid, gid })
}
