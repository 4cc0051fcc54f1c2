import { addConvexExtra, addConvexPool, addresses, deployConvex, deployCurvePool, ownArtifact } from '@coffer/devnet'
import { type Address, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { Position } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY_SECONDS = 86_400
const WEEK_SECONDS = 7 * DAY_SECONDS
/** Supply of CVX before the tests. A claim of CRV then mints CVX at 1000 - 402 cliffs of 1000. */
const MINTED = 402n * 10n ** 23n + 5n * 10n ** 22n
const LEFT_CLIFFS = 598n
const { tokens } = addresses.ethereum
const crv = tokens.link
const curvePoolAbi = parseAbi(['function add_liquidity(uint256[] amounts, uint256 first) payable returns (uint256)'])
const registryAbi = parseAbi(['function register(address token, address pool)'])
const boosterAbi = parseAbi([
  'function deposit(uint256 pid, uint256 amount, bool stake)',
  'function shutdownPool(uint256 pid)',
])
const poolAbi = parseAbi([
  'function stakeFor(address account, uint256 amount)',
  'function withdraw(uint256 amount, bool claim)',
  'function withdrawAndUnwrap(uint256 amount, bool claim)',
  'function getReward(address account, bool withExtras)',
  'function earned(address account) view returns (uint256)',
  'function fund(uint256 amount)',
])
const convertingAbi = parseAbi(['function getReward(address account, bool withExtras, bool stake)'])
const sideAbi = parseAbi([
  'function deposit(uint256 pid, uint256 amount)',
  'function getReward(address account)',
  'function strike(uint256 i)',
])
const lockerAbi = parseAbi([
  'function lock(address account, uint256 amount, uint256 spend)',
  'function processExpiredLocks(bool relock)',
  'function fund(uint256 amount)',
  'function getReward(address account)',
  'function balanceOf(address account) view returns (uint256)',
])
const depositorAbi = parseAbi(['function deposit(uint256 amount)'])

type Convex = Awaited<ReturnType<typeof deployConvex>>

const rows: ProtocolRow[] = []
const random = seededRandom('convex')
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let convex: Convex
let aura: Convex
let curve: { pool: Address; token: Address }
let first: { pid: bigint; pool: Address }
let vault: { pid: bigint; pool: Address }
let side: Address
let plain: { extra: Address; payer: Address }
let wrapped: { extra: Address; payer: Address }

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain } = bench
  convex = await deployConvex(chain, crv, { minted: MINTED, fee: 10n })
  curve = await deployCurvePool(chain, [tokens.usdc, tokens.dai])
  const registry = await chain.deploy(ownArtifact('CurveRegistry'))
  const enter = { from: random.address(), address: registry, abi: registryAbi, functionName: 'register' } as const
  await chain.write({ ...enter, args: [curve.token, curve.pool] })
  const { booster } = convex
  first = await addConvexPool(chain, { booster, share: curve.token, crv })
  plain = await addConvexExtra(chain, first.pool, tokens.uni)
  wrapped = await addConvexExtra(chain, first.pool, tokens.dai, true)
  aura = await deployConvex(chain, crv, { minted: 0n, fee: 0n })
  vault = await addConvexPool(chain, { booster: aura.booster, share: curve.token, crv, isVault: true })
  side = await chain.deploy(ownArtifact('ConvexSidePool'), [curve.token, [crv, tokens.uni]])
  const { cvx, cvxCrv, staked, cvxPool, locker } = convex
  const row = { family: 'convex', chain: 'ethereum' } as const
  rows.push(
    {
      ...{ family: 'curve', key: 'curve', name: 'Curve', chain: 'ethereum' },
      deployment: { registry },
    },
    {
      ...{ ...row, key: 'convex', name: 'Convex' },
      deployment: {
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
      },
    },
    {
      ...{ ...row, key: 'aura', name: 'Aura' },
      deployment: { boosters: [{ address: aura.booster, layout: 'vaults' }], bonus: aura.cvx },
    },
  )
})
afterAll(() => bench?.stop())

const call = (from: Address, address: Address) => ({ from, address }) as const

