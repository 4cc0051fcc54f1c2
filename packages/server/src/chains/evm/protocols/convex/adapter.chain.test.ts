import { addConvexExtra, addConvexPool, addresses, deployConvex, deployCurvePool } from '@coffer/devnet'
import { type Address, formatEther, parseEther } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf, deployOwn } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts, positionAt, rewardsAt, suppliedAt } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
/** Supply of CVX before the tests. A claim of CRV then mints CVX at 1000 - 402 cliffs of 1000. */
const MINTED = 402n * 10n ** 23n + 5n * 10n ** 22n
const LEFT_CLIFFS = 598n
const { tokens } = addresses.ethereum
/** They stand for CRV and an extra reward, and in histories for a share of Curve. */
const { link: crv, uni, weth: share } = tokens

const rows: ProtocolRow[] = []
const random = seededRandom('convex')
const bench = await ownBench(rows)
const { chain, client, give, paidBy } = bench
const { erc20 } = chain.actions

const curve = await deployCurvePool(chain, [tokens.usdc, tokens.dai])
const curvePool = contractOf(chain, curve.pool, 'CurvePool')
const registry = await deployOwn(chain, 'CurveRegistry')
await registry.write(random.address(), 'register', curve.token, curve.pool)

const convex = await deployConvex(chain, crv, { minted: MINTED, fee: 10n })
const aura = await deployConvex(chain, crv, { minted: 0n, fee: 0n })
const { cvx, cvxCrv, staked, cvxPool } = convex

/** Pools of Curve's share, and for histories of a token that anyone can mint. */
const [first, ofShare] = [
  await addConvexPool(chain, { booster: convex.booster, share: curve.token, crv }),
  await addConvexPool(chain, { booster: convex.booster, share, crv }),
]
const plain = await addConvexExtra(chain, first.pool, uni)
const wrapped = await addConvexExtra(chain, first.pool, tokens.dai, true)
const beside = await addConvexExtra(chain, ofShare.pool, uni)
const [vault, shareVault] = [
  await addConvexPool(chain, { booster: aura.booster, share: curve.token, crv, isVault: true }),
  await addConvexPool(chain, { booster: aura.booster, share, crv, isVault: true }),
]
const sideOf = (token: Address) => deployOwn(chain, 'ConvexSidePool', [token, [crv, uni]])
const [side, shareSide] = [await sideOf(curve.token), await sideOf(share)]
const wrapper = await deployOwn(chain, 'ConvexWrapper', [cvxCrv, crv, [crv, cvx, uni]])
const locker = contractOf(chain, convex.locker, 'ConvexLocker')

const row = { chain: 'ethereum' } as const
rows.push(
  { ...row, family: 'curve', key: 'curve', name: 'Curve', deployment: { registry: registry.address } },
  {
    ...{ ...row, family: 'convex', key: 'convex', name: 'Convex' },
    deployment: {
      boosters: [
        { address: convex.booster, layout: 'silent' },
        { address: side.address, layout: 'side' },
        { address: shareSide.address, layout: 'side' },
      ],
      bonus: cvx,
      beside: [
        { pool: staked, token: cvxCrv },
        { pool: wrapper.address, token: cvxCrv, wrapped: true },
        { pool: cvxPool, token: cvx, paid: cvxCrv },
      ],
      locker: { address: locker.address, token: cvx, boosted: true },
    },
  },
  {
    ...{ ...row, family: 'convex', key: 'aura', name: 'Aura' },
    deployment: {
      boosters: [{ address: aura.booster, layout: 'vaults' }],
      bonus: aura.cvx,
      beside: [{ pool: aura.staked, token: aura.cvxCrv }],
    },
  },
)
await bench.discover()
await bench.recognise([ofShare.pool, shareVault.pool, shareSide.address].map(evmAddress))

const pool = (address: Address) => contractOf(chain, address, 'ConvexPool')

/** Curve pool shares, minted by the wallet itself. */
async function giveShares(wallet: Address): Promise<bigint> {
  const whole = 1n + BigInt(random.index(90_000))
  await give(wallet, tokens.usdc, whole * 10n ** 6n, curve.pool)
  await give(wallet, tokens.dai, whole * 10n ** 18n, curve.pool)
  await curvePool.write(wallet, 'add_liquidity', [whole * 10n ** 6n, whole * 10n ** 18n], whole * 10n ** 18n)
  return erc20.balanceOf(curve.token, wallet)
}

