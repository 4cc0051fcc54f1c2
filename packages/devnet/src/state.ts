import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { startAnvil } from './anvil.ts'
import { packageFolder } from './artifact.ts'
import { buildBase } from './base.ts'
import { builtOnce } from './built-once.ts'
import { createDevChain, type DevChain } from './chain.ts'
import { buildEthereum } from './ethereum.ts'

export const CHAIN_IDS = { ethereum: 1, base: 8453 } as const
export type ChainKey = keyof typeof CHAIN_IDS

const BUILDERS: Readonly<Record<ChainKey, (chain: DevChain) => Promise<void>>> = {
  ethereum: buildEthereum,
  base: buildBase,
}
const DAY_SECONDS = 86_400
/** Start of the chains before now: longer than the time that builders pass. */
const HISTORY_SECONDS = 60 * DAY_SECONDS

const sourceFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|json|sol)$/.test(name) && !name.endsWith('.test.ts'))
    .sort()
    .map((name) => join(folder, name))

/** Hashes sources and pinned package versions. */
const fingerprint = (): string => {
  const root = join(import.meta.dirname, '..')
  const hash = createHash('sha256').update(process.platform)
  const files = [
    ...sourceFiles(join(root, 'src')),
    ...sourceFiles(join(root, 'contracts')),
    join(root, 'package.json'),
    join(root, 'protocols', 'package.json'),
  ]
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
  if (!existsSync(file)) throw new Error(`the node for ${key} ended without writing its state`)
}

const buildChains = async (folder: string): Promise<void> => {
  const keys = Object.keys(CHAIN_IDS) as ChainKey[]
  await Promise.all(keys.map((key) => buildChain(key, join(folder, `${key}.json`))))
}

/** `<key>.json` per chain. Builds them on the first run. */
export const ensureState = (): Promise<string> => builtOnce(cacheFolder(), fingerprint(), buildChains)