/** Curve pool shares, minted by the wallet itself. */
async function giveShares(wallet: Address): Promise<bigint> {
  const { erc20 } = bench.chain.actions
  const whole = 1n + BigInt(random.index(90_000))
  const amounts = [whole * 10n ** 6n, whole * 10n ** 18n]
  for (const [i, coin] of [tokens.usdc, tokens.dai].entries()) {
    await erc20.mint(coin, wallet, amounts[i] ?? 0n)
    await erc20.allow(coin, wallet, curve.pool)
  }
  const args = [amounts, 1_000n * whole * 10n ** 15n] as const
  await bench.chain.write({ ...call(wallet, curve.pool), abi: curvePoolAbi, functionName: 'add_liquidity', args })
  return erc20.balanceOf(curve.token, wallet)
}

async function deposit(wallet: Address, { pid }: { pid: bigint }, amount: bigint, { booster } = convex): Promise<void> {
  await bench.chain.actions.erc20.allow(curve.token, wallet, booster)
  const args = [pid, amount, true] as const
  await bench.chain.write({ ...call(wallet, booster), abi: boosterAbi, functionName: 'deposit', args })
}

/** A stake of the wallet, a third party's stake, rewards, and some days. */
async function giveStake(wallet: Address, share: Address, pool: Address, amount: bigint): Promise<void> {
  await bench.chain.actions.erc20.allow(share, wallet, pool)
  const args = [wallet, amount] as const
  await bench.chain.write({ ...call(wallet, pool), abi: poolAbi, functionName: 'stakeFor', args })
  await fund(pool, crv, random.amount(1n, parseEther('900')))
  await bench.chain.travel(1 + random.index(6 * DAY_SECONDS))
}

/** CVX or cvxCRV, which only their contracts mint: by a claim, and by a deposit of CRV. */
async function giveCvx(wallet: Address): Promise<bigint> {
  const shares = await giveShares(wallet)
  await deposit(wallet, first, shares)
  await fund(first.pool, crv, parseEther('900'))
  await bench.chain.travel(DAY_SECONDS)
  const claim = { functionName: 'getReward', args: [wallet, false] } as const
  await bench.chain.write({ ...call(wallet, first.pool), abi: poolAbi, ...claim })
  return bench.chain.actions.erc20.balanceOf(convex.cvx, wallet)
}

async function giveCvxCrv(wallet: Address): Promise<bigint> {
  const { erc20 } = bench.chain.actions
  const amount = random.amount(parseEther('1'), parseEther('1000'))
  await erc20.mint(crv, wallet, amount)
  await erc20.allow(crv, wallet, convex.cvxCrv)
  const put = { functionName: 'deposit', args: [amount] } as const
  await bench.chain.write({ ...call(wallet, convex.cvxCrv), abi: depositorAbi, ...put })
  return erc20.balanceOf(convex.cvxCrv, wallet)
}

/** A third party pays rewards into a pool. `payer`: the receiver of these rewards. */
async function fund(pool: Address, token: Address, amount: bigint, payer = token): Promise<void> {
  const stranger = random.address()
  const { erc20 } = bench.chain.actions
  await erc20.mint(token, stranger, amount)
  await erc20.allow(token, stranger, payer === token ? pool : payer)
  await bench.chain.write({ ...call(stranger, pool), abi: poolAbi, functionName: 'fund', args: [amount] })
}

/** Increase of each token by the claim, at the block after the read. */
async function paidBy(wallet: Address, of: readonly Address[], claim: () => Promise<unknown>) {
  const { balanceOf } = bench.chain.actions.erc20
  const before = await Promise.all(of.map((token) => balanceOf(token, wallet)))
  await claim()
  const after = await Promise.all(of.map((token) => balanceOf(token, wallet)))
  return of.map((token, i) => [token, (after[i] ?? 0n) - (before[i] ?? 0n)] as const)
}

/** Keeps the read's time: later blocks have its timestamp. */
async function atTheTimeOfTheRead<T>(play: () => Promise<T>): Promise<T> {
  await bench.client.setBlockTimestampInterval({ interval: 0 })
  try {
    return await play()
  } finally {
    await bench.client.removeBlockTimestampInterval()
  }
}