type Pool = { pid: bigint }

async function deposit(wallet: Address, { pid }: Pool, amount: bigint, { booster } = convex, of = curve.token) {
  await erc20.allow(of, wallet, booster)
  await contractOf(chain, booster, 'ConvexBooster').write(wallet, 'deposit', pid, amount, true)
}

/** A third party pays rewards into a pool. `payer`: the receiver of these rewards. */
async function fund(address: Address, token: Address, amount: bigint, payer = token): Promise<void> {
  const outsider = random.address()
  await give(outsider, token, amount, payer === token ? address : payer)
  await pool(address).write(outsider, 'fund', amount)
}

/** A stake of the wallet, rewards by a third party, and some days. */
async function giveStake(wallet: Address, token: Address, address: Address, amount: bigint): Promise<void> {
  await erc20.allow(token, wallet, address)
  await pool(address).write(wallet, 'stakeFor', wallet, amount)
  await fund(address, crv, random.amount(1n, parseEther('900')))
  await chain.travel(1 + random.index(6 * DAY_SECONDS))
}

/** CVX or cvxCRV, which only their contracts mint: by a claim, and by a deposit of CRV. */
async function giveCvx(wallet: Address): Promise<bigint> {
  await deposit(wallet, first, await giveShares(wallet))
  await fund(first.pool, crv, parseEther('900'))
  await chain.travel(DAY_SECONDS)
  await pool(first.pool).write(wallet, 'getReward', wallet, false)
  return erc20.balanceOf(cvx, wallet)
}

async function giveCvxCrv(wallet: Address, amount: bigint, made = convex): Promise<bigint> {
  await give(wallet, crv, amount, made.cvxCrv)
  await contractOf(chain, made.cvxCrv, 'ConvexDepositor').write(wallet, 'deposit', amount)
  return erc20.balanceOf(made.cvxCrv, wallet)
}

it('a stake of Ethereum, with CRV, the CVX minted for it, and rewards of further pools', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = await giveShares(wallet)
    await deposit(wallet, first, random.amount(amount / 2n, amount - 1n))
    await fund(first.pool, crv, random.amount(1n, parseEther('5000')))
    await fund(plain.extra, uni, random.amount(1n, parseEther('70')))
    await fund(wrapped.extra, tokens.dai, random.amount(1n, parseEther('300')), wrapped.payer)
    await chain.travel(1 + random.index(6 * DAY_SECONDS))
    const { positions, block, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(positionAt(positions, first.pool)).toMatchObject({ kind: 'farming', protocol: 'convex', receipts: [] })
    const inPool = await erc20.balanceOf(first.pool, wallet)
    expect(suppliedAt(positions, first.pool)).toEqual(expectedAmounts([curve.token, inPool]))
    const due = await pool(first.pool).at(block).read('earned', wallet)
    const all = await bench.atTheTimeOfTheRead(() =>
      paidBy(wallet, [crv, cvx, uni, tokens.dai], () =>
        pool(first.pool).write(random.address(), 'getReward', wallet, true),
      ),
    )
    expect(rewardsAt(positions, first.pool)).toEqual(all)
    // By the rule of `Cvx.sol`, for a supply in its 403rd cliff.
    expect(all).toMatchObject(expectedAmounts([crv, due], [cvx, (due * LEFT_CLIFFS) / 1_000n]))
  }
})

it('a stake that is a token, as Aura has it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = await giveShares(wallet)
    await deposit(wallet, vault, amount, aura)
    await fund(vault.pool, crv, random.amount(1n, parseEther('5000')))
    await chain.travel(1 + random.index(6 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(positionAt(positions, vault.pool)).toMatchObject({ protocol: 'aura', receipts: [evmAddress(vault.pool)] })
    expect(suppliedAt(positions, vault.pool)).toEqual(expectedAmounts([curve.token, amount]))
    const all = await bench.atTheTimeOfTheRead(() =>
      paidBy(wallet, [crv, aura.cvx], () => pool(vault.pool).write(wallet, 'getReward', wallet, true)),
    )
    expect(rewardsAt(positions, vault.pool)).toEqual(all)
    expect(all[evmAddress(aura.cvx)]).toBeGreaterThan(0n)
  }
})

