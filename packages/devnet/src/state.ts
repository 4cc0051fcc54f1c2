import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startAnvil } from './anvil.ts'
import { packageFolder } from './artifact.ts'
import { buildBase } from './base.ts'
import { createDevChain, type DevChain } from './chain.ts'
import { buildEthereum } from './ethereum.ts'

export const CHAIN_IDS = { ethereum: 1, base: 8453 } as const
export type ChainKey = keyof typeof CHAIN_IDS

const BUILDERS: Readonly<Record<ChainKey, (chain: DevChain) => Promise<void>>> = {
  ethereum: buildEthereum,
  base: buildBase,
}
const DAY_SECONDS = 86_400
/** How long before now the chains begin: longer than all the time their builders let pass. */
const HISTORY_SECONDS = 60 * DAY_SECONDS
const LOCK_POLL_MS = 100
const FINISHED = /^[0-9a-f]{16}$/
const LOCK_AGE_LIMIT_MS = 300_000

const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|json|sol)$/.test(name) && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name))

/** Names a state by everything that it is made from: our sources, and the packages' pinned versions. */
const fingerprint = (): string => {
  const root = join(import.meta.dirname, '..')
  const hash = createHash('sha256').update(process.platform)
  const files = [...sourceFiles(join(root, 'src')), ...sourceFiles(join(root, 'contracts')), join(root, 'package.json')]
  for (const file of files) hash.update(file.slice(root.length)).update(readFileSync(file))
  return hash.digest('hex').slice(0, 16)
}

const cacheFolder = (): string => join(dirname(packageFolder('viem')), '.cache', 'coffer-devnet')

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

const buildChain = async (key: ChainKey, file: string): Promise<void> => {
  const timestamp = nowSeconds() - HISTORY_SECONDS
  const anvil = await startAnvil({ chainId: CHAIN_IDS[key], timestamp, dumpState: file })
  try {
    const chain = createDevChain(anvil)
    await chain.impersonate()
    await BUILDERS[key](chain)
    await chain.client.setNextBlockTimestamp({ timestamp: BigInt(nowSeconds()) })
    await chain.client.mine({ blocks: 1 })
  } finally {
    await anvil.stop()
  }
}

const build = async (folder: string): Promise<void> => {
  const unfinished = `${folder}.${process.pid}`
  mkdirSync(unfinished, { recursive: true })
  try {
    await Promise.all(
      (Object.keys(CHAIN_IDS) as ChainKey[]).map((key) => buildChain(key, join(unfinished, `${key}.json`))),
    )
    if (!existsSync(folder)) renameSync(unfinished, folder)
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Whether the lock is ours now. One whose owner is gone, or that is far too old, counts as left behind. */
const takeLock = (lock: string): boolean => {
  try {
    writeFileSync(lock, JSON.stringify({ pid: process.pid, at: Date.now() }), { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  try {
    const owner = JSON.parse(readFileSync(lock, 'utf8')) as { pid: number; at: number }
    if (!isAlive(owner.pid) || Date.now() - owner.at > LOCK_AGE_LIMIT_MS) rmSync(lock, { force: true })
  } catch {
    // Being written or just removed: look again.
  }
  return false
}

const removeOthers = (cache: string, keep: string): void => {
  for (const name of readdirSync(cache)) {
    if (name !== keep && FINISHED.test(name)) rmSync(join(cache, name), { recursive: true, force: true })
  }
}

/**
 * The folder with the built chains, `<key>.json` each, made first when this version of it does not exist. Of several
 * processes that want it at once one builds and the others wait.
 */
export const ensureState = async (): Promise<string> => {
  const cache = cacheFolder()
  const name = fingerprint()
  const folder = join(cache, name)
  const lock = `${folder}.lock`
  mkdirSync(cache, { recursive: true })
  while (!existsSync(folder)) {
    if (!takeLock(lock)) {
      await delay(LOCK_POLL_MS)
      continue
    }
    try {
      if (!existsSync(folder)) await build(folder)
      removeOthers(cache, name)
    } finally {
      rmSync(lock, { force: true })
    }
  }
  return folder
}
