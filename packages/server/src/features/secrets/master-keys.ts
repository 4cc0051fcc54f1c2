import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Secret } from '../../lib/secret.ts'
import { StartupError } from '../../lib/startup-error.ts'

/** `configured`: 32 bytes in hexadecimal digits, the current one first; without any, `master.key` is used. */
export function createMasterKeys(options: { configured: readonly Secret[]; dataDir: string }): MasterKeys {
  const keys = options.configured.map((key) => deriveMasterKey(key.reveal()))
  const [current] = keys
  if (!current) return masterKeyFile(join(options.dataDir, 'master.key'))
  // Only the operator changes these.
  const unchanged = async () => undefined
  return {
    remedy: 'is not in COFFER_MASTER_KEY: add it to the list, after the first',
    current: async () => current,
    find: async (id) => keys.find((key) => key.id.equals(id)),
    make: async () => current,
    renew: unchanged,
    retire: unchanged,
  }
}

const MASTER_KEY_BYTES = 32
const KEY_ID_BYTES = 16

/** `id` reveals nothing of the key. */
export type MasterKey = { readonly id: Buffer; readonly wrapping: KeyObject }

/** Never in the database. */
export type MasterKeys = {
  /** The rest of a sentence that begins with a missing key. */
  readonly remedy: string
  current(): Promise<MasterKey | undefined>
  find(id: Buffer): Promise<MasterKey | undefined>
  /** Returns the current key. Of concurrent processes one creates it. */
  make(): Promise<MasterKey>
  /** Nothing while the predecessor exists. The caller holds the secrets' lock. */
  renew(): Promise<void>
  /** The caller holds the secrets' lock and has checked that nothing needs the others. */
  retire(): Promise<void>
}

/** From 32 bytes in hexadecimal digits, by HKDF (RFC 5869). */
export function deriveMasterKey(hex: string): MasterKey {
  const bytes = Buffer.from(hex, 'hex')
  const derive = (info: string, length: number) => Buffer.from(hkdfSync('sha256', bytes, '', info, length))
  return {
    id: derive('coffer master key id', KEY_ID_BYTES),
    wrapping: createSecretKey(derive('coffer master key wrapping', MASTER_KEY_BYTES)),
  }
}

const ONLY_ITS_OWNER = 0o600
const LINE = /^(?!0+$)[0-9a-f]{64}$/

/** 64 hexadecimal digits per line, the current key first. Read again for unknown keys, maybe of another process. */
function masterKeyFile(path: string): MasterKeys {
  const seen = new Map<string, MasterKey>()

  async function read(): Promise<{ lines: string[]; keys: MasterKey[] }> {
    const lines = await readLines(path)
    const keys = lines.map(deriveMasterKey)
    for (const key of keys) seen.set(key.id.toString('hex'), key)
    return { lines, keys }
  }

  const current = async () => (await read()).keys[0]

  async function make(): Promise<MasterKey> {
    await writeNew(path, [newLine()])
    const key = await current()
    if (!key) throw unusable(path)
    return key
  }

  return {
    remedy: `is not in ${path}: restore that file, or set COFFER_MASTER_KEY`,
    current,
    make,
    async find(id) {
      const name = id.toString('hex')
      if (!seen.has(name)) await read()
      return seen.get(name)
    },
    async renew() {
      const { lines } = await read()
      if (lines.length === 1) await replace(path, [newLine(), ...lines])
    },
    async retire() {
      const { lines } = await read()
      if (lines.length > 1) await replace(path, lines.slice(0, 1))
    },
  }
}

const newLine = () => randomBytes(MASTER_KEY_BYTES).toString('hex')

async function readLines(path: string): Promise<string[]> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new StartupError(
      `The master key file ${path} cannot be read: make it readable for Coffer, or set COFFER_MASTER_KEY.`,
    )
  }
  const lines = text.trimEnd().split('\n')
  if (!lines.every((line) => LINE.test(line))) throw unusable(path)
  return lines
}

const unusable = (path: string) =>
  new StartupError(`The master key file ${path} is damaged: restore it from a copy, or set COFFER_MASTER_KEY.`)

async function writeNew(path: string, lines: readonly string[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await moveIn(path, lines, async (prepared) => {
    // Unlike a rename, a link never replaces another process's file.
    await link(prepared, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  })
}

const replace = (path: string, lines: readonly string[]) => moveIn(path, lines, (prepared) => rename(prepared, path))

/** Resolves once the file is on the disk. */
async function moveIn(path: string, lines: readonly string[], move: (prepared: string) => Promise<void>) {
  const folder = dirname(path)
  const prepared = `${path}.new-${randomBytes(6).toString('hex')}`
  try {
    const file = await open(prepared, 'wx', ONLY_ITS_OWNER)
    try {
      // A command may run as root, but the service must read the file.
      const { uid, gid } = await stat(folder)
      if (process.getuid?.() === 0) await file.chown(uid, gid)
      await file.writeFile(`${lines.join('\n')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await move(prepared)
    const entry = await open(folder)
    await entry.sync().finally(() => entry.close())
  } finally {
    await rm(prepared, { force: true })
  }
}