async function stakeAtSide(wallet: Address): Promise<bigint> {
  const amount = await giveShares(wallet)
  await erc20.allow(curve.token, wallet, side.address)
  await side.write(wallet, 'deposit', 0n, amount)
  for (const token of [crv, uni]) await erc20.mint(token, side.address, random.amount(1n, parseEther('80')))
  return amount
}

it('a stake of other chains, with all rewards that its list still has', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = await stakeAtSide(wallet)
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    expect(suppliedAt(positions, side.address)).toEqual(expectedAmounts([curve.token, amount]))
    const all = await paidBy(wallet, [crv, uni], () => side.write(wallet, 'getReward', wallet))
    expect(rewardsAt(positions, side.address)).toEqual(all)
    expect(Object.keys(all)).toHaveLength(2)
  }
  const late = random.address()
  await side.write(late, 'strike', 1n)
  await stakeAtSide(late)
  expect(Object.keys(rewardsAt((await bench.read(late)).positions, side.address))).toEqual([evmAddress(crv)])
})

it('stakes of cvxCRV, which bring CVX, and of CVX, which are paid in cvxCRV less the fee', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const ofCvxCrv = await giveCvxCrv(wallet, random.amount(parseEther('1'), parseEther('1000')))
    const ofCvx = await giveCvx(wallet)
    await giveStake(wallet, cvxCrv, staked, ofCvxCrv)
    await giveStake(wallet, cvx, cvxPool, ofCvx)
    const { positions, block } = await bench.read(wallet)
    expect(suppliedAt(positions, staked)).toEqual(expectedAmounts([cvxCrv, ofCvxCrv]))
    expect(suppliedAt(positions, cvxPool)).toEqual(expectedAmounts([cvx, ofCvx]))
    const before = await pool(cvxPool).at(block).read('earned', wallet)
    expect(rewardsAt(positions, cvxPool)).toEqual(expectedAmounts([cvxCrv, before - (before * 10n) / 10_000n]))
    const paid = await bench.atTheTimeOfTheRead(async () => ({
      ...(await paidBy(wallet, [crv, cvx], () => pool(staked).write(wallet, 'getReward', wallet, false))),
      ...(await paidBy(wallet, [cvxCrv], () => pool(cvxPool).write(wallet, 'getReward', wallet, false, false))),
    }))
    expect({ ...rewardsAt(positions, staked), ...rewardsAt(positions, cvxPool) }).toEqual(paid)
  }
})

it('locks by the time at which they end, what has run out, and their rewards', async () => {
  const wallet = random.address()
  const amounts: bigint[] = []
  const ends: number[] = []
  const week = async () => Math.floor(Number((await client.getBlock()).timestamp) / WEEK_SECONDS)
  await erc20.allow(cvx, wallet, locker.address)
  for (let round = 0; round < 3; round += 1) {
    const amount = await giveCvx(wallet)
    await locker.write(wallet, 'lock', wallet, amount, 0n)
    amounts.push(amount)
    // 16 weeks from the start of the next one.
    ends.push(((await week()) + 17) * WEEK_SECONDS)
    await chain.travel(WEEK_SECONDS)
  }
  const outsider = random.address()
  const reward = await giveCvxCrv(outsider, random.amount(parseEther('1'), parseEther('1000')))
  await erc20.allow(cvxCrv, outsider, locker.address)
  await locker.write(outsider, 'fund', reward)

  const locks = async () =>
    (await bench.read(wallet)).positions
      .filter(({ pool: place, kind }) => place === evmAddress(locker.address) && kind === 'locked')
      .map(({ label, supplied, unlockAt }) => [label, supplied[0]?.amountRaw, unlockAt])
  const { positions } = await bench.read(wallet)
  expect(await locks()).toEqual(amounts.map((amount, i) => ['Lock', amount, ends[i]]))
  const paid = await paidBy(wallet, [cvxCrv], () => locker.write(wallet, 'getReward', wallet))
  const rewards = positions.find(({ kind, pool: place }) => kind === 'rewards' && place === evmAddress(locker.address))
  expect(amountsOf(rewards?.rewards)).toEqual(paid)

  const { timestamp } = await client.getBlock()
  await chain.travel((ends[0] ?? 0) - Number(timestamp) + 1)
  expect(await locks()).toEqual([
    ['Lock', amounts[1], ends[1]],
    ['Lock', amounts[2], ends[2]],
    ['Unlocked', amounts[0], undefined],
  ])
  // All locks have expired: the locker's own balance does not count them.
  await chain.travel(3 * WEEK_SECONDS)
  expect(await locker.read('balanceOf', wallet)).toBe(0n)
  const all = amounts.reduce((sum, amount) => sum + amount)
  expect(await locks()).toEqual([['Unlocked', all, undefined]])
  await locker.write(wallet, 'processExpiredLocks', true)
  expect(await locks()).toEqual([['Lock', all, ((await week()) + 16) * WEEK_SECONDS]])
})

