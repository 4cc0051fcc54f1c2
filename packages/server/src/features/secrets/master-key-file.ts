import { randomBytes } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartupError } from '../../lib/startup-error.ts'
import { deriveMasterKey, MASTER_KEY_BYTES, type MasterKey, type MasterKeys } from './master-key.ts'

const ONLY_ITS_OWNER = 0o600
const LINE = /^(?!0+$)[0-9a-f]{64}$/

/**
 * Only the owner may read the file: 64 hexadecimal digits per line, the current key first. Written atomically, and read
 * again for unknown keys, which another process may have created. Throws `StartupError` for other content.
 */
export function masterKeyFile(path: string): MasterKeys {
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
async function moveIn(
  path: string,
  lines: readonly string[],
  move: (prepared: string) => Promise<void>,
): Promise<void> {
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
