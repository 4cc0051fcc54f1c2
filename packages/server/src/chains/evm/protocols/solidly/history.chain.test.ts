import { addresses } from '@coffer/devnet'
import { type Address, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { deployOwn } from '../../../../../test/contract-of.ts'
import { historyBench, legsOf } from '../../../../../test/history-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { openSolidlyPool } from '../../../../../test/solidly-plays.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { usdc, weth, uni: reward } = addresses.ethereum.tokens
const PROTOCOL = 'solidly'
const owner = seededRandom('solidly history owner').address()

const bench = await historyBench(async (chain) => {
  const factory = await deployOwn(chain, 'SolidlyFactory')
  const voter = await deployOwn(chain, 'SolidlyVoter', [reward])
  const made = await openSolidlyPool(chain, { factory, voter, owner }, [usdc, weth])
  const row = { family: 'solidly', key: PROTOCOL, name: 'Solidly', chain: 'ethereum' }
  return {
    ...{ ...made, voter, contracts: [made.pool.address, made.gauge.address] },
    rows: [{ ...row, deployment: { factory: factory.address, voter: voter.address } }],
  }
})
const { pool, gauge, voter } = bench.made
const router = await deployOwn(bench.chain, 'SolidlyRouter')
const { erc20 } = bench.chain.actions

/** A wallet with both coins and pool shares, approved for router and gauge. */
async function newOwner(): Promise<Address> {
  const wallet = bench.newWallet()
  await erc20.mint(usdc, wallet, parseUnits('60000', 6))
  await erc20.mint(weth, wallet, parseEther('20'))
  for (const token of [usdc, weth, pool.address]) await erc20.allow(token, wallet, router.address)
  await erc20.allow(pool.address, wallet, gauge.address)
  return wallet
}

const add = (wallet: Address) =>
  router.write(wallet, 'add', pool.address, usdc, weth, parseUnits('3000', 6), parseEther('1'), zeroAddress)
const shareOf = (wallet: Address) => erc20.balanceOf(pool.address, wallet)

async function emit(amount: bigint): Promise<void> {
  await bench.chain.startWeek()
  await bench.give(owner, reward, amount, voter.address)
  await voter.write(owner, 'notifyReward', gauge.address, amount)
  await bench.chain.travel(3_600)
}

/** Sells coins below the pool's price, so that both sides have fees. */
async function trade(): Promise<void> {
  const isFirst = usdc.toLowerCase() < weth.toLowerCase()
  const outs = (amount: bigint, takesUsdc: boolean) => (isFirst === takesUsdc ? [amount, 0n] : [0n, amount])
  await erc20.mint(usdc, pool.address, parseUnits('300', 6))
  await pool.write(owner, 'swap', ...outs(parseEther('0.05'), false), owner, '0x')
  await erc20.mint(weth, pool.address, parseEther('0.1'))
  await pool.write(owner, 'swap', ...outs(parseUnits('150', 6), true), owner, '0x')
}

const summary = (found: readonly WalletTransaction[]) =>
  legsOf(found, { pool: pool.address, gauge: gauge.address, usdc, weth, reward })

it('liquidity, its fees, a stake with emissions, and the way back', async () => {
  const wallet = await newOwner()
  const found = await bench.played(wallet, async () => {
    await add(wallet)
    await trade()
    await pool.write(wallet, 'claimFees')
    const share = await shareOf(wallet)
    await gauge.write(wallet, 'deposit', share / 2n)
    await router.write(wallet, 'stake', pool.address, share / 4n, gauge.address)
    await emit(parseEther('100'))
    await gauge.write(wallet, 'getReward', wallet)
    await bench.chain.travel(3_600)
    await voter.write(wallet, 'claimRewards', [gauge.address])
    await gauge.write(wallet, 'withdraw', share / 2n + share / 4n)
    await router.write(wallet, 'remove', pool.address, await shareOf(wallet))
  })
  expect(summary(found)).toEqual([
    ['ADDLIQUIDITY', PROTOCOL, '0 move +pool', '0 move -usdc', '0 move -weth'],
    ['CLAIM', PROTOCOL, '0 income +usdc', '1 income +weth'],
    ['STAKE', PROTOCOL, '0 move -pool', '0 move gauge 0'],
    ['STAKE', PROTOCOL, '0 move -pool', '0 move gauge 0'],
    ['CLAIM', PROTOCOL, '0 income +reward'],
    ['CLAIM', PROTOCOL, '0 income +reward'],
    ['UNSTAKE', PROTOCOL, '0 move +pool', '0 move gauge 0'],
    ['REMOVELIQUIDITY', PROTOCOL, '0 move +usdc', '0 move +weth', '0 move -pool'],
  ])
  const shares = found.flatMap(({ movements }) => movements.filter(({ token }) => token === evmAddress(pool.address)))
  expect(shares.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)).toBe(0n)
})

it('a stake for another wallet is sent, and is the other’s', async () => {
  const [wallet, other] = [await newOwner(), bench.newWallet()]
  await add(wallet)
  const share = await shareOf(wallet)
  const sent = await bench.played(wallet, () => gauge.write(wallet, 'deposit', share, other))
  expect(summary(sent)).toEqual([['TRANSFEROUT', PROTOCOL, '0 send -pool']])
  expect(sent[0]?.movements.map(({ counterparty }) => counterparty)).toEqual([other])
  const back = await bench.played(other, () => gauge.write(other, 'withdraw', share))
  expect(summary(back)).toEqual([['UNSTAKE', PROTOCOL, '0 move +pool', '0 move gauge 0']])
})