it('rewards of a withdrawn stake, and a stake in a pool that was shut down', async () => {
  const wallet = random.address()
  const other = await addConvexPool(chain, { booster: convex.booster, share: curve.token, crv })
  const amount = await giveShares(wallet)
  await deposit(wallet, other, amount)
  await fund(other.pool, crv, parseEther('50'))
  await chain.travel(DAY_SECONDS)
  await contractOf(chain, convex.booster, 'ConvexBooster').write(wallet, 'shutdownPool', other.pid)
  const { positions } = await bench.read(wallet)
  expect(suppliedAt(positions, other.pool)).toEqual(expectedAmounts([curve.token, amount]))
  await pool(other.pool).write(wallet, 'withdrawAndUnwrap', amount, false)
  const left = positionAt((await bench.read(wallet)).positions, other.pool)
  expect(left?.supplied).toEqual([])
  const paid = await paidBy(wallet, [crv, cvx], () => pool(other.pool).write(wallet, 'getReward', wallet, false))
  expect(amountsOf(left?.rewards)).toEqual(paid)
  expect(positionAt((await bench.read(wallet)).positions, other.pool)).toBeUndefined()
})

it('ignores a reward that the pool cannot pay: a claim would fail', async () => {
  const wallet = random.address()
  const made = await addConvexPool(chain, { booster: convex.booster, share: curve.token, crv })
  await deposit(wallet, made, await giveShares(wallet))
  await fund(made.pool, crv, parseEther('50'))
  await chain.travel(DAY_SECONDS)
  await erc20.setBalance(crv, made.pool, 1n)
  expect(positionAt((await bench.read(wallet)).positions, made.pool)?.rewards).toEqual([])
})

it('takes no contract for a pool that the booster does not list', async () => {
  const { booster } = await deployConvex(chain, crv, { minted: 0n, fee: 0n })
  const { pool: spoof } = await addConvexPool(chain, { booster, share: curve.token, crv })
  expect(await bench.recognise([spoof, tokens.usdc, plain.extra].map(evmAddress))).toEqual([])
})