const at = (positions: readonly Position[], pool: Address) =>
  positions.find((position) => position.pool === evmAddress(pool))

it('a stake of Ethereum, with CRV, the CVX minted for it, and rewards of further pools', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = await giveShares(wallet)
    await deposit(wallet, first, random.amount(amount / 2n, amount - 1n))
    await fund(first.pool, crv, random.amount(1n, parseEther('5000')))
    await fund(plain.extra, tokens.uni, random.amount(1n, parseEther('70')))
    await fund(wrapped.extra, tokens.dai, random.amount(1n, parseEther('300')), wrapped.payer)
    await bench.chain.travel(1 + random.index(6 * DAY_SECONDS))
    const staked = await bench.chain.actions.erc20.balanceOf(first.pool, wallet)
    const { positions, block, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const position = at(positions, first.pool)
    expect(position).toMatchObject({ kind: 'farming', protocol: 'convex', receipts: [] })
    expect(amountsOf(position?.supplied ?? [])).toEqual(expectedAmounts([curve.token, staked]))
    const due = await bench.client.readContract({
      ...{ address: first.pool, abi: poolAbi, functionName: 'earned', args: [wallet], blockNumber: block },
    })
    const all = await atTheTimeOfTheRead(() =>
      paidBy(wallet, [crv, convex.cvx, tokens.uni, tokens.dai], () =>
        bench.chain.write({
          ...{ ...call(random.address(), first.pool), abi: poolAbi },
          ...{ functionName: 'getReward', args: [wallet, true] },
        }),
      ),
    )
    expect(amountsOf(position?.rewards ?? [])).toEqual(expectedAmounts(...all))
    // By the rule of `Cvx.sol`, for a supply in its 403rd cliff.
    expect(all.slice(0, 2)).toEqual([
      [crv, due],
      [convex.cvx, (due * LEFT_CLIFFS) / 1_000n],
    ])
  }
})

it('a stake that is a token, as Aura has it', async () => {
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = await giveShares(wallet)
    await deposit(wallet, vault, amount, aura)
    await fund(vault.pool, crv, random.amount(1n, parseEther('5000')))
    await bench.chain.travel(1 + random.index(6 * DAY_SECONDS))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const position = at(positions, vault.pool)
    expect(position).toMatchObject({ protocol: 'aura', receipts: [evmAddress(vault.pool)] })
    expect(amountsOf(position?.supplied ?? [])).toEqual(expectedAmounts([curve.token, amount]))
    const claim = { functionName: 'getReward', args: [wallet, true] } as const
    const all = await atTheTimeOfTheRead(() =>
      paidBy(wallet, [crv, aura.cvx], () => bench.chain.write({ ...call(wallet, vault.pool), abi: poolAbi, ...claim })),
    )
    expect(amountsOf(position?.rewards ?? [])).toEqual(expectedAmounts(...all))
    expect(all[1]?.[1]).toBeGreaterThan(0n)
  }
})

it('a stake of other chains, with all rewards that its list still has', async () => {
  const { erc20 } = bench.chain.actions
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = await giveShares(wallet)
    await erc20.allow(curve.token, wallet, side)
    await bench.chain.write({ ...call(wallet, side), abi: sideAbi, functionName: 'deposit', args: [0n, amount] })
    await erc20.mint(crv, side, random.amount(1n, parseEther('80')))
    await erc20.mint(tokens.uni, side, random.amount(1n, parseEther('80')))
    const { positions, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const position = at(positions, side)
    expect(amountsOf(position?.supplied ?? [])).toEqual(expectedAmounts([curve.token, amount]))
    const claim = { functionName: 'getReward', args: [wallet] } as const
    const all = await paidBy(wallet, [crv, tokens.uni], () =>
      bench.chain.write({ ...call(wallet, side), abi: sideAbi, ...claim }),
    )
    expect(amountsOf(position?.rewards ?? [])).toEqual(expectedAmounts(...all))
    expect(all.every(([, paid]) => paid > 0n)).toBe(true)
  }
  const late = random.address()
  await bench.chain.write({ ...call(late, side), abi: sideAbi, functionName: 'strike', args: [1n] })
  const amount = await giveShares(late)
  await erc20.allow(curve.token, late, side)
  await bench.chain.write({ ...call(late, side), abi: sideAbi, functionName: 'deposit', args: [0n, amount] })
  await erc20.mint(crv, side, parseEther('9'))
  await erc20.mint(tokens.uni, side, parseEther('9'))
  expect(at((await bench.read(late)).positions, side)?.rewards.map(({ token }) => token)).toEqual([evmAddress(crv)])
})

