import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SolanaDevnet, startSolanaDevnet } from '@coffer/devnet/solana'
import { type AirdropFixture, airdropFixture, madeAddress, mintAccount } from '@coffer/solana-fixtures/airdrops'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { SolanaAccount } from '../../src/chains/solana/codec/account-data.ts'
import { distributorPrograms } from '../../src/chains/solana/distributors/distributor-programs.ts'
import { type ClaimAnswer, startClaimApi } from '../claim-api.ts'
import { startService } from '../harness.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'

/** 2026-09-21T14:13:20Z. */
const NOW = 1_790_000_000
const [WALLET, OTHER, THIRD] = [madeAddress(1), madeAddress(2), madeAddress(3)]
const GOLD = madeAddress(10)
const CLAIMER_ONLY = madeAddress(4)
const VAULT_RAW = 100_000_000n
const at = (seconds: number) => BigInt(NOW + seconds)
const grantsOf = (unlockedRaw: bigint, lockedRaw = 0n) => [
  { claimant: WALLET, unlockedRaw, lockedRaw },
  { claimant: OTHER, unlockedRaw: 1n, lockedRaw: 0n },
  { claimant: THIRD, unlockedRaw: 2n, lockedRaw: 3n },
]
const past = { start_ts: at(-2_000), end_ts: at(-1_000) }

type Terms = Partial<Parameters<typeof airdropFixture>[0]>
/** Its distributor is the address of this number. */
const airdrop = (
  fork: AirdropFork,
  number: number,
  unlockedRaw: bigint,
  { lockedRaw = 0n, ...terms }: Terms & { lockedRaw?: bigint } = {},
) =>
  airdropFixture({
    ...{ mint: GOLD, vaultRaw: VAULT_RAW, fork, distributor: madeAddress(number) },
    ...{ grants: grantsOf(unlockedRaw, lockedRaw), terms: past, ...terms },
  })
type AirdropFork = Parameters<typeof airdropFixture>[0]['fork']

const open = airdrop('jupiterFirst', 20, 1_500_000n)
const vesting = airdrop('streamflow', 21, 0n, {
  lockedRaw: 8_000_000n,
  terms: { start_ts: at(-300), end_ts: at(700), unlock_period: 1n },
  claims: {
    [WALLET]: { distributor: madeAddress(21), locked_amount: 8_000_000n, locked_amount_withdrawn: 1_000_000n },
  },
})
const claimed = airdrop('jupiterBase', 22, 9_000_000n, {
  claims: { [WALLET]: { unlocked_amount: 9_000_000n, admin: OTHER } },
})
const future = airdrop('jito', 23, 4_000_000n)
const expired = airdrop('jito', 24, 5_000_000n)
const clawedBack = airdrop('drift', 25, 0n, {
  lockedRaw: 6_000_000n,
  terms: { start_ts: at(-300), end_ts: at(700), clawed_back: true },
  claims: { [WALLET]: { distributor: madeAddress(25), locked_amount: 6_000_000n } },
})
const streamed = airdrop('streamflow', 26, 250_000n, {
  lockedRaw: 750_000n,
  terms: { start_ts: at(-500), end_ts: at(500), unlock_period: 1n },
})

const row = (placed: AirdropFixture, key: string) => ({
  ...{ key, protocol: { key: 'mine', name: 'Mine' }, title: key, program: placed.program, mint: GOLD },
  ...{ token: { symbol: 'GOLD', name: 'Gold Coin' }, link: `https://claim.example/${key}` },
})
const api = (placed: AirdropFixture, key: string) => ({
  ...{ ...row(placed, key), kind: 'http-proof', url: `https://claims.example/${key}/{owner}` },
  fields: { distributor: ['merkle_tree'], unlocked: ['amount'], locked: ['locked_amount'], proof: ['proof'] },
})

const list = (placed: AirdropFixture, key: string, window: object) => ({
  ...{ ...row(placed, key), kind: 'allocation', distributor: placed.distributor, window },
  file: join(folder, `${key}.csv`),
})