it('finds the pool share of a stake, although it was never sent to the wallet', async () => {
  const found = await bench.recognise([evmAddress(first.pool)])
  expect(found.map(({ address, role }) => [address, role])).toEqual([
    [evmAddress(first.pool), 'stake'],
    [evmAddress(plain.extra), 'extra'],
    [evmAddress(wrapped.extra), 'extra'],
    [evmAddress(curve.token), 'share'],
  ])
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

async function newOwner(): Promise<Address> {
  const wallet = random.address()
  await give(wallet, share, parseEther('10'), shareSide.address)
  return wallet
}

async function fundDay(address: Address, token: Address): Promise<void> {
  await fund(address, token, parseEther('70'))
  await chain.travel(DAY_SECONDS)
}

const { costs, summary } = namedHistory(bench, () => ({
  ...{ share, crv, uni, cvx, cvxCrv, aura: aura.cvx, vault: shareVault.pool, side: shareSide.address },
  ...{ auraBal: aura.cvxCrv, wrapper: wrapper.address, stake: ofShare.pool, lock: locker.address },
  ...{ cvxStake: cvxPool, cvxCrvStake: staked, auraBalStake: aura.staked },
}))

it('a stake of Ethereum, a claim with CVX and another reward, and the way back', async () => {
  const wallet = await newOwner()
  const own = pool(ofShare.pool)
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, ofShare, parseEther('10'), convex, share)
    await fundDay(ofShare.pool, crv)
    await fundDay(beside.extra, uni)
    await own.write(wallet, 'getReward', wallet, true)
    await chain.travel(DAY_SECONDS)
    await own.write(wallet, 'withdrawAndUnwrap', parseEther('4'), true)
    await own.write(wallet, 'withdrawAndUnwrap', parseEther('6'), false)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'convex', 'move -share', 'move stake'],
    ['CLAIM', 'convex', 'income +crv', 'income +cvx', 'income +uni'],
    ['UNSTAKE', 'convex', 'income +crv', 'income +cvx', 'income +uni', 'move +share', 'move stake'],
    ['UNSTAKE', 'convex', 'move +share', 'move stake'],
  ])
  const [ofCrv, ofCvx] = [await erc20.balanceOf(crv, wallet), await erc20.balanceOf(cvx, wallet)]
  const ofUni = await erc20.balanceOf(uni, wallet)
  expect(costs(wallet, 'share 4 had 10 at 3, crv 2, cvx 5, uni 7', found)).toEqual({
    held: { share: '10 at 30', crv: lot(ofCrv, 2n), cvx: lot(ofCvx, 5n), uni: lot(ofUni, 7n) },
    ...unsold(parseEther('30') + (2n * ofCrv + 5n * ofCvx + 7n * ofUni), 2n * ofCrv + 5n * ofCvx + 7n * ofUni),
  })
})

it('stakes that are tokens, of Aura and of other chains', async () => {
  const wallet = await newOwner()
  const found = await bench.played(wallet, async () => {
    await deposit(wallet, shareVault, parseEther('5'), aura, share)
    await fundDay(shareVault.pool, crv)
    await pool(shareVault.pool).write(wallet, 'withdrawAndUnwrap', parseEther('5'), true)
    await shareSide.write(wallet, 'deposit', 0n, parseEther('5'))
    await erc20.mint(crv, shareSide.address, parseEther('3'))
    await shareSide.write(wallet, 'withdraw', parseEther('2'), true)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'aura', 'move +vault', 'move -share'],
    ['UNSTAKE', 'aura', 'income +aura', 'income +crv', 'move +share', 'move -vault'],
    ['STAKE', 'convex', 'move +side', 'move -share'],
    ['UNSTAKE', 'convex', 'income +crv', 'move +share', 'move -side'],
  ])
  const [ofCrv, ofAura] = [await erc20.balanceOf(crv, wallet), await erc20.balanceOf(aura.cvx, wallet)]
  expect(costs(wallet, 'share 4 had 10 at 3, crv 2, aura 5, side 4', found)).toEqual({
    held: { share: '7 at 21', side: '3 at 9', crv: lot(ofCrv, 2n), aura: lot(ofAura, 5n) },
    ...unsold(parseEther('30') + (2n * ofCrv + 5n * ofAura), 2n * ofCrv + 5n * ofAura),
  })
})

