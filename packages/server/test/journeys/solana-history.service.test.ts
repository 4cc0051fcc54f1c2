import { startSolanaDevnet } from '@coffer/devnet/solana'
import { afterEach, expect, test } from 'vitest'
import { NATIVE_SOL } from '../../src/domain/solana-address.ts'
import { beginRound } from '../followed-wallets.ts'
import { startService, type TestService, testClock } from '../harness.ts'
import { callWith } from '../own-data.ts'
import { seededRandom } from '../random.ts'
import { startRpcProxy } from '../rpc-proxy.ts'
import { startPlay, type WalletPlay } from '../solana/wallet-play.ts'
import { started } from '../started.ts'
import { countTransactions, historyOf, letSyncAgain, spent, syncTransactions, undisturbedHistory } from '../sync.ts'

const SOL = 1_000_000_000n
const STEPS = 40
/** Longer than any pause of an endpoint after a failure. */
const AFTER_REST_MS = 130_000

const services: TestService[] = []

const devnet = await started(startSolanaDevnet())
const proxy = await started(startRpcProxy(devnet.url))

afterEach(async () => {
  proxy.reset()
  for (const service of services.splice(0)) await service.stop()
})

async function serviceAt(url: string, clock = testClock()): Promise<TestService> {
  const service = await startService({ endpoints: { solana: [url] }, clock })
  services.push(service)
  return service
}

async function played(name: string): Promise<WalletPlay> {
  const play = await startPlay(devnet, seededRandom(name), name)
  for (let i = 0; i < STEPS; i += 1) await play.step()
  return play
}

/** Sums of stored rows: base units by token, and the part that no transaction explains. */
async function sumsOf({ context }: TestService, wallet: string) {
  const { db } = context.database
  const moved = await db
    .selectFrom('history_movement')
    .select(['token', ({ fn }) => fn.sum<string>('amount').as('total')])
    .where('wallet', '=', wallet)
    .groupBy('token')
    .execute()
  const adjusted = await db.selectFrom('history_adjustment').selectAll().where('wallet', '=', wallet).execute()
  const sums = moved.map(({ token, total }) => [token, BigInt(total)] as const)
  return { sums: new Map(sums.filter(([, total]) => total !== 0n)), adjusted }
}

function balancesOf(play: WalletPlay): Map<string, bigint> {
  const { lamports, tokens } = play.had()
  return new Map([[NATIVE_SOL, lamports], ...tokens])
}

/** Of 301 transactions. */
async function longHistory(name: string) {
  const owner = await devnet.keypair(name)
  await devnet.actions.sol.give(owner.address, 2n * SOL)
  for (let i = 1; i <= 300; i += 1) await devnet.actions.sol.transfer(owner, devnet.payer.address, BigInt(i))
  return owner
}

const fromNothing = (wallet: string) => undisturbedHistory({ endpoints: { solana: [devnet.url] } }, wallet)

test('what a wallet did is listed after a sync, newest first, with what it moved', async () => {
  const service = await serviceAt(devnet.url)
  const { sol, mints, tokens, stake } = devnet.actions
  const [wallet, other] = [await devnet.keypair('a wallet'), await devnet.keypair('another')]
  const token = await mints.create(await devnet.keypair('a mint'), { decimals: 6 })
  await sol.give(wallet.address, 10n * SOL)
  const given = await sol.transfer(wallet, other.address, 3n * SOL)
  await tokens.mint(token, other.address, 5_000_000n)
  // Names the wallet's token account and not the wallet.
  await tokens.mint(token, wallet.address, 1n)
  await tokens.transfer(token, other, wallet.address, 2_000_000n)
  await stake.create(wallet, await devnet.keypair('a stake'), SOL)
  expect(await syncTransactions(service, wallet.address)).toBe('done')
  const list = async (query: object) =>
    (await service.client.listTransactions({ query: { addresses: wallet.address, ...query } })).transactions
  const all = await list({})
  expect(all.map(({ type }) => type)).toEqual(['STAKE', 'TRANSFERIN', 'TRANSFERIN', 'TRANSFEROUT', 'TRANSFERIN'])
  const sent = {
    address: wallet.address,
    hash: given.signature,
    chain: { key: 'solana', name: 'Solana' },
    blockNumber: String(given.slot),
    from: wallet.address,
    to: NATIVE_SOL,
    value: '3',
    fees: '0.000005',
    nativeAssetFees: { contract: NATIVE_SOL, balance: '0.000005' },
    protocol: { key: 'unknown', name: 'Unknown' },
    assetsIn: [],
    assetsOut: [{ contract: NATIVE_SOL, symbol: 'sol', balance: '3', from: wallet.address, to: other.address }],
    explorerUrl: `https://solscan.io/tx/${given.signature}`,
  }
  expect(all[3]).toMatchObject(sent)
  expect(all[0]).toMatchObject({ protocol: { key: 'native_stake', name: 'Native staking' } })
  expect(all[1]).toMatchObject({ fees: '0', assetsIn: [{ contract: token.mint, balance: '2', from: other.address }] })
  expect(await list({ initialSearchText: given.signature.slice(10, 40) })).toEqual([all[3]])
  expect(await list({ interactingAddresses: other.address })).toEqual([all[1], all[3]])
  expect(await list({ txTypes: 'STAKE', networks: 'solana' })).toEqual([all[0]])
  expect(await list({ protocols: 'native_stake' })).toEqual([all[0]])
  expect(await list({ limit: 2, offset: 1, sort: 'ASC' })).toEqual([all[3], all[2]])
  const [status] = await service.client.getStatus({ query: { addresses: wallet.address } })
  expect(status).toMatchObject({ syncInProgress: false, transactionsLastSync: expect.any(String) })
})

