import { addresses, deployLockstake, deployMaker, type Maker, makerActions } from '@coffer/devnet'
import { type Address, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { shownCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
const ILK = 'LSEV2-SKY-A'
const { uni } = addresses.ethereum.tokens
const engineAbi = parseAbi([
  'function open(uint256 index) returns (address)',
  'function selectFarm(address owner, uint256 index, address farm, uint16 ref)',
  'function lock(address owner, uint256 index, uint256 wad, uint16 ref)',
  'function free(address owner, uint256 index, address to, uint256 wad) returns (uint256)',
  'function draw(address owner, uint256 index, address to, uint256 wad)',
  'function wipe(address owner, uint256 index, uint256 wad)',
  'function wipeAll(address owner, uint256 index) returns (uint256)',
  'function onKick(address urn, uint256 wad)',
  'function onRemove(address urn, uint256 sold, uint256 left)',
  'function ownerUrns(address owner, uint256 index) view returns (address)',
  'function getReward(address owner, uint256 index, address farm, address to) returns (uint256)',
])

let bench: HistoryBench
let maker: Maker
let sky: Awaited<ReturnType<typeof deployLockstake>>
let farm: Address
const wallet: Address = '0x00000000000000000000000000000000c2ff0000'
const other: Address = '0x00000000000000000000000000000000c2ff0001'

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    maker = await deployMaker(chain, {})
    // A withdrawal fee of a tenth, like the first engine's.
    sky = await deployLockstake(chain, maker, { ilk: ILK, spot: RAY / 25n, fee: WAD / 10n })
    farm = await chain.actions.stakingRewards.create({ staked: sky.lssky, rewarded: uni })
    const deployment = { engines: [{ address: sky.engine, token: sky.sky, farms: [farm] }], lent: sky.usds }
    return { rows: [{ family: 'lockstake', key: 'local_staking', name: 'Sky', chain: 'ethereum', deployment }] }
  })
})
afterAll(() => bench?.stop())

const engine = (from: Address) => ({ from, address: sky.engine, abi: engineAbi }) as const

async function played(play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const nameOf = (token: string) => {
  const named = { sky: sky.sky, usds: sky.usds, uni, engine: sky.engine }
  return Object.entries(named).find(([, address]) => evmAddress(address) === token)?.[0] ?? token
}
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    ...movements
      .map(({ token, tokenId, amountRaw, treatment }) =>
        amountRaw === 0n
          ? `${treatment} ${nameOf(token)} ${tokenId}`
          : `${treatment} ${amountRaw < 0n ? '' : '+'}${amountRaw / WAD} ${nameOf(token)}`,
      )
      .toSorted(),
  ])

it('locked, borrowed, claimed, repaid and freed, each at its position', async () => {
  const { chain } = bench
  const { erc20, stakingRewards } = chain.actions
  await erc20.mint(sky.sky, wallet, 10_000n * WAD)
  for (const token of [sky.sky, sky.usds]) await erc20.allow(token, wallet, sky.engine)
  await stakingRewards.reward(farm, 6_000n * WAD)
  const found = await played(async () => {
    for (const index of [0n, 1n]) await chain.write({ ...engine(wallet), functionName: 'open', args: [index] })
    await chain.write({ ...engine(wallet), functionName: 'selectFarm', args: [wallet, 1n, farm, 0] })
    await chain.write({ ...engine(wallet), functionName: 'lock', args: [wallet, 1n, 10_000n * WAD, 0] })
    await chain.write({ ...engine(wallet), functionName: 'draw', args: [wallet, 1n, wallet, 200n * WAD] })
    // Until the farm has paid everything.
    await chain.travel(60 * DAY_SECONDS)
    await chain.write({ ...engine(wallet), functionName: 'getReward', args: [wallet, 1n, farm, wallet] })
    await chain.write({ ...engine(wallet), functionName: 'wipe', args: [wallet, 1n, 120n * WAD] })
    await chain.write({ ...engine(wallet), functionName: 'free', args: [wallet, 1n, wallet, 4_000n * WAD] })
  })
  const claimed = found.flatMap(({ movements }) => movements).find(({ token }) => token === evmAddress(uni))
  expect(claimed?.amountRaw).toBe(await erc20.balanceOf(uni, wallet))
  expect(summary(found)).toEqual([
    ...[0, 1, 2].map(() => ['INTERACTION', 'local_staking']),
    ['STAKE', 'local_staking', 'move -10000 sky', 'move engine 1'],
    ['BORROW', 'local_staking', 'borrow +200 usds', 'borrow engine 1'],
    ['CLAIM', 'local_staking', `income +${(claimed?.amountRaw ?? 0n) / WAD} uni`],
    ['REPAYVAULT', 'local_staking', 'repay -120 usds', 'repay engine 1'],
    // A tenth is the fee.
    ['UNSTAKE', 'local_staking', 'move +3600 sky', 'move engine 1'],
  ])
  expect(await erc20.balanceOf(sky.sky, wallet)).toBe(3_600n * WAD)
  expect(await erc20.balanceOf(sky.usds, wallet)).toBe(80n * WAD)
})

