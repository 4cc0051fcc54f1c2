import { addresses, deployMarketRewards } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const YEAR_SECONDS = 365 * DAY_SECONDS
const { tokens, compoundV2 } = addresses.ethereum
const { comptroller, markets } = compoundV2
const { uni, link } = tokens
const distributorAbi = parseAbi([
  'struct Reward { address emissionToken; uint256 totalAmount; uint256 supplySide; uint256 borrowSide; }',
  'struct Rewards { address mToken; Reward[] rewards; }',
  'function _pauseRewards()',
  'function _unpauseRewards()',
  'function updateMarketSupplyIndexAndDisburseSupplierRewards(address mToken, address supplier, bool send)',
  'function updateMarketBorrowIndexAndDisburseBorrowerRewards(address mToken, address borrower, bool send)',
  'function claimReward(address holder, address[] mTokens)',
  'function getOutstandingRewardsForUser(address user) view returns (Rewards[] outstanding)',
])

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let distributor: Address

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  distributor = await deployMarketRewards(bench.chain, bench.chain.actions.erc20, [uni, link])
  const deployment = { comptroller, rewards: { scheme: 'moonwell', distributor } }
  rows.push({ family: 'compound_v2', key: 'moonwell', name: 'Moonwell', chain: 'ethereum', deployment })
})
afterAll(() => bench?.stop())

const at = () => ({ from: distributor, address: distributor, abi: distributorAbi }) as const

/** The comptroller's calls of the distributor before each action of a wallet. */
const accrue = (wallet: Address, market: Address, side: 'supply' | 'borrow') =>
  bench.chain.write({
    ...at(),
    functionName:
      side === 'supply'
        ? 'updateMarketSupplyIndexAndDisburseSupplierRewards'
        : 'updateMarketBorrowIndexAndDisburseBorrowerRewards',
    args: [market, wallet, false],
  })

const actions = () => bench.chain.actions.compoundV2

async function supply(wallet: Address, amount: bigint): Promise<void> {
  await bench.chain.actions.native.give(wallet, amount)
  await accrue(wallet, markets.ceth, 'supply')
  await actions().mint(wallet, markets.ceth, amount)
}

async function borrow(wallet: Address, amount: bigint): Promise<void> {
  await actions().enter(wallet, [markets.ceth])
  await accrue(wallet, markets.cdai, 'borrow')
  await actions().borrow(wallet, markets.cdai, amount)
}

async function outstanding(wallet: Address, blockNumber: bigint): Promise<Record<string, bigint>> {
  const read = { address: distributor, abi: distributorAbi, functionName: 'getOutstandingRewardsForUser' } as const
  const all = await bench.client.readContract({ ...read, args: [wallet], blockNumber })
  return expectedAmounts(
    ...all.flatMap(({ rewards }) => rewards.map((one) => [one.emissionToken, one.totalAmount] as const)),
  )
}

/** By the distributor's own view of all markets at the block, each token once. */
async function check(wallet: Address): Promise<Record<string, bigint>> {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const expected = await outstanding(wallet, block)
  const rewards = positions.flatMap((position) => position.rewards)
  expect(rewards).toHaveLength(Object.keys(expected).length)
  expect(amountsOf(rewards)).toEqual(expected)
  return expected
}

it('finds rewards owed after a complete withdrawal, and in a market that the wallet left', async () => {
  const random = seededRandom('moonwell left')
  const wallet = random.address()
  await supply(wallet, parseEther('10'))
  await bench.chain.travel(DAY_SECONDS)
  await accrue(wallet, markets.ceth, 'supply')
  const shares = await bench.chain.actions.erc20.balanceOf(markets.ceth, wallet)
  await bench.chain.actions.erc20.transfer(markets.ceth, wallet, random.address(), shares)
  expect(Object.keys(await check(wallet))).toHaveLength(2)
  const { positions } = await bench.read(wallet)
  expect(positions.map(({ supplied, borrowed }) => [supplied, borrowed])).toEqual([[[], []]])
})

it('shows what stays owed while rewards are paused', async () => {
  const wallet = seededRandom('moonwell paused').address()
  await supply(wallet, parseEther('10'))
  await bench.chain.travel(DAY_SECONDS)
  await bench.chain.write({ ...at(), functionName: '_pauseRewards' })
  await bench.chain.write({ ...at(), functionName: 'claimReward', args: [wallet, [markets.ceth]] })
  await bench.chain.write({ ...at(), functionName: '_unpauseRewards' })
  expect(Object.keys(await check(wallet))).toHaveLength(2)
})

it('reads random rewards of both sides in several tokens, and what they pay is what a claim pays', async () => {
  const random = seededRandom('moonwell rewards')
  const wallets = [random.address(), random.address(), random.address()]
  for (const wallet of wallets) {
    await supply(wallet, random.amount(parseEther('1'), parseEther('50')))
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    expect(Object.keys(await check(wallet))).toHaveLength(2)
    await borrow(wallet, random.amount(1n, parseEther('500')))
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    await check(wallet)
    await supply(wallet, random.amount(1n, parseEther('5')))
    await check(wallet)
  }
  await bench.chain.travel(YEAR_SECONDS)
  for (const wallet of wallets) {
    const shown = await check(wallet)
    const args = [wallet, [markets.ceth, markets.cdai]] as const
    await bench.chain.write({ ...at(), functionName: 'claimReward', args })
    const { balanceOf } = bench.chain.actions.erc20
    expect(expectedAmounts([uni, await balanceOf(uni, wallet)], [link, await balanceOf(link, wallet)])).toEqual(shown)
    expect(await check(wallet)).toEqual({})
  }
})

it.each([
  ['refuses', '0x5f5ffd'],
  ['burns all gas', '0x5b5f56'],
  // A list of 17 tokens, and one whose length exceeds memory.
  ['lists more tokens than a market can have', '0x60205f5260116020526108c05ff3'],
  ['answers a list without an end', '0x60205f5263ffffffff60205260405ff3'],
  ['answers a megabyte', '0x60205f52620fffe05ff3'],
] as const)('leaves out rewards where the distributor %s, and keeps what was lent', async (_, bytecode) => {
  const wallet = seededRandom(`moonwell ${bytecode}`).address()
  await supply(wallet, parseEther('3'))
  const code = await bench.client.getCode({ address: distributor })
  await bench.client.setCode({ address: distributor, bytecode })
  const missing: string[] = []
  const { positions } = await bench.read(wallet, { leftOut: (why) => missing.push(String(why)) })
  await bench.client.setCode({ address: distributor, bytecode: code ?? '0x' })
  expect(positions.map(({ supplied, rewards }) => [supplied.length, rewards])).toEqual([[1, []]])
  expect(missing).toEqual([`Error: rewards of market ${markets.ceth} could not be read`])
})

it('asks a wallet that has nothing there nothing more', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect([positions, batches]).toEqual([[], 2])
})

it('prices the tokens that a market pays ahead', async () => {
  const [known] = await bench.discover()
  const shown = known?.protocolContracts.map(({ address, alsoShown }) => [address, alsoShown?.toSorted()])
  const both = [uni, link].map((token) => token.toLowerCase()).toSorted()
  expect(Object.fromEntries(shown ?? [])).toMatchObject({ [markets.ceth.toLowerCase()]: both })
})