const devnet = await started(startSolanaDevnet({ unixTime: BigInt(NOW) }))
const accounts = [open, vesting, claimed, future, expired, clawedBack, streamed].flatMap((placed) => placed.accounts)
for (const account of [mintAccount(GOLD, 6), ...accounts]) place(account)
const proxy = await started(startRpcProxy(devnet.url))
const claimApi = await started(startClaimApi())
claimApi.answerWith(usual)
const folder = await mkdtemp(join(tmpdir(), 'coffer-airdrops-'))
const lines = (unlocked: number) => `address,unlocked,locked\n${WALLET},${unlocked},0\n${OTHER},1,0\n${THIRD},2,3\n`
await writeFile(join(folder, 'future_list.csv'), lines(4_000_000))
await writeFile(join(folder, 'expired_list.csv'), lines(5_000_000))
const service = await started(
  startService({
    endpoints: { solana: [proxy.url] },
    env: {
      COFFER_AIRDROP_SOURCES: 'streamflow',
      COFFER_PRICES: 'override,defillama',
      COFFER_DEFILLAMA_URL: claimApi.url,
    },
    config: {
      airdrops: [
        api(open, 'open_api'),
        api(claimed, 'claimed_api'),
        list(future, 'future_list', { from: NOW + 86_400 }),
        list(expired, 'expired_list', { until: NOW }),
      ],
      airdropUrls: Object.fromEntries(['open_api', 'claimed_api', 'streamflow'].map((key) => [key, claimApi.url])),
    },
  }),
)

afterAll(() => rm(folder, { recursive: true }))

afterEach(() => {
  claimApi.answerWith(usual)
  proxy.reset()
})

function place({ address, ...account }: SolanaAccount): void {
  const key = (text: string) => text as Parameters<SolanaDevnet['chain']['setAccount']>[0]
  devnet.chain.setAccount(key(address), { ...account, owner: key(account.owner) })
}

const json = (value: unknown): ClaimAnswer => ({ body: JSON.stringify(value) })
const bytesOf = (placed: AirdropFixture) => placed.list.proofOf(WALLET).map((sibling) => [...sibling])
const said = (placed: AirdropFixture, amount: string) =>
  json({ merkle_tree: placed.distributor, amount, locked_amount: '0', proof: bytesOf(placed) })

/** The APIs' answers about the wallet, and DefiLlama's about coins: gold is 2.5 USD. */
function usual(path: string): ClaimAnswer | undefined {
  if (path.startsWith('/prices/current/')) {
    const coins = { [`solana:${GOLD}`]: 2.5, 'coingecko:solana': 150.25, 'coingecko:ethereum': 3000 }
    const of = (price: number) => ({ price, decimals: undefined, confidence: 0.99, timestamp: NOW })
    return json({ coins: Object.fromEntries(Object.entries(coins).map(([coin, price]) => [coin, of(price)])) })
  }
  if (!path.includes(WALLET)) return undefined
  if (path.startsWith('/open_api/')) return said(open, '1500000')
  if (path.startsWith('/claimed_api/')) return said(claimed, '9000000')
  if (path.includes('/claimable/'))
    return json({ items: [{ distributorAddress: streamed.distributor }], limit: 100, offset: 0 })
  const of = { chain: 'SOLANA', distributorAddress: streamed.distributor, address: WALLET }
  const amounts = { amountUnlocked: '250000', amountLocked: '750000', amountClaimed: '0' }
  return json({ ...of, ...amounts, proof: bytesOf(streamed) })
}

const images = (path: string) => ({ imgSmall: `${service.url}${path}`, imgLarge: `${service.url}${path}` })

async function airdropsOf(address: string) {
  const [airdrops, ...more] = await service.client.getAirdrops({ query: { addresses: [address] } })
  expect(more).toEqual([])
  if (!airdrops) throw new Error('no answer')
  return airdrops
}