it('stakes and locks of CVX, their rewards, and a lock that is renewed', async () => {
  const [wallet, giver] = [random.address(), random.address()]
  const own = await giveCvx(wallet)
  for (const spender of [cvxPool, locker.address]) await erc20.allow(cvx, wallet, spender)
  await giveCvxCrv(giver, parseEther('9'))
  await erc20.allow(cvxCrv, giver, locker.address)
  const found = await bench.played(wallet, async () => {
    await pool(cvxPool).write(wallet, 'stakeFor', wallet, own / 2n)
    await fundDay(cvxPool, crv)
    await pool(cvxPool).write(wallet, 'getReward', wallet, false, false)
    await pool(cvxPool).write(wallet, 'withdraw', own / 2n, false)
    await locker.write(wallet, 'lock', wallet, own / 3n, 0n)
    await locker.write(giver, 'fund', parseEther('5'))
    await locker.write(wallet, 'getReward', wallet)
    await chain.travel(17 * WEEK_SECONDS)
    await locker.write(wallet, 'processExpiredLocks', true)
    await chain.travel(17 * WEEK_SECONDS)
    await locker.write(wallet, 'processExpiredLocks', false)
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
  const paid = await erc20.balanceOf(cvxCrv, wallet)
  expect(costs(wallet, `cvx 5 had ${formatEther(own)} at 4, cvxCrv 2`, found)).toEqual({
    held: { cvx: lot(own, 4n), cvxCrv: lot(paid, 2n) },
    ...unsold(4n * own + 2n * paid, 2n * paid),
  })
})

it.each([
  ['convex', convex, ['cvx', 'cvxCrv', 'cvxCrvStake']],
  ['aura', aura, ['aura', 'auraBal', 'auraBalStake']],
] as const)(
  'a stake of the token of %s that stands for its locks',
  async (protocol, made, [bonus, locked, position]) => {
    const wallet = random.address()
    const own = await giveCvxCrv(wallet, parseEther('10'), made)
    await erc20.allow(made.cvxCrv, wallet, made.staked)
    const found = await bench.played(wallet, async () => {
      await pool(made.staked).write(wallet, 'stakeFor', wallet, own)
      await fundDay(made.staked, crv)
      await pool(made.staked).write(wallet, 'getReward', wallet, true)
      await chain.travel(DAY_SECONDS)
      await pool(made.staked).write(wallet, 'withdraw', own / 4n, true)
    })
    const income = ['crv', bonus].map((token) => `income +${token}`).toSorted()
    expect(summary(found)).toEqual([
      ['STAKE', protocol, `move -${locked}`, `move ${position}`],
      ['CLAIM', protocol, ...income],
      ['UNSTAKE', protocol, ...income, `move +${locked}`, `move ${position}`],
    ])
    const [ofCrv, ofCvx] = [await erc20.balanceOf(crv, wallet), await erc20.balanceOf(made.cvx, wallet)]
    const out = own / 4n
    expect(costs(wallet, `${locked} 3 had ${formatEther(own)} at 2, crv 2, ${bonus} 5`, found)).toEqual({
      held: {
        ...{ [locked]: lot(out, 2n), [`${locked} in a position`]: lot(own - out, 2n) },
        ...{ crv: lot(ofCrv, 2n), [bonus]: lot(ofCvx, 5n) },
      },
      ...unsold(2n * own + (2n * ofCrv + 5n * ofCvx), 2n * ofCrv + 5n * ofCvx),
    })
  },
)

it('cvxCRV in its wrapper, which takes CRV as well and turns it into more', async () => {
  const wallet = random.address()
  await giveCvxCrv(wallet, parseEther('10'))
  await give(wallet, crv, parseEther('10'), wrapper.address)
  await erc20.allow(cvxCrv, wallet, wrapper.address)
  const found = await bench.played(wallet, async () => {
    await wrapper.write(wallet, 'stake', parseEther('4'), wallet)
    await wrapper.write(wallet, 'deposit', parseEther('10'), wallet)
    await erc20.mint(uni, wrapper.address, parseEther('13.99'))
    await wrapper.write(wallet, 'getReward', wallet)
    await wrapper.write(wallet, 'withdraw', parseEther('6.995'), false)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'convex', 'move +wrapper', 'move -cvxCrv'],
    ['STAKE', 'convex', 'move +wrapper', 'move -crv'],
    ['CLAIM', 'convex', 'income +uni'],
    ['UNSTAKE', 'convex', 'move +cvxCrv', 'move -wrapper'],
  ])
  const quotes = 'cvxCrv 3 had 9.99 at 2, crv 3 had 10 at 1, uni 7, wrapper 3'
  // Shares that cost 4 * 2 and 10 * 1. Half of them are given back.
  expect(costs(wallet, quotes, found)).toEqual({
    held: { cvxCrv: '12.985 at 20.98', wrapper: '6.995 at 9', uni: '13.99 at 97.93' },
    ...unsold('127.91', '97.93'),
  })
})