it('stakes of cvxCRV, which bring CVX, and of CVX, which are paid in cvxCRV less the fee', async () => {
  const { cvx, cvxCrv, staked, cvxPool } = convex
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const [ofCvxCrv, ofCvx] = [await giveCvxCrv(wallet), await giveCvx(wallet)]
    await giveStake(wallet, cvxCrv, staked, ofCvxCrv)
    await giveStake(wallet, cvx, cvxPool, ofCvx)
    const { positions, block } = await bench.read(wallet)
    expect(amountsOf(at(positions, staked)?.supplied ?? [])).toEqual(expectedAmounts([cvxCrv, ofCvxCrv]))
    expect(amountsOf(at(positions, cvxPool)?.supplied ?? [])).toEqual(expectedAmounts([cvx, ofCvx]))
    const own = { address: cvxPool, abi: poolAbi, functionName: 'earned', args: [wallet], blockNumber: block } as const
    const before = await bench.client.readContract(own)
    expect(amountsOf(at(positions, cvxPool)?.rewards ?? [])).toEqual(
      expectedAmounts([cvxCrv, before - (before * 10n) / 10_000n]),
    )
    const paid = await atTheTimeOfTheRead(async () => [
      ...(await paidBy(wallet, [crv, cvx], () =>
        bench.chain.write({
          ...{ ...call(wallet, staked), abi: poolAbi, functionName: 'getReward', args: [wallet, false] },
        }),
      )),
      ...(await paidBy(wallet, [cvxCrv], () =>
        bench.chain.write({
          ...{ ...call(wallet, cvxPool), abi: convertingAbi, functionName: 'getReward', args: [wallet, false, false] },
        }),
      )),
    ])
    const rewards = [staked, cvxPool].flatMap((pool) => at(positions, pool)?.rewards ?? [])
    expect(amountsOf(rewards)).toEqual(expectedAmounts(...paid))
  }
})

it('locks by the time at which they end, what has run out, and their rewards', async () => {
  const { cvx, cvxCrv, locker } = convex
  const wallet = random.address()
  const amounts: bigint[] = []
  const ends: number[] = []
  for (let round = 0; round < 3; round += 1) {
    const amount = await giveCvx(wallet)
    await bench.chain.actions.erc20.allow(cvx, wallet, locker)
    const all = await bench.chain.actions.erc20.balanceOf(cvx, wallet)
    await bench.chain.write({ ...call(wallet, locker), abi: lockerAbi, functionName: 'lock', args: [wallet, all, 0n] })
    const { timestamp } = await bench.client.getBlock()
    amounts.push(all)
    // 16 weeks from the start of the next one.
    ends.push((Math.floor(Number(timestamp) / WEEK_SECONDS) + 17) * WEEK_SECONDS)
    expect(all).toBe(amount)
    await bench.chain.travel(WEEK_SECONDS)
  }
  const stranger = random.address()
  const reward = await giveCvxCrv(stranger)
  await bench.chain.actions.erc20.allow(cvxCrv, stranger, locker)
  await bench.chain.write({ ...call(stranger, locker), abi: lockerAbi, functionName: 'fund', args: [reward] })

  const locksOf = (positions: readonly Position[]) =>
    positions
      .filter(({ pool, kind }) => pool === evmAddress(locker) && kind === 'locked')
      .map(({ label, supplied, unlockAt }) => [label, supplied[0]?.amountRaw, unlockAt])
  const { positions } = await bench.read(wallet)
  expect(locksOf(positions)).toEqual(amounts.map((amount, i) => ['Lock', amount, ends[i]]))
  const paid = await paidBy(wallet, [cvxCrv], () =>
    bench.chain.write({ ...call(wallet, locker), abi: lockerAbi, functionName: 'getReward', args: [wallet] }),
  )
  const rewards = positions.find(({ kind, pool }) => kind === 'rewards' && pool === evmAddress(locker))
  expect(amountsOf(rewards?.rewards ?? [])).toEqual(expectedAmounts(...paid))

  const { timestamp } = await bench.client.getBlock()
  await bench.chain.travel((ends[0] ?? 0) - Number(timestamp) + 1)
  expect(locksOf((await bench.read(wallet)).positions)).toEqual([
    ['Lock', amounts[1], ends[1]],
    ['Lock', amounts[2], ends[2]],
    ['Unlocked', amounts[0], undefined],
  ])
  // All locks have expired: the locker's own balance does not count them.
  await bench.chain.travel(3 * WEEK_SECONDS)
  const balance = { address: locker, abi: lockerAbi, functionName: 'balanceOf', args: [wallet] } as const
  expect(await bench.client.readContract(balance)).toBe(0n)
  const all = amounts.reduce((sum, amount) => sum + amount)
  expect(locksOf((await bench.read(wallet)).positions)).toEqual([['Unlocked', all, undefined]])
  const relock = { functionName: 'processExpiredLocks', args: [true] } as const
  await bench.chain.write({ ...call(wallet, locker), abi: lockerAbi, ...relock })
  const again = await bench.client.getBlock()
  const end = (Math.floor(Number(again.timestamp) / WEEK_SECONDS) + 16) * WEEK_SECONDS
  expect(locksOf((await bench.read(wallet)).positions)).toEqual([['Lock', all, end]])
})