test('open, vesting and future airdrops are shown, claimed, expired and clawed back ones are not', async () => {
  const answer = await airdropsOf(WALLET)
  expect(answer.incomplete).toEqual([])
  const chainLink = 'https://app.streamflow.finance/airdrops/solana/mainnet'
  const { mine, streamflow } = answer.assetByProtocols
  expect(Object.keys(answer.assetByProtocols)).toEqual(['mine', 'streamflow'])
  const { solana: ofMine } = mine?.chains ?? {}
  const tomorrow = String(NOW + 86_400)
  expect(ofMine?.protocolPositions.AIRDROP).toMatchObject({ name: 'Airdrop', totalValue: '3.75', unlockAt: tomorrow })
  const [first, second] = ofMine?.protocolPositions.AIRDROP.protocolPositions ?? []
  expect(first).toMatchObject({ name: 'open_api', value: '3.75', unlockAt: '0' })
  expect(first?.assets).toEqual([
    {
      ...{ balance: '1.5', symbol: 'gold', name: 'gold coin', value: '3.75', price: '2.5', priceSource: 'defillama' },
      ...{ displaySymbol: 'GOLD', displayName: 'Gold Coin' },
      ...{ contract: GOLD, chainKey: 'solana', isClaimable: true, unlockAt: '0' },
      ...{ link: 'https://claim.example/open_api', explorerUrl: `https://solscan.io/token/${GOLD}` },
      ...images('/icons/letters/G.svg'),
    },
  ])
  expect(second).toMatchObject({ name: 'future_list', value: '0', unlockAt: tomorrow })
  expect(second?.assets).toMatchObject([{ balance: '4', value: '10', isClaimable: false, unlockAt: tomorrow }])
  // Started claim: 8 × 300 ÷ 1000 less 1 is 1.4. Proven by the API: 0.25 and 0.75 × 500 ÷ 1000 are 0.625.
  const positions = streamflow?.chains['solana']?.protocolPositions.AIRDROP.protocolPositions ?? []
  expect(positions.map(({ value, unlockAt }) => [value, unlockAt])).toEqual([
    ['3.5', String(NOW + 700)],
    ['1.5625', String(NOW + 500)],
  ])
  const assets = positions.flatMap((position) => position.assets)
  expect(assets.map(({ balance, isClaimable, unlockAt, link }) => [balance, isClaimable, unlockAt, link])).toEqual([
    ['1.4', true, '0', `${chainLink}/${vesting.distributor}`],
    ['5.6', false, String(NOW + 700), `${chainLink}/${vesting.distributor}`],
    ['0.625', true, '0', `${chainLink}/${streamed.distributor}`],
    ['0.375', false, String(NOW + 500), `${chainLink}/${streamed.distributor}`],
  ])
})

test('totals count what can be claimed now; rates, images and the time are in the answer', async () => {
  const before = Number(await service.client.getCredits())
  const answer = await airdropsOf(WALLET)
  expect(Number(await service.client.getCredits())).toBe(before - 1)
  // 3.75 + 3.5 + 1.5625
  expect(answer).toMatchObject({ address: WALLET, networth: '8.8125' })
  expect(answer.chains).toEqual({
    solana: { name: 'Solana', key: 'solana', value: '8.8125', ...images('/icons/chains/solana.svg') },
  })
  expect(answer.assetByProtocols['streamflow']).toMatchObject({
    ...{ name: 'Streamflow', key: 'streamflow', value: '5.0625', ...images('/icons/protocols/streamflow.svg') },
    chains: { solana: { name: 'Solana', key: 'solana', value: '5.0625', ...images('/icons/chains/solana.svg') } },
  })
  expect(answer.conversionRates).toEqual({ GOLD: '2.5', SOL: '150.25', ETH: '3000', BTC: 'N/A' })
  expect(answer.asOf).toEqual({ solana: { block: String(devnet.chain.slot()), timestamp: '2026-09-21T14:13:20Z' } })
  expect(Number(answer.lastUpdated)).toBeGreaterThan(1_700_000_000_000)
})

