// Reads of a Solana wallet with 10,000 token accounts, and of another with the same tokens, against the same requests
// replayed in the same trips without processing. Also the service's memory. Service and node have answered for a small
// wallet before. The target is the first read's: with known tokens, the cost of answers shows.
// `solana.ts [--accounts 10000] [--distance 100] [--profile <folder>]`. Exits 1 if a target is missed. Distance:
// latency of the node in ms per request. At 0 the node shares the cores with the service.
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { type SolanaDevnet, startSolanaDevnet } from '@coffer/devnet/solana'
import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit'
import { TOKEN_PROGRAM } from '../src/chains/solana/codec/token-program.ts'
import type { Database } from '../src/db/database.ts'
import { createAccount } from '../src/features/accounts/accounts.ts'
import { createKey } from '../src/features/keys/keys.ts'
import { openPeppers } from '../src/features/keys/peppers.ts'
import { randomOf } from '../test/random-of.ts'
import { benchOverDatabase } from './bench-database.ts'
import { median } from './median.ts'
import { type ServiceProcess, startServiceProcess } from './portfolio-service.ts'
import { type Recorder, startRecorder } from './recorder.ts'

const PROMISED_RATIO = 1.3
const PROMISED_RSS_MB = 300
const WALLETS = 4
/** Tokens of the first wallet, which is not measured. */
const SMALL = 100
const MINT_BYTES = 82
const ACCOUNT_BYTES = 165
const DECIMALS = 6
/** One in ten is an NFT, one in two is named on chain. */
const NFT_EVERY = 10
const NAMED_EVERY = 2

const { values: options } = parseArgs({
  options: {
    accounts: { type: 'string', default: '10000' },
    distance: { type: 'string', default: '100' },
    profile: { type: 'string' },
  },
})
const accounts = Number(options.accounts)
const distanceMs = Number(options.distance)
const random = randomOf(Date.now() % 2 ** 31)

const newAddress = () => getAddressDecoder().decode(Uint8Array.from({ length: 32 }, () => random.index(256)))
const bytesOf = (address: Address) => Buffer.from(getAddressEncoder().encode(address))

function mintData(decimals: number): Buffer {
  const data = Buffer.alloc(MINT_BYTES)
  data.writeBigUInt64LE(10n ** 15n, 36)
  data[44] = decimals
  data[45] = 1
  return data
}