it('a loan that is paid to another, and a lock by another, move nothing of the position in the wallet', async () => {
  const { chain } = bench
  const { erc20 } = chain.actions
  await erc20.mint(sky.sky, other, 50n * WAD)
  await erc20.allow(sky.sky, other, sky.engine)
  const found = await played(async () => {
    await chain.write({ ...engine(wallet), functionName: 'draw', args: [wallet, 1n, other, 9n * WAD] })
    await chain.write({ ...engine(other), functionName: 'lock', args: [wallet, 1n, 50n * WAD, 0] })
  })
  expect(found.flatMap(({ movements }) => movements)).toEqual([])
})

it('a liquidation is in no history: what it took is in what the position is worth, and named once it is gone', async () => {
  const { chain } = bench
  const owner: Address = '0x00000000000000000000000000000000c2ff0002'
  const auction: Address = '0x00000000000000000000000000000000c2ff0003'
  await chain.actions.erc20.mint(sky.sky, owner, 1_000n * WAD)
  await chain.actions.erc20.allow(sky.sky, owner, sky.engine)
  const before = await bench.client.getBlockNumber()
  await chain.write({ ...engine(owner), functionName: 'open', args: [0n] })
  await chain.write({ ...engine(owner), functionName: 'lock', args: [owner, 0n, 1_000n * WAD, 0] })
  await chain.write({ ...engine(owner), functionName: 'draw', args: [owner, 0n, owner, 30n * WAD] })
  const view = { address: sky.engine, abi: engineAbi, functionName: 'ownerUrns', args: [owner, 0n] } as const
  const urn = await bench.client.readContract(view)
  const quotes = {
    sky: { address: sky.sky, price: '0.05', had: '1000', paid: '0.04' },
    usds: { address: sky.usds, price: '1' },
  }
  const { ink } = await makerActions(chain, maker).liquidate(ILK, urn, 0n)
  await chain.write({ ...engine(auction), functionName: 'onKick', args: [urn, ink] })
  const shown = async () => {
    const [found, { positions }] = [await bench.readSince(owner, before), await bench.read(owner)]
    return { found: found.length, ...shownCosts(positions, bench.book, owner, quotes, found) }
  }
  expect(await shown()).toEqual({ found: 3, positions: [], lacks: [`balance-differs ${evmAddress(sky.engine)}`] })
  await chain.write({ ...engine(auction), functionName: 'onRemove', args: [urn, ink - 400n * WAD, 400n * WAD] })
  // 1,000 at 0.04, less the borrowed 30. Of 400 the engine keeps a ninth of the 600 that were sold: 333.33 at 0.05.
  const open = '6.666666666666666667'
  expect(await shown()).toEqual({ found: 3, positions: [`cost 10, open ${open}`], lacks: [] })
})
