import { addConvexExtra, addConvexPool, addresses, deployConvex, ownArtifact } from '@coffer/devnet'
import { type Address, formatEther, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'

const DAY_SECONDS = 86_400
const { tokens } = addresses.ethereum
/** They stand for a share of Curve, CRV and an extra reward. */
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
const wrapperAbi = parseAbi([
  'function stake(uint256 amount, address to)',
  'function deposit(uint256 amount, address to)',
  'function withdraw(uint256 amount, bool claim)',
  'function getReward(address account)',
])
const depositorAbi = parseAbi(['function deposit(uint256 amount)'])

let bench: HistoryBench
let convex: Awaited<ReturnType<typeof deployConvex>>
let aura: Awaited<ReturnType<typeof deployConvex>>
let first: { pid: bigint; pool: Address }
let vault: { pid: bigint; pool: Address }
let side: Address
let wrapper: Address
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
    wrapper = await chain.deploy(ownArtifact('ConvexWrapper'), [cvxCrv, crv, [crv, cvx, uni]])
    const row = { family: 'convex', chain: 'ethereum' } as const
    const deployment = {
      boosters: [
        { address: booster, layout: 'silent' },
        { address: side, layout: 'side' },
      ],
      bonus: cvx,
      beside: [
        { pool: staked, token: cvxCrv },
        { pool: wrapper, token: cvxCrv, wrapped: true },
        { pool: cvxPool, token: cvx, paid: cvxCrv },
      ],
      locker: { address: locker, token: cvx, boosted: true },
    }
    const ofAura = {
      boosters: [{ address: aura.booster, layout: 'vaults' }],
      bonus: aura.cvx,
      beside: [{ pool: aura.staked, token: aura.cvxCrv }],
    }
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

/** `amount`: of CRV. */
async function giveCvxCrv({ cvxCrv }: typeof convex, wallet: Address, amount: bigint): Promise<void> {
  const { erc20 } = bench.chain.actions
  await erc20.mint(crv, wallet, amount)
  await erc20.allow(crv, wallet, cvxCrv)
  await bench.chain.write({ ...at(wallet, cvxCrv), abi: depositorAbi, functionName: 'deposit', args: [amount] })
}

const deposit = (wallet: Address, booster: Address, amount: bigint) =>
  bench.chain.write({ ...at(wallet, booster), abi: boosterAbi, functionName: 'deposit', args: [0n, amount, true] })

const { summary } = namedHistory(() => ({
  ...{ share, crv, uni, cvx: convex.cvx, cvxCrv: convex.cvxCrv, aura: aura.cvx, vault: vault.pool, side },
  ...{ auraBal: aura.cvxCrv, wrapper, stake: first.pool, lock: convex.locker },
  ...{ cvxStake: convex.cvxPool, cvxCrvStake: convex.staked, auraBalStake: aura.staked },
}))

it('a stake of Ethereum, a claim with CVX and another reward, and the way back', async () => {
  const wallet = await newOwner()
  const { chain } = bench
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, convex.booster, parseEther('10'))
    await fund(first.pool, crv)
    await fund(beside, uni)
    await chain.write({ ...at(wallet, first.pool), functionName: 'getReward', args: [wallet, true] })
    await chain.travel(DAY_SECONDS)
    await chain.write({ ...at(wallet, first.pool), functionName: 'withdrawAndUnwrap', args: [parseEther('4'), true] })
    await chain.write({ ...at(wallet, first.pool), functionName: 'withdrawAndUnwrap', args: [parseEther('6'), false] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'convex', 'move -share', 'move stake'],
    ['CLAIM', 'convex', 'income +crv', 'income +cvx', 'income +uni'],
    ['UNSTAKE', 'convex', 'income +crv', 'income +cvx', 'income +uni', 'move +share', 'move stake'],
    ['UNSTAKE', 'convex', 'move +share', 'move stake'],
  ])
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
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, aura.booster, parseEther('5'))
    await fund(vault.pool, crv)
    await chain.write({ ...at(wallet, vault.pool), functionName: 'withdrawAndUnwrap', args: [parseEther('5'), true] })
    await chain.write({ ...at(wallet, side), abi: sideAbi, functionName: 'deposit', args: [0n, parseEther('5')] })
    await chain.actions.erc20.mint(crv, side, parseEther('3'))
    await chain.write({ ...at(wallet, side), abi: sideAbi, functionName: 'withdraw', args: [parseEther('2'), true] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'aura', 'move +vault', 'move -share'],
    ['UNSTAKE', 'aura', 'income +aura', 'income +crv', 'move +share', 'move -vault'],
    ['STAKE', 'convex', 'move +side', 'move -share'],
    ['UNSTAKE', 'convex', 'income +crv', 'move +share', 'move -side'],
  ])
  const { balanceOf } = chain.actions.erc20
  const [ofCrv, ofAura] = [await balanceOf(crv, wallet), await balanceOf(aura.cvx, wallet)]
  const quotes = {
    share: { address: share, price: '4', had: '10', paid: '3' },
    crv: { address: crv, price: '2' },
    aura: { address: aura.cvx, price: '5' },
    side: { address: side, price: '4' },
  }
  const income = 2n * ofCrv + 5n * ofAura
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      ...{ share: '7 at 21', side: '3 at 9' },
      crv: `${formatEther(ofCrv)} at ${formatEther(2n * ofCrv)}`,
      aura: `${formatEther(ofAura)} at ${formatEther(5n * ofAura)}`,
    },
    ...{ basis: formatEther(parseEther('30') + income), income: formatEther(income) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('stakes and locks of CVX, their rewards, and a lock that is renewed', async () => {
  const wallet = await newOwner()
  const { chain } = bench
  const { balanceOf } = chain.actions.erc20
  const { cvx, cvxPool, cvxCrv, locker } = convex
  await deposit(wallet, convex.booster, parseEther('10'))
  await fund(first.pool, crv)
  await chain.write({ ...at(wallet, first.pool), functionName: 'getReward', args: [wallet, false] })
  const own = await balanceOf(cvx, wallet)
  for (const spender of [cvxPool, locker]) await chain.actions.erc20.allow(cvx, wallet, spender)
  await giveCvxCrv(convex, giver, parseEther('9'))
  await chain.actions.erc20.allow(cvxCrv, giver, locker)
  const ofLocker = (from: Address) => ({ ...at(from, locker), abi: lockerAbi }) as const
  const found = await bench.played(wallet, async () => {
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
    ['STAKE', 'convex', 'move -cvx', 'move cvxStake'],
    ['CLAIM', 'convex', 'income +cvxCrv'],
    ['UNSTAKE', 'convex', 'move +cvx', 'move cvxStake'],
    ['STAKE', 'convex', 'move -cvx', 'move lock'],
    ['CLAIM', 'convex', 'income +cvxCrv'],
    ['INTERACTION', 'convex'],
    ['UNSTAKE', 'convex', 'move +cvx', 'move lock'],
  ])
  const paid = await balanceOf(cvxCrv, wallet)
  const quotes = {
    cvx: { address: cvx, price: '5', had: formatEther(own), paid: '4' },
    cvxCrv: { address: cvxCrv, price: '2' },
  }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      cvx: `${formatEther(own)} at ${formatEther(4n * own)}`,
      cvxCrv: `${formatEther(paid)} at ${formatEther(2n * paid)}`,
    },
    ...{ basis: formatEther(4n * own + 2n * paid), income: formatEther(2n * paid) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it.each(['convex', 'aura'] as const)('a stake of the token of %s that stands for its locks', async (protocol) => {
  const wallet = newWallet()
  const { chain } = bench
  const { balanceOf, allow } = chain.actions.erc20
  const { cvx, cvxCrv, staked } = { convex, aura }[protocol]
  await giveCvxCrv({ convex, aura }[protocol], wallet, parseEther('10'))
  const own = await balanceOf(cvxCrv, wallet)
  await allow(cvxCrv, wallet, staked)
  const found = await bench.played(wallet, async () => {
    await chain.write({ ...at(wallet, staked), functionName: 'stakeFor', args: [wallet, own] })
    await fund(staked, crv)
    await chain.write({ ...at(wallet, staked), functionName: 'getReward', args: [wallet, true] })
    await chain.travel(DAY_SECONDS)
    await chain.write({ ...at(wallet, staked), functionName: 'withdraw', args: [own / 4n, true] })
  })
  const [bonus, locked] = { convex: ['cvx', 'cvxCrv'], aura: ['aura', 'auraBal'] }[protocol]
  const position = { convex: 'cvxCrvStake', aura: 'auraBalStake' }[protocol]
  expect(summary(found)).toEqual([
    ['STAKE', protocol, `move -${locked}`, `move ${position}`],
    ['CLAIM', protocol, ...['crv', bonus].map((token) => `income +${token}`).toSorted()],
    [
      ...['UNSTAKE', protocol, ...['crv', bonus].map((token) => `income +${token}`).toSorted()],
      ...[`move +${locked}`, `move ${position}`],
    ],
  ])
  const [ofCrv, ofCvx] = [await balanceOf(crv, wallet), await balanceOf(cvx, wallet)]
  const quotes = {
    locked: { address: cvxCrv, price: '3', had: formatEther(own), paid: '2' },
    crv: { address: crv, price: '2' },
    bonus: { address: cvx, price: '5' },
  }
  const [out, income] = [own / 4n, 2n * ofCrv + 5n * ofCvx]
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      locked: `${formatEther(out)} at ${formatEther(2n * out)}`,
      'locked in a position': `${formatEther(own - out)} at ${formatEther(2n * (own - out))}`,
      crv: `${formatEther(ofCrv)} at ${formatEther(2n * ofCrv)}`,
      bonus: `${formatEther(ofCvx)} at ${formatEther(5n * ofCvx)}`,
    },
    ...{ basis: formatEther(2n * own + income), income: formatEther(income) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('cvxCRV in its wrapper, which takes CRV as well and turns it into more', async () => {
  const wallet = newWallet()
  const { chain } = bench
  const { mint, allow } = chain.actions.erc20
  await giveCvxCrv(convex, wallet, parseEther('10'))
  await mint(crv, wallet, parseEther('10'))
  for (const token of [convex.cvxCrv, crv]) await allow(token, wallet, wrapper)
  const call = { ...at(wallet, wrapper), abi: wrapperAbi } as const
  const found = await bench.played(wallet, async () => {
    await chain.write({ ...call, functionName: 'stake', args: [parseEther('4'), wallet] })
    await chain.write({ ...call, functionName: 'deposit', args: [parseEther('10'), wallet] })
    await mint(uni, wrapper, parseEther('13.99'))
    await chain.write({ ...call, functionName: 'getReward', args: [wallet] })
    await chain.write({ ...call, functionName: 'withdraw', args: [parseEther('6.995'), false] })
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'convex', 'move +wrapper', 'move -cvxCrv'],
    ['STAKE', 'convex', 'move +wrapper', 'move -crv'],
    ['CLAIM', 'convex', 'income +uni'],
    ['UNSTAKE', 'convex', 'move +cvxCrv', 'move -wrapper'],
  ])
  const quotes = {
    cvxCrv: { address: convex.cvxCrv, price: '3', had: '9.99', paid: '2' },
    crv: { address: crv, price: '3', had: '10', paid: '1' },
    uni: { address: uni, price: '7' },
    wrapper: { address: wrapper, price: '3' },
  }
  // Shares that cost 4 * 2 and 10 * 1. Half of them are given back.
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: { cvxCrv: '12.985 at 20.98', wrapper: '6.995 at 9', uni: '13.99 at 97.93' },
    ...{ basis: '127.91', income: '97.93', realised: '0', disposals: 0, flagged: [] },
  })
})