function tokenAccountData(mint: Address, owner: Address, amount: bigint): Buffer {
  const data = Buffer.alloc(ACCOUNT_BYTES)
  bytesOf(mint).copy(data, 0)
  bytesOf(owner).copy(data, 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  return data
}

/** Transactions would take minutes. All wallets hold the same tokens. */
async function place({ chain, actions, keypair }: SolanaDevnet): Promise<Address[]> {
  const wallets: Address[] = []
  for (let i = 0; i < WALLETS; i += 1) {
    const { address } = await keypair(`who holds much ${i}`)
    await actions.sol.give(address, 10n ** 9n)
    wallets.push(address)
  }
  const small = await keypair('who holds little')
  const program = TOKEN_PROGRAM as Address
  for (let i = 0; i < SMALL; i += 1) {
    const mint = newAddress()
    chain.setAccount(mint, { owner: program, data: mintData(DECIMALS) })
    chain.setAccount(newAddress(), { owner: program, data: tokenAccountData(mint, small.address, 1n) })
  }
  for (let i = 0; i < accounts; i += 1) {
    const mint = newAddress()
    const isNft = i % NFT_EVERY === 0
    chain.setAccount(mint, { owner: program, data: mintData(isNft ? 0 : DECIMALS) })
    for (const wallet of wallets) {
      const amount = isNft ? 1n : BigInt(2 + random.index(1_000_000))
      chain.setAccount(newAddress(), { owner: program, data: tokenAccountData(mint, wallet, amount) })
    }
    if (i % NAMED_EVERY === 0) {
      await actions.placeMetadata(mint, { name: `Thing ${i}`, symbol: `T${i}`, uri: 'https://example.org' })
    }
  }
  return [small.address, ...wallets]
}

/** `cpuMs`: the service's. */
type Read = { ms: number; bareMs: number; cpuMs: number; counts: string; shown: number }

async function read(service: ServiceProcess, key: string, wallet: Address, recorder: Recorder): Promise<Read> {
  recorder.reset()
  const before = await service.usage()
  const startedAt = performance.now()
  const response = await fetch(`${service.url}/v1/portfolio?addresses=${wallet}&waitForSync=true`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const body = await response.text()
  const ms = performance.now() - startedAt
  recorder.mark()
  const cpuMs = (await service.usage()).cpuMs - before.cpuMs
  await service.quiet()
  if (response.status !== 200) throw new Error(`${response.status}: ${body.slice(0, 200)}`)
  const [portfolio] = JSON.parse(body)
  // The search for used programs continues in the background.
  const gaps = portfolio.incomplete.filter(({ reason }: { reason: string }) => reason !== 'searching')
  if (gaps.length > 0) throw new Error(`incomplete: ${JSON.stringify(gaps)}`)
  const counts = recorder.counts().map(([method, { requests, calls }]) => `${method} ${calls} calls in ${requests}`)
  const shown = Object.keys(portfolio.assetByProtocols.wallet.chains.solana.protocolPositions.WALLET.assets).length
  return { ms, cpuMs, bareMs: await recorder.replayInTrips(), counts: counts.join(', '), shown }
}

async function bench(database: Database, url: string, devnet: SolanaDevnet): Promise<string[]> {
  const [small, wallet, ...others] = await place(devnet)
  const recorder = await startRecorder(devnet.url, distanceMs)
  const profile = options.profile === undefined ? '' : `--cpu-prof --cpu-prof-dir=${options.profile}`
  const service = await startServiceProcess(url, profile, recorder.url, 'solana')
  let peak = 0
  const watching = setInterval(async () => {
    peak = Math.max(peak, (await service.usage()).rssBytes)
  }, 500)
  try {
    const { id } = await createAccount(database.db, {
      ...{ name: 'bench', plan: 'PRO', entitlements: ['portfolio'], credits: 1_000_000 },
    })
    const { key } = await createKey(database.db, await openPeppers(database.db, []), { accountId: id, name: 'bench' })
    console.log(
      `${accounts} token accounts, a node ${distanceMs} ms away; ${cpus()[0]?.model} × ${cpus().length}, Node ${process.version}`,
    )
    await read(service, key, small as Address, recorder)
    const first = await read(service, key, wallet as Address, recorder)
    const rssMb = peak / 1e6
    print('the first read', [first])
    console.log(`  RSS at most ${rssMb.toFixed(0)} MB (promised: under ${PROMISED_RSS_MB})`)
    const later: Read[] = []
    for (const other of others) later.push(await read(service, key, other, recorder))
    print('reads of others with the same tokens', later)
    console.log(`RSS with all ${WALLETS} in memory at most ${(peak / 1e6).toFixed(0)} MB`)
    return [
      ...(ratioOf([first]) <= PROMISED_RATIO ? [] : [`the first read takes more than ${PROMISED_RATIO} times as long`]),
      ...(rssMb < PROMISED_RSS_MB ? [] : ['the service uses more memory than promised']),
    ]
  } finally {
    clearInterval(watching)
    await service.stop()
    await recorder.stop()
  }
}

const ratioOf = (reads: readonly Read[]) => median(reads.map(({ ms, bareMs }) => ms / bareMs))

function print(name: string, reads: readonly Read[]): void {
  const ms = median(reads.map((each) => each.ms))
  const bareMs = median(reads.map((each) => each.bareMs))
  console.log(`${name}: ${reads[0]?.shown} assets; ${reads[0]?.counts}`)
  console.log(
    `  ${ms.toFixed(0)} ms (${median(reads.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms of CPU), bare ${bareMs.toFixed(0)} ms, ratio ${ratioOf(reads).toFixed(2)}`,
  )
}

const devnet = await startSolanaDevnet()
try {
  await benchOverDatabase((database, url) => bench(database, url, devnet))
} finally {
  await devnet.stop()
}
