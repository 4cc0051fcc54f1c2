import { addConvexExtra, addConvexPool, addresses, deployConvex, ownArtifact } from '@coffer/devnet'
import { type Address, formatEther, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const DAY_SECONDS = 86_400
const { tokens } = addresses.ethereum
/** Stand for a share of Curve, CRV and a reward beside it. */
const { weth: share, link: crv, uni } = tokens
const boosterAbi = parseAbi(['function deposit(uint256 pid, uint256 amount, bool stake)'])
const poolAbi = parseAbi([
  'function stakeFor(address account, uint256 amount)',
  'function withdraw(uint256 amount, bool claim)',
  'function withdrawAndUnwrap(uint256 amount, bool claim)',
  'function getReward(address account, bool withExtras)',
  'function fund(uint256 amount)',
])
const convertingAbi = parseAbi(['function getReward(address account, bool withExtras, bool stake)'])
const sideAbi = parseAbi([
  'function deposit(uint256 pid, uint256 amount)',
  'function withdraw(uint256 amount, bool claim)',
])
const lockerAbi = parseAbi([
  'function lock(address account, uint256 amount, uint256 spend)',
  'function processExpiredLocks(bool relock)',
  'function fund(uint256 amount)',
  'function getReward(address account)',
])
const depositorAbi = parseAbi(['function deposit(uint256 amount)'])

let bench: HistoryBench
let convex: Awaited<ReturnType<typeof deployConvex>>
let aura: Awaited<ReturnType<typeof deployConvex>>
let first: { pid: bigint; pool: Address }
let vault: { pid: bigint; pool: Address }
let side: Address
let beside: Address
let nextWallet = 0xc0_ff_00_00
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`
const giver = newWallet()

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    convex = await deployConvex(chain, crv, { minted: 0n, fee: 10n })
    aura = await deployConvex(chain, crv, { minted: 0n, fee: 0n })
    first = await addConvexPool(chain, { booster: convex.booster, share, crv })
    beside = (await addConvexExtra(chain, first.pool, uni)).extra
    vault = await addConvexPool(chain, { booster: aura.booster, share, crv, isVault: true })
    side = await chain.deploy(ownArtifact('ConvexSidePool'), [share, [crv, uni]])
    const { booster, cvx, cvxCrv, staked, cvxPool, locker } = convex
    const row = { family: 'convex', chain: 'ethereum' } as const
    const deployment = {
      boosters: [
        { address: booster, layout: 'silent' },
        { address: side, layout: 'side' },
      ],
      bonus: cvx,
      beside: [
        { pool: staked, token: cvxCrv },
        { pool: cvxPool, token: cvx, paid: cvxCrv },
      ],
      locker: { address: locker, token: cvx, boosted: true },
    }
    const ofAura = { boosters: [{ address: aura.booster, layout: 'vaults' }], bonus: aura.cvx }
    return {
      rows: [
        { ...row, key: 'convex', name: 'Convex', deployment },
        { ...row, key: 'aura', name: 'Aura', deployment: ofAura },
      ],
      contracts: [first.pool, vault.pool, side],
    }
  })
})
afterAll(() => bench?.stop())

const at = (from: Address, address: Address) => ({ from, address, abi: poolAbi }) as const

async function newOwner(): Promise<Address> {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  await erc20.mint(share, wallet, parseEther('10'))
  for (const spender of [convex.booster, aura.booster, side]) await erc20.allow(share, wallet, spender)
  return wallet
}

async function fund(pool: Address, token: Address): Promise<void> {
  const { erc20 } = bench.chain.actions
  await erc20.mint(token, giver, parseEther('70'))
  await erc20.allow(token, giver, pool)
  await bench.chain.write({ ...at(giver, pool), functionName: 'fund', args: [parseEther('70')] })
  await bench.chain.travel(DAY_SECONDS)
}

const deposit = (wallet: Address, booster: Address, amount: bigint) =>
  bench.chain.write({ ...at(wallet, booster), abi: boosterAbi, functionName: 'deposit', args: [0n, amount, true] })

async function played(wallet: Address, play: () => Promise<unknown>): Promise<WalletTransaction[]> {
  const before = await bench.client.getBlockNumber()
  await play()
  return bench.readSince(wallet, before)
}

const nameOf = (token: string) => {
  const { cvx, cvxCrv } = convex
  const named = { share, crv, uni, cvx, cvxCrv, aura: aura.cvx, vault: vault.pool, side }
  return Object.entries(named).find(([, address]) => evmAddress(address) === token)?.[0] ?? 'position'
}
function signOf(amountRaw: bigint): string {
  if (amountRaw === 0n) return ''
  return amountRaw < 0n ? '-' : '+'
}
const summary = (transactions: readonly WalletTransaction[]) =>
  transactions.map(({ type, protocol, movements }) => [
    ...[type, protocol],
    ...movements
      .map(({ token, amountRaw, treatment }) => `${treatment} ${signOf(amountRaw)}${nameOf(token)}`)
      .toSorted(),
  ])

/** The sum of the movements of each token is what the wallet has of it more than before. */
async function expectBalances(wallet: Address, found: readonly WalletTransaction[], before: Record<string, bigint>) {
  const { cvx, cvxCrv } = convex
  for (const token of [share, crv, uni, cvx, cvxCrv, aura.cvx, vault.pool, side]) {
    const moved = found.flatMap(({ movements }) => movements).filter((each) => each.token === evmAddress(token))
    const sum = moved.reduce((total, { amountRaw }) => total + amountRaw, 0n)
    const now = await bench.chain.actions.erc20.balanceOf(token, wallet)
    expect([nameOf(evmAddress(token)), sum]).toEqual([nameOf(evmAddress(token)), now - (before[token] ?? 0n)])
  }
}

it('a stake of Ethereum, a claim with CVX and a reward beside it, and the way back', async () => {
  const wallet = await newOwner()
  const { chain } = bench
  const found = await played(wallet, async () => {
    await deposit(wallet, convex.booster, parseEther('10'))
    await fund(first.pool, crv)
    await fund(beside, uni)
    await chain.write({ ...at(wallet, first.pool), functionName: 'getReward', args: [wallet, true] })
    await chain.travel(DAY_SECONDS)
    await chain.write({ ...at(wallet, first.pool), functionName: 'withdrawAndUnwrap', args: [parseEther('4'), true] })
    await chain.write({ ...at(wallet, first.pool), functionName: 'withdrawAndUnwrap', args: [parseEther('6'), false] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'convex', 'move -share', 'move position'],
    ['CLAIM', 'convex', 'income +crv', 'income +cvx', 'income +uni'],
    ['UNSTAKE', 'convex', 'income +crv', 'income +cvx', 'income +uni', 'move +share', 'move position'],
    ['UNSTAKE', 'convex', 'move +share', 'move position'],
  ])
  await expectBalances(wallet, found, { [share]: parseEther('10') })
  const { balanceOf } = chain.actions.erc20
  const ofCrv = await balanceOf(crv, wallet)
  const ofCvx = await balanceOf(convex.cvx, wallet)
  const ofUni = await balanceOf(uni, wallet)
  const quotes = {
    share: { address: share, price: '4', had: '10', paid: '3' },
    crv: { address: crv, price: '2' },
    cvx: { address: convex.cvx, price: '5' },
    uni: { address: uni, price: '7' },
  }
  const income = 2n * ofCrv + 5n * ofCvx + 7n * ofUni
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      share: '10 at 30',
      crv: `${formatEther(ofCrv)} at ${formatEther(2n * ofCrv)}`,
      cvx: `${formatEther(ofCvx)} at ${formatEther(5n * ofCvx)}`,
      uni: `${formatEther(ofUni)} at ${formatEther(7n * ofUni)}`,
    },
    ...{ basis: formatEther(parseEther('30') + income), income: formatEther(income) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('stakes that are tokens, of Aura and of other chains', async () => {
  const wallet = await newOwner()
  const { chain } = bench
  const found = await played(wallet, async () => {
    await deposit(wallet, aura.booster, parseEther('5'))
    await fund(vault.pool, crv)
    await chain.write({ ...at(wallet, vault.pool), functionName: 'withdrawAndUnwrap', args: [parseEther('5'), true] })
    await chain.write({ ...at(wallet, side), abi: sideAbi, functionName: 'deposit', args: [0n, parseEther('5')] })
    await chain.actions.erc20.mint(crv, side, parseEther('3'))
    await chain.write({ ...at(wallet, side), abi: sideAbi, functionName: 'withdraw', args: [parseEther('5'), true] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'aura', 'move +vault', 'move -share'],
    ['UNSTAKE', 'aura', 'income +aura', 'income +crv', 'move +share', 'move -vault'],
    ['STAKE', 'convex', 'move +side', 'move -share'],
    ['UNSTAKE', 'convex', 'income +crv', 'move +share', 'move -side'],
  ])
  await expectBalances(wallet, found, { [share]: parseEther('10') })
})

it('stakes and locks of CVX, what they pay, and a lock that goes on', async () => {
  const wallet = await newOwner()
  const { chain } = bench
  const { cvx, cvxPool, cvxCrv, locker } = convex
  await deposit(wallet, convex.booster, parseEther('10'))
  await fund(first.pool, crv)
  await chain.write({ ...at(wallet, first.pool), functionName: 'getReward', args: [wallet, false] })
  const own = await chain.actions.erc20.balanceOf(cvx, wallet)
  for (const spender of [cvxPool, locker]) await chain.actions.erc20.allow(cvx, wallet, spender)
  const before = { [cvx]: own, [crv]: await chain.actions.erc20.balanceOf(crv, wallet) }
  await chain.actions.erc20.mint(crv, giver, parseEther('9'))
  await chain.actions.erc20.allow(crv, giver, cvxCrv)
  await chain.write({ ...at(giver, cvxCrv), abi: depositorAbi, functionName: 'deposit', args: [parseEther('9')] })
  await chain.actions.erc20.allow(cvxCrv, giver, locker)
  const ofLocker = (from: Address) => ({ ...at(from, locker), abi: lockerAbi }) as const
  const found = await played(wallet, async () => {
    await chain.write({ ...at(wallet, cvxPool), functionName: 'stakeFor', args: [wallet, own / 2n] })
    await fund(cvxPool, crv)
    const claim = { functionName: 'getReward', args: [wallet, false, false] } as const
    await chain.write({ ...at(wallet, cvxPool), abi: convertingAbi, ...claim })
    await chain.write({ ...at(wallet, cvxPool), functionName: 'withdraw', args: [own / 2n, false] })
    await chain.write({ ...ofLocker(wallet), functionName: 'lock', args: [wallet, own / 3n, 0n] })
    await chain.write({ ...ofLocker(giver), functionName: 'fund', args: [parseEther('5')] })
    await chain.write({ ...ofLocker(wallet), functionName: 'getReward', args: [wallet] })
    await chain.travel(17 * 7 * DAY_SECONDS)
    await chain.write({ ...ofLocker(wallet), functionName: 'processExpiredLocks', args: [true] })
    await chain.travel(17 * 7 * DAY_SECONDS)
    await chain.write({ ...ofLocker(wallet), functionName: 'processExpiredLocks', args: [false] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'convex', 'move -cvx', 'move position'],
    ['CLAIM', 'convex', 'income +cvxCrv'],
    ['UNSTAKE', 'convex', 'move +cvx', 'move position'],
    ['STAKE', 'convex', 'move -cvx', 'move position'],
    ['CLAIM', 'convex', 'income +cvxCrv'],
    ['INTERACTION', 'convex'],
    ['UNSTAKE', 'convex', 'move +cvx', 'move position'],
  ])
  await expectBalances(wallet, found, { ...before, [share]: 0n })
})
