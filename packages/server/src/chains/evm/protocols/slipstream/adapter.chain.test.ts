import { addresses } from '@coffer/devnet'
import { type Address, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { legsOf, ownBench } from '../../../../../test/history-bench.ts'
import { amountsOf, expectedAmounts } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import type { Random } from '../../../../../test/random-of.ts'
import { FAR_FUTURE, MOST, openSlipstream, token0, token1 } from '../../../../../test/slipstream-plays.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const { usdc, weth, uni: reward } = addresses.ethereum.tokens
const DAY_SECONDS = 86_400
const owner = seededRandom('slipstream owner').address()

const rows: ProtocolRow[] = []
const bench = await ownBench(rows)
const { manager, gauge, mint, swap, stake, emit, row } = await openSlipstream(bench.chain, owner)
rows.push(row)
await bench.discover()

async function trade(random: Random): Promise<void> {
  const trader = random.address()
  for (let count = 0; count < 4; count += 1) {
    const isUsdc = random.index(2) === 0
    const amount = isUsdc ? random.amount(10n ** 6n, parseUnits('6000', 6)) : random.amount(10n ** 15n, parseEther('2'))
    await swap(trader, isUsdc ? usdc : weth, amount)
  }
}

async function shownNft(wallet: Address, id: bigint) {
  const { positions, block } = await bench.read(wallet)
  const position = positions.find(({ tokenId }) => tokenId === id)
  const [, , , , , , , liquidity = 0n] = await manager.at(block).read<bigint[]>('positions', id)
  const removal = { tokenId: id, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
  return { position, block, removal }
}

/** Compares an unstaked NFT with taking it out at the same block. */
async function checkOwned(wallet: Address, id: bigint): Promise<Position | undefined> {
  const { position, block, removal } = await shownNft(wallet, id)
  const collect = manager.call('collect', { tokenId: id, recipient: wallet, amount0Max: MOST, amount1Max: MOST })
  const close = [manager.call('decreaseLiquidity', removal), collect]
  const income = (calls: typeof close) => bench.incomeBy(wallet, calls, [usdc, weth, reward], block)
  const { supplied = [], rewards = [] } = position ?? {}
  expect(amountsOf(rewards)).toEqual(await income([collect]))
  expect(amountsOf([...supplied, ...rewards])).toEqual(await income(close))
  return position
}

/** Compares a staked NFT with the payouts of its owner, the gauge, and of the gauge to the wallet. */
async function checkStaked(wallet: Address, id: bigint): Promise<Position | undefined> {
  const { position, block, removal } = await shownNft(wallet, id)
  const claimed = await bench.incomeBy(wallet, [gauge.call('getReward', id)], [usdc, weth, reward], block)
  expect(amountsOf(position?.rewards)).toEqual(claimed)
  const { simulate } = manager.at(block)
  const paid = await simulate<[bigint, bigint]>(gauge.address, 'decreaseLiquidity', removal)
  expect(amountsOf(position?.supplied)).toEqual(expectedAmounts([token0, paid[0]], [token1, paid[1]]))
  return position
}

/** Takes an NFT back. It returns without coins of the pool. */
async function unstake(wallet: Address, id: bigint): Promise<void> {
  const { balanceOf } = bench.chain.actions.erc20
  const before = [await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]
  await gauge.write(wallet, 'withdraw', id)
  expect([await balanceOf(usdc, wallet), await balanceOf(weth, wallet)]).toEqual(before)
}

it('pays what taking out and claiming pays, to the unit, in the wallet, staked, and back', async () => {
  const random = seededRandom('slipstream')
  for (let round = 0; round < 3; round += 1) {
    // Emissions end with the week.
    await emit(parseEther('5000'))
    const wallet = random.address()
    const ids = [await mint(wallet, [-200, 300]), await mint(wallet, [-20_000, 10_000]), await mint(wallet, [400, 900])]
    await trade(random)
    for (const id of ids) {
      const facts = { kind: 'nft-liquidity', label: '0.05%', protocol: 'slipstream' }
      expect(await checkOwned(wallet, id)).toMatchObject(facts)
    }
    for (const id of ids.slice(1)) await stake(wallet, id)
    await trade(random)
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    const [first = 0n, wide = 0n, out = 0n] = ids
    // The manager still counts fees of a staked NFT, but they go to no holder.
    const staked = await checkStaked(wallet, wide)
    expect(staked).toMatchObject({ kind: 'farming', receipts: [evmAddress(manager.address)] })
    expect(staked?.rewards.map(({ token }) => token)).toEqual([evmAddress(reward)])
    await checkStaked(wallet, out)
    await checkOwned(wallet, first)
    // An update stores the rewards earned so far.
    await gauge.write(owner, 'update', wide)
    await bench.chain.travel(600)
    await checkStaked(wallet, wide)
    await unstake(wallet, wide)
    await trade(random)
    await checkOwned(wallet, wide)
  }
})

it('shows no fees of a staked NFT, where one of the same range that is not staked has earned them', async () => {
  const random = seededRandom('slipstream fees')
  const wallet = random.address()
  const [free, staked] = [await mint(wallet, [-2_000, 2_000]), await mint(wallet, [-2_000, 2_000])]
  await stake(wallet, staked)
  await trade(random)
  expect((await checkOwned(wallet, free))?.rewards).not.toEqual([])
  const position = await checkStaked(wallet, staked)
  const coins = new Set(position?.rewards.map(({ token }) => token))
  expect([usdc, weth].filter((coin) => coins.has(evmAddress(coin)))).toEqual([])
  await unstake(wallet, staked)
  expect((await checkOwned(wallet, staked))?.rewards).toEqual([])
})

it('shows an NFT once: not that of another, and not one that was given away', async () => {
  const random = seededRandom('slipstream others')
  const [wallet, other] = [random.address(), random.address()]
  const id = await mint(wallet, [-1_000, 1_000])
  await manager.write(wallet, 'transferFrom', wallet, other, id)
  await stake(other, id)
  expect((await bench.read(wallet)).positions).toEqual([])
  expect((await bench.read(other)).positions.map(({ tokenId }) => tokenId)).toEqual([id])
  // An untrusted contract that claims to keep the NFT is no gauge of the voter.
  const second = await mint(wallet, [-1_000, 1_000])
  await manager.write(wallet, 'transferFrom', wallet, random.address(), second)
  expect((await bench.read(wallet)).positions).toEqual([])
})

it('asks a wallet that has nothing there for a balance alone', bench.expectNothing)

it('an NFT into a gauge with its fees, back with emissions, and out', async () => {
  const wallet = bench.newWallet()
  let tokenId = 0n
  const tradeBoth = async () => {
    await swap(bench.newWallet(), usdc, parseUnits('3000', 6))
    await swap(bench.newWallet(), weth, parseEther('1'))
  }
  const found = await bench.played(wallet, async () => {
    tokenId = await mint(wallet, [-5_000, 5_000])
    await tradeBoth()
    await stake(wallet, tokenId)
    await bench.chain.startWeek()
    await emit(parseEther('100'))
    await tradeBoth()
    await bench.chain.travel(3_600)
    await gauge.write(wallet, 'getReward', tokenId)
    await bench.chain.travel(3_600)
    await gauge.write(wallet, 'withdraw', tokenId)
    const [, , , , , , , liquidity] = await manager.read<bigint[]>('positions', tokenId)
    const out = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline: FAR_FUTURE }
    await manager.write(wallet, 'decreaseLiquidity', out)
    await manager.write(wallet, 'collect', { tokenId, recipient: wallet, amount0Max: MOST, amount1Max: MOST })
  })
  const legs = legsOf(found, { nft: manager.address, usdc, weth, reward })
  expect(legs.slice(legs.findIndex(([type]) => type === 'ADDLIQUIDITY'))).toEqual([
    ['ADDLIQUIDITY', 'slipstream', `0 move +nft ${tokenId}`, '0 move -usdc', '0 move -weth'],
    ['APPROVAL', 'slipstream'],
    ['STAKE', 'slipstream', `0 move -nft ${tokenId}`, '1 income +usdc', '2 income +weth'],
    ['CLAIM', null, '0 income +reward'],
    ['UNSTAKE', 'slipstream', `0 move +nft ${tokenId}`, '1 income +reward'],
    ['REMOVELIQUIDITY', 'slipstream'],
    ['REMOVELIQUIDITY', 'slipstream', '0 move +usdc', '0 move +weth', `0 move nft ${tokenId}`],
  ])
})