test('movements add up to balances; a second sync pays for what is new alone', async () => {
  const service = await serviceAt(devnet.url)
  const play = await played('sums')
  const wallet = play.wallet.address
  expect(await syncTransactions(service, wallet)).toBe('done')
  expect(await sumsOf(service, wallet)).toEqual({ sums: balancesOf(play), adjusted: [] })
  const count = await countTransactions(service, wallet)
  expect(count).toBeGreaterThan(0)
  expect(await spent(service)).toBe(1 + Math.ceil(count / 250))
  await letSyncAgain(service)
  expect(await syncTransactions(service, wallet)).toBe('done')
  expect(await countTransactions(service, wallet)).toBe(count)
  expect(await spent(service)).toBe(1 + Math.ceil(count / 250) + 1)
  for (let i = 0; i < STEPS; i += 1) await play.step()
  await letSyncAgain(service)
  expect(await syncTransactions(service, wallet)).toBe('done')
  expect(await sumsOf(service, wallet)).toEqual({ sums: balancesOf(play), adjusted: [] })
  const more = Math.ceil(((await countTransactions(service, wallet)) - count) / 250)
  expect(await spent(service)).toBe(1 + Math.ceil(count / 250) + 1 + 1 + more)
  expect(await historyOf(service, wallet)).toEqual(await fromNothing(wallet))
})

test('a node that fails in the middle leaves what was found; the next call continues', async () => {
  const owner = await longHistory('a long history')
  const clock = testClock()
  const service = await serviceAt(proxy.url, clock)
  /** In requests of ten; the last may belong to the next piece. */
  const TRANSACTIONS_OF_A_PIECE = 270
  let asked = 0
  const later = ({ method }: { method: string }) => {
    if (method === 'getTransaction') asked += 1
    return asked > TRANSACTIONS_OF_A_PIECE
  }
  proxy.add({ when: later, fault: { raw: { status: 500, body: '' } } })
  expect(await syncTransactions(service, owner.address)).toMatch(/^failed: /)
  const found = await countTransactions(service, owner.address)
  expect([found > 0, found < 301]).toEqual([true, true])
  expect(await spent(service)).toBe(2)
  proxy.reset()
  clock.advance(AFTER_REST_MS)
  expect(await syncTransactions(service, owner.address)).toBe('done')
  expect(await historyOf(service, owner.address)).toEqual(await fromNothing(owner.address))
  expect(await spent(service)).toBe(2 + 1 + 1)
})

test('without credits the sync pauses and keeps what was paid; paid again it continues with the same count', async () => {
  const owner = await longHistory('a history that is not paid for')
  const service = await serviceAt(devnet.url)
  const { db } = service.context.database
  const key = await service.newKey(2)
  const call = callWith(service.url, key)
  const post = () => call('POST', '/v1/sync-transactions', { addresses: [owner.address] })
  expect((await post()).status).toBe(200)
  const ended = () => db.selectFrom('history_sync').select(['state', 'stored', 'reason']).executeTakeFirstOrThrow()
  await expect.poll(async () => (await ended()).state).not.toBe('running')
  expect(await ended()).toEqual({ state: 'paused', stored: 250, reason: 'out of credits' })
  expect((await post()).status).toBe(402)
  expect(await syncTransactions(service, owner.address)).toBe('done')
  expect((await ended()).stored).toBe(301)
  expect(await historyOf(service, owner.address)).toEqual(await fromNothing(owner.address))
  // 1 for the call and 1 for starting the second 250; the first was paid by the other key.
  expect(await spent(service)).toBe(2)
})

test('wallets that were asked for are followed, at no price', async () => {
  const service = await serviceAt(proxy.url)
  const play = await played('followed')
  const wallet = play.wallet.address
  expect(await syncTransactions(service, wallet)).toBe('done')
  const [before, count] = [await spent(service), await countTransactions(service, wallet)]
  const { mints, tokens } = devnet.actions
  const token = await mints.create(await devnet.keypair('followed: new mint'), { decimals: 0 })
  await tokens.mint(token, wallet, 7n)
  await beginRound(service.context)
  await expect.poll(() => countTransactions(service, wallet), { interval: 100 }).toBe(count + 1)
  expect((await sumsOf(service, wallet)).sums).toEqual(balancesOf(play))
  expect(await spent(service)).toBe(before)
})

test('what no transaction explains is a gap in the pool of its token, and said', async () => {
  const service = await serviceAt(devnet.url)
  const { address } = await devnet.keypair('a gap')
  await devnet.actions.sol.give(address, 2n * SOL)
  const account = devnet.chain.account(address)
  if (!account) throw new Error('no account')
  devnet.chain.setAccount(address, { ...account, lamports: 5n * SOL })
  expect(await syncTransactions(service, address)).toBe('done')
  const { adjusted } = await sumsOf(service, address)
  expect(adjusted).toMatchObject([{ token: NATIVE_SOL, amount: (3n * SOL).toString(), kind: 'gap' }])
  const [portfolio] = await service.client.getPortfolio({ query: { addresses: address } })
  expect(portfolio).toMatchObject({
    ...{ totalCostBasis: 'N/A', openPnl: 'N/A', closedPnl: '0' },
    pnlIncomplete: [{ reason: 'native-unexplained', chain: 'solana', contract: NATIVE_SOL, amount: '3' }],
  })
})

test('a wallet of a chain type without a chain is not synced, free of charge', async () => {
  const service = await serviceAt(devnet.url)
  const evm = '0x00000000000000000000000000000000000000aa'
  const refused = { status: 400, message: expect.stringContaining('this service has no node for wallets of this type') }
  await expect(service.client.syncTransactions({ body: { addresses: [evm] } })).rejects.toMatchObject(refused)
  expect(await spent(service)).toBe(0)
})
