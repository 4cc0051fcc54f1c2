import { addresses, deployLockstake, deployMaker, makerActions, makerIlk } from '@coffer/devnet'
import { type Address, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const RAY = 10n ** 27n
const WAD = 10n ** 18n
const DAY_SECONDS = 86_400
/** A SKY backs at most 4 cents. */
const SPOT = RAY / 25n
const ILK = 'LSEV2-SKY-A'
const { uni, dai } = addresses.ethereum.tokens

const rows: ProtocolRow[] = []
const random = seededRandom('lockstake')
const bench = await ownBench(rows)
const { chain, client } = bench
const { erc20, stakingRewards } = chain.actions
const maker = await deployMaker(chain, {})
const vaults = makerActions(chain, maker)
// A withdrawal fee of a tenth, like the first engine's.
const sky = await deployLockstake(chain, maker, { ilk: ILK, spot: SPOT, fee: WAD / 10n })
/** They pay UNI and DAI, which anyone can pay in. */
const farms = [
  await stakingRewards.create({ staked: sky.lssky, rewarded: uni }),
  await stakingRewards.create({ staked: sky.lssky, rewarded: dai }),
] as const
rows.push({
  ...{ family: 'lockstake', key: 'sky_staking', name: 'Sky Staking', chain: 'ethereum' },
  deployment: { engines: [{ address: sky.engine, token: sky.sky, farms }], lent: sky.usds },
})
await bench.discover()
const engine = contractOf(chain, sky.engine, 'LockstakeEngine')
const vat = contractOf(chain, maker.vat, 'MakerVat')
const jug = contractOf(chain, maker.jug, 'MakerJug')

const urnOf = (wallet: Address, index: bigint) => engine.read<Address>('ownerUrns', wallet, index)
const afterFee = (amount: bigint) => amount - amount / 10n

async function giveSky(wallet: Address, amount: bigint): Promise<void> {
  await bench.give(wallet, sky.sky, amount, sky.engine)
}

/** Opens the next position and locks `amount`, in `farm` if given. */
async function lock(wallet: Address, index: bigint, amount: bigint, farm: Address = zeroAddress): Promise<void> {
  await engine.write(wallet, 'open', index)
  if (farm !== zeroAddress) await engine.write(wallet, 'selectFarm', wallet, index, farm, 0)
  await giveSky(wallet, amount)
  await engine.write(wallet, 'lock', wallet, index, amount, 0)
}

const draw = (wallet: Address, index: bigint, amount: bigint) =>
  engine.write(wallet, 'draw', wallet, index, wallet, amount)

const claim = (wallet: Address, index: bigint, farm: Address) =>
  engine.write(wallet, 'getReward', wallet, index, farm, wallet)

it('shows what is locked, what repays the debt at the time of the read, and what farms pay', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = random.amount(WAD, 10n ** 26n)
    const most = (amount * SPOT) / RAY
    const drawn = random.amount(most / 10n, (most * 9n) / 10n)
    await lock(wallet, 0n, amount, farms[0])
    await draw(wallet, 0n, drawn)
    await stakingRewards.reward(farms[0], random.amount(WAD, 10n ** 24n))
    await chain.travel(1 + random.index(300 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect([positions.length, batches]).toEqual([1, 2])
    const [position] = positions
    const owed = position?.borrowed[0]?.amountRaw ?? 0n
    expect(owed).toBeGreaterThan(drawn)
    expect(position).toMatchObject({
      ...{ kind: 'lending', label: 'Stake', pool: evmAddress(sky.engine), tokenId: 0n, receipts: [] },
      supplied: [{ token: evmAddress(sky.sky), amountRaw: amount }],
      borrowed: [{ token: evmAddress(sky.usds), amountRaw: owed }],
    })
    await bench.atTheTimeOfTheRead(async () => {
      await claim(wallet, 0n, farms[0])
      expect(amountsOf(position?.rewards)).toEqual(expectedAmounts([uni, await erc20.balanceOf(uni, wallet)]))
      // Anyone may accrue the fees.
      await jug.write(random.address(), 'drip', makerIlk(ILK))
      const [ink, art] = await vat.read<[bigint, bigint]>('urns', makerIlk(ILK), await urnOf(wallet, 0n))
      const [, rate = 0n] = await vat.read<bigint[]>('ilks', makerIlk(ILK))
      expect(position?.healthFactorRaw).toBe((ink * SPOT * WAD) / (art * rate))
      await vaults.giveDai(wallet, owed, { token: sky.usds, join: sky.usdsJoin })
      await erc20.allow(sky.usds, wallet, sky.engine)
      await engine.write(wallet, 'wipeAll', wallet, 0n)
      expect(await erc20.balanceOf(sky.usds, wallet)).toBe(drawn)
      await engine.write(wallet, 'free', wallet, 0n, wallet, amount)
    })
    expect(await erc20.balanceOf(sky.sky, wallet)).toBe(afterFee(amount))
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('shows each position, whether it votes, and a reward of a farm that it left', async () => {
  const [wallet, delegate] = [random.address(), random.address()]
  await lock(wallet, 0n, 5n * WAD, farms[0])
  await lock(wallet, 1n, 7n * WAD)
  await stakingRewards.reward(farms[0], 1_000n * WAD)
  await chain.travel(DAY_SECONDS)
  await engine.write(wallet, 'selectFarm', wallet, 0n, farms[1], 0)
  await stakingRewards.reward(farms[1], 1_000n * WAD)
  await engine.write(wallet, 'selectVoteDelegate', wallet, 1n, delegate)
  await chain.travel(DAY_SECONDS)
  const { positions } = await bench.read(wallet)
  expect(positions).toMatchObject([
    { kind: 'staked', label: 'Stake', tokenId: 0n, supplied: [{ amountRaw: 5n * WAD }] },
    { kind: 'staked', label: 'Stake, delegated', tokenId: 1n, supplied: [{ amountRaw: 7n * WAD }], rewards: [] },
  ])
  expect(positions[0]?.healthFactorRaw).toBeUndefined()
  // One DAI that a third party sent to the urn is paid with the next claim.
  await erc20.mint(dai, await urnOf(wallet, 0n), WAD)
  const [position] = (await bench.read(wallet)).positions
  await bench.atTheTimeOfTheRead(async () => {
    for (const farm of farms) await claim(wallet, 0n, farm)
  })
  const paid = [uni, dai].map(async (token) => [token, await erc20.balanceOf(token, wallet)] as const)
  expect(amountsOf(position?.rewards)).toEqual(expectedAmounts(...(await Promise.all(paid))))
})

it('counts a reward as far as the farm has it', async () => {
  const wallet = random.address()
  await lock(wallet, 0n, 5n * WAD, farms[1])
  await stakingRewards.reward(farms[1], 1_000n * WAD)
  await chain.travel(30 * DAY_SECONDS)
  await erc20.setBalance(dai, farms[1], 9n)
  const [position] = (await bench.read(wallet)).positions
  expect(position?.rewards).toEqual([{ token: evmAddress(dai), amountRaw: 9n }])
})

it('shows what a liquidation took, and what came back of it', async () => {
  const wallet = random.address()
  await lock(wallet, 0n, 1_000n * WAD, farms[0])
  await stakingRewards.reward(farms[0], 1_000n * WAD)
  await draw(wallet, 0n, 30n * WAD)
  await chain.travel(DAY_SECONDS)
  const urn = await urnOf(wallet, 0n)
  const { ink } = await vaults.liquidate(ILK, urn, 0n)
  await engine.write(random.address(), 'onKick', urn, ink)
  // Earlier rewards stay.
  const [emptied] = (await bench.read(wallet)).positions
  expect(emptied).toMatchObject({ supplied: [], borrowed: [], rewards: [{ token: evmAddress(uni) }] })
  await engine.write(random.address(), 'onRemove', urn, 540n * WAD, 460n * WAD)
  // The engine keeps a ninth of what was sold.
  expect((await bench.read(wallet)).positions).toMatchObject([
    { kind: 'staked', label: 'Stake', supplied: [{ amountRaw: 400n * WAD }], borrowed: [] },
  ])
})

it('says of a position that a part of it is being sold', async () => {
  const wallet = random.address()
  await lock(wallet, 0n, 1_000n * WAD)
  const urn = await urnOf(wallet, 0n)
  await vaults.liquidate(ILK, urn, 0n)
  await engine.write(random.address(), 'onKick', urn, 1_000n * WAD)
  await erc20.mint(sky.sky, wallet, 3n * WAD)
  await engine.write(wallet, 'lock', wallet, 0n, 3n * WAD, 0)
  expect((await bench.read(wallet)).positions).toMatchObject([
    { label: 'Stake, in liquidation', supplied: [{ amountRaw: 3n * WAD }] },
  ])
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

const [wallet, other] = [random.address(), random.address()]
const NAMED = { sky: sky.sky, usds: sky.usds, uni, engine: sky.engine }
const { shown: shownCosts } = namedHistory(bench, () => NAMED)
const NAMES = new Map<string, string>(Object.entries(NAMED).map(([name, address]) => [evmAddress(address), name]))
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, movements }) => [
    type,
    ...movements
      .map(({ token, tokenId, amountRaw, treatment }) => {
        const moved = `${amountRaw < 0n ? '' : '+'}${amountRaw / WAD} ${NAMES.get(token)}`
        return `${treatment} ${amountRaw === 0n ? `${NAMES.get(token)} ${tokenId}` : moved}`
      })
      .toSorted(),
  ])

it('locked, borrowed, claimed, repaid and freed, each at its position', async () => {
  await giveSky(wallet, 10_000n * WAD)
  await erc20.allow(sky.usds, wallet, sky.engine)
  await stakingRewards.reward(farms[0], 6_000n * WAD)
  const found = await bench.played(wallet, async () => {
    for (const index of [0n, 1n]) await engine.write(wallet, 'open', index)
    await engine.write(wallet, 'selectFarm', wallet, 1n, farms[0], 0)
    await engine.write(wallet, 'lock', wallet, 1n, 10_000n * WAD, 0)
    await draw(wallet, 1n, 200n * WAD)
    // Until the farm has paid everything.
    await chain.travel(60 * DAY_SECONDS)
    await claim(wallet, 1n, farms[0])
    await engine.write(wallet, 'wipe', wallet, 1n, 120n * WAD)
    await engine.write(wallet, 'free', wallet, 1n, wallet, 4_000n * WAD)
  })
  expect(new Set(found.map(({ protocol }) => protocol))).toEqual(new Set(['sky_staking']))
  const claimed = found.flatMap(({ movements }) => movements).find(({ token }) => token === evmAddress(uni))
  expect(claimed?.amountRaw).toBe(await erc20.balanceOf(uni, wallet))
  expect(summary(found)).toEqual([
    ...[0, 1, 2].map(() => ['INTERACTION']),
    ['STAKE', 'move -10000 sky', 'move engine 1'],
    ['BORROW', 'borrow +200 usds', 'borrow engine 1'],
    ['CLAIM', `income +${(claimed?.amountRaw ?? 0n) / WAD} uni`],
    ['REPAYVAULT', 'repay -120 usds', 'repay engine 1'],
    ['UNSTAKE', 'move +3600 sky', 'move engine 1'],
  ])
  expect(await erc20.balanceOf(sky.sky, wallet)).toBe(3_600n * WAD)
  expect(await erc20.balanceOf(sky.usds, wallet)).toBe(80n * WAD)
})

it('a loan that is paid to another, and a lock by another, move nothing of the position in the wallet', async () => {
  await giveSky(other, 50n * WAD)
  const found = await bench.played(wallet, async () => {
    await engine.write(wallet, 'draw', wallet, 1n, other, 9n * WAD)
    await engine.write(other, 'lock', wallet, 1n, 50n * WAD, 0)
  })
  expect(found.flatMap(({ movements }) => movements)).toEqual([])
})

it('a liquidation is in no history: what it took is in what the position is worth, and named once it is gone', async () => {
  const [owner, auction] = [random.address(), random.address()]
  await giveSky(owner, 1_000n * WAD)
  const before = await client.getBlockNumber()
  await engine.write(owner, 'open', 0n)
  await engine.write(owner, 'lock', owner, 0n, 1_000n * WAD, 0)
  await draw(owner, 0n, 30n * WAD)
  const urn = await urnOf(owner, 0n)
  const quotes = 'sky 0.05 had 1000 at 0.04, usds 1'
  const { ink } = await vaults.liquidate(ILK, urn, 0n)
  await engine.write(auction, 'onKick', urn, ink)
  const shown = async () => {
    const [found, { positions }] = [await bench.readSince(owner, before), await bench.read(owner)]
    return { found: found.length, ...shownCosts(owner, quotes, found, positions) }
  }
  expect(await shown()).toEqual({ found: 3, positions: [], lacks: [`balance-differs ${evmAddress(sky.engine)}`] })
  await engine.write(auction, 'onRemove', urn, ink - 400n * WAD, 400n * WAD)
  // 1,000 at 0.04, less the borrowed 30. Of 400 the engine keeps a ninth of the 600 that were sold: 333.33 at 0.05.
  const open = '6.666666666666666667'
  expect(await shown()).toEqual({ found: 3, positions: [`cost 10, open ${open}`], lacks: [] })
})