it('rewards of a withdrawn stake, and a stake in a pool that was shut down', async () => {
  const wallet = random.address()
  const other = await addConvexPool(bench.chain, { booster: convex.booster, share: curve.token, crv })
  const amount = await giveShares(wallet)
  await deposit(wallet, other, amount)
  await fund(other.pool, crv, parseEther('50'))
  await bench.chain.travel(DAY_SECONDS)
  await bench.chain.write({
    ...{ ...call(wallet, convex.booster), abi: boosterAbi, functionName: 'shutdownPool', args: [other.pid] },
  })
  expect(amountsOf(at((await bench.read(wallet)).positions, other.pool)?.supplied ?? [])).toEqual(
    expectedAmounts([curve.token, amount]),
  )
  await bench.chain.write({
    ...{ ...call(wallet, other.pool), abi: poolAbi, functionName: 'withdrawAndUnwrap', args: [amount, false] },
  })
  const left = at((await bench.read(wallet)).positions, other.pool)
  expect(left?.supplied).toEqual([])
  const claim = { functionName: 'getReward', args: [wallet, false] } as const
  const paid = await paidBy(wallet, [crv, convex.cvx], () =>
    bench.chain.write({ ...call(wallet, other.pool), abi: poolAbi, ...claim }),
  )
  expect(amountsOf(left?.rewards ?? [])).toEqual(expectedAmounts(...paid))
  expect(at((await bench.read(wallet)).positions, other.pool)).toBeUndefined()
})

it('ignores a reward that the pool cannot pay: a claim would fail', async () => {
  const wallet = random.address()
  const { pid, pool } = await addConvexPool(bench.chain, { booster: convex.booster, share: curve.token, crv })
  await deposit(wallet, { pid }, await giveShares(wallet))
  await fund(pool, crv, parseEther('50'))
  await bench.chain.travel(DAY_SECONDS)
  await bench.chain.actions.erc20.setBalance(crv, pool, 1n)
  expect(at((await bench.read(wallet)).positions, pool)?.rewards).toEqual([])
})

it('takes no contract for a pool that the booster does not list', async () => {
  const { pool: spoof } = await addConvexPool(bench.chain, {
    booster: (await deployConvex(bench.chain, crv, { minted: 0n, fee: 0n })).booster,
    ...{ share: curve.token, crv },
  })
  expect(await bench.recognise([evmAddress(spoof), evmAddress(tokens.usdc), evmAddress(plain.extra)])).toEqual([])
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

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