test('a wallet without airdrops has none', async () => {
  const answer = await airdropsOf(CLAIMER_ONLY)
  expect(answer).toMatchObject({ networth: '0', assetByProtocols: {}, chains: {}, incomplete: [] })
})

test('three trips to the node, one search a program', async () => {
  await airdropsOf(WALLET)
  const searched = proxy.calls().filter(({ method }) => method === 'getProgramAccounts')
  // Started claims with a remainder record their distributor: no search is needed.
  expect(searched.map(({ params }) => params[0]).sort()).toEqual(
    distributorPrograms.map(({ program }) => program).sort(),
  )
  expect(proxy.trips()).toBeLessThanOrEqual(3)
})

test('sources that fail are named, and keep nothing else from being found', async () => {
  claimApi.answerWith((path) => {
    if (path.startsWith('/open_api/')) return { status: 500, body: '' }
    if (path.startsWith('/claimed_api/')) return said(open, '1500001')
    return usual(path)
  })
  const answer = await airdropsOf(WALLET)
  expect(answer.incomplete).toEqual(
    ['open_api', 'claimed_api'].map((source) => ({ chain: 'solana', protocol: 'mine', source, reason: 'unreadable' })),
  )
  const positions = Object.values(answer.assetByProtocols).flatMap(
    ({ chains }) => chains['solana']?.protocolPositions.AIRDROP.protocolPositions ?? [],
  )
  expect(new Set(positions.map(({ name }) => name))).toEqual(new Set(['Streamflow airdrop', 'future_list']))
})

test('a source that never answers costs its time limit and is named', async () => {
  claimApi.answerWith((path) => (path.startsWith('/open_api/') ? { body: '', silent: true } : usual(path)))
  const answer = await airdropsOf(WALLET)
  expect(answer.incomplete).toEqual([{ chain: 'solana', protocol: 'mine', source: 'open_api', reason: 'time-limit' }])
  expect(answer.networth).toBe('5.0625')
})

test('an endpoint that searches no accounts leaves what sources know', async () => {
  const plain = await startSolanaDevnet({ unixTime: BigInt(NOW), refuseProgramAccounts: 'all' })
  const strict = await startService({ endpoints: { solana: [plain.url] } })
  const [answer] = await strict.client.getAirdrops({ query: { addresses: [WALLET] } })
  expect(answer).toMatchObject({ networth: '0', assetByProtocols: {} })
  expect(answer?.incomplete).toEqual(
    distributorPrograms.map(({ program, protocol }) => ({
      ...{ chain: 'solana', protocol: protocol.key, source: program, reason: 'not-allowed' },
    })),
  )
  await strict.stop()
  await plain.stop()
})

test('a node that is away is 502, and the credit is given back', async () => {
  const before = await service.client.getCredits()
  proxy.add({ fault: { raw: { status: 503, body: '' } } })
  const answer = await service.get(`/v1/airdrop?addresses=${WALLET}`)
  expect([answer.status, answer.json()]).toEqual([502, { error: 'Bad Gateway', message: 'Solana could not be read' }])
  expect(await service.client.getCredits()).toBe(before)
})

test.each([
  ['no address', '', 'addresses'],
  ['two addresses', `?addresses=${WALLET},${OTHER}`, 'must name a single address'],
  ['an EVM address', `?addresses=0x${'a'.repeat(40)}`, 'EVM addresses are not supported by this endpoint'],
  ['no address of any kind', '?addresses=l0l', 'not a wallet address: l0l'],
])('%s is refused', async (_, query, message) => {
  const answer = await service.get(`/v1/airdrop${query}`)
  expect(answer.status).toBe(400)
  expect(answer.json()).toMatchObject({ error: 'Bad Request', message: expect.stringContaining(message) })
})
