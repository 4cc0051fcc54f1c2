import { addresses } from '@coffer/devnet'
import { type Address, erc4626Abi, parseAbi, parseEther } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const DAY_SECONDS = 86_400
const { ethena, safetyModule } = addresses.ethereum
const usde = evmAddress(ethena.usde)
const susde = evmAddress(ethena.susde)
const cooldownsAbi = parseAbi([
  'function cooldowns(address account) view returns (uint104 cooldownEnd, uint152 underlyingAmount)',
])

const stakeAbi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function getTotalRewardsBalance(address staker) view returns (uint256)',
])
const stkAave = evmAddress(safetyModule.stkAave)
const aave = evmAddress(safetyModule.aave)

let bench: Awaited<ReturnType<typeof openProtocolBench>>

beforeAll(async () => {
  bench = await openProtocolBench(
    inject('devnetState'),
    protocolRows.filter(({ family, chain }) => family === 'cooldown_stakes' && chain === 'ethereum'),
  )
})
afterAll(() => bench?.stop())

/** Shares and cooling amounts by the vault's own views at the block. */
async function check(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const at = { address: susde, blockNumber: block } as const
  const shares = await bench.client.readContract({ ...at, abi: erc4626Abi, functionName: 'balanceOf', args: [wallet] })
  const worth = { ...at, abi: erc4626Abi, functionName: 'convertToAssets', args: [shares] } as const
  const cooldown = { ...at, abi: cooldownsAbi, functionName: 'cooldowns', args: [wallet] } as const
  const [end, amountRaw] = await bench.client.readContract(cooldown)
  const { timestamp } = await bench.client.getBlock({ blockNumber: block })
  const isReady = timestamp >= end
  const label = isReady ? 'Cooldown, ready' : 'Cooldown, pending'
  const staked = {
    ...{ kind: 'staked', receipts: [susde], pool: susde, label: 'Stake' },
    supplied: [{ token: usde, amountRaw: await bench.client.readContract(worth) }],
  }
  const waiting = {
    ...{ kind: 'locked', receipts: [], pool: evmAddress(await bench.chain.actions.ethena.silo()), label },
    ...(!isReady && { unlockAt: Number(end) }),
    supplied: [{ token: usde, amountRaw }],
  }
  const expected = [...(shares > 0n ? [staked] : []), ...(amountRaw > 0n ? [waiting] : [])]
  expect(positions).toEqual(
    expected.map((position) => ({ protocol: 'ethena', chain: 'ethereum', borrowed: [], rewards: [], ...position })),
  )
  return positions
}

it('reads random stakes and cooldowns; a second cooldown adds up and restarts the time', async () => {
  const random = seededRandom('cooldown stakes')
  const actions = bench.chain.actions.ethena
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    await actions.reward(random.amount(1n, parseEther('5000')))
    await actions.stake(wallet, random.amount(10n ** 6n, parseEther('1000')))
    await bench.chain.travel(1 + random.index(DAY_SECONDS / 4))
    await check(wallet)
    const balance = () => bench.chain.actions.erc20.balanceOf(susde, wallet)
    await actions.coolShares(wallet, random.amount(10n, (await balance()) / 2n))
    const [, first] = await check(wallet)
    await bench.chain.travel(2 * DAY_SECONDS)
    await actions.coolAssets(wallet, random.amount(1n, 100n))
    const [, second] = await check(wallet)
    expect(second?.unlockAt).toBeGreaterThan(first?.unlockAt ?? 0)
    // Everything: the cooling amount is then the only one.
    await actions.coolShares(wallet, await balance())
    expect(await check(wallet)).toHaveLength(1)
    await bench.chain.travel(7 * DAY_SECONDS + 1)
    expect(await check(wallet)).toMatchObject([{ label: 'Cooldown, ready' }])
    await actions.unstake(wallet)
    expect(await check(wallet)).toEqual([])
  }
})

it('reads one unit and 10^30', async () => {
  const random = seededRandom('cooldown stakes limits')
  const actions = bench.chain.actions.ethena
  for (const amount of [100n, 10n ** 30n]) {
    const wallet = random.address()
    await actions.stake(wallet, amount)
    await check(wallet)
    await actions.coolAssets(wallet, 1n)
    await check(wallet)
  }
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})

it('takes shares apart into what was staked', async () => {
  const [known] = (await bench.discover()).filter(({ deployment }) => deployment.key === 'ethena')
  const reader = bench.openReader()
  const [stake] = known?.protocolContracts ?? []
  if (!known || !stake) throw new Error('sUSDe is not listed')
  const amount = parseEther('3.25')
  const { number: blockNumber } = await reader.header()
  const worth = { address: susde, abi: erc4626Abi, functionName: 'convertToAssets', args: [amount] } as const
  const amountRaw = await bench.client.readContract({ ...worth, blockNumber })
  const parts = await known.deployment.decompose(reader, { protocolContract: stake, amountRaw: amount })
  expect(amountsOf(parts ?? [])).toEqual({ [usde]: amountRaw })
})

/** By the contract's own views at the block: redemption of all shares, and all rewards. */
async function checkStake(wallet: Address, cooldown: { label: string; unlockAt?: number } = { label: 'Stake' }) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const at = { address: stkAave, abi: stakeAbi, blockNumber: block } as const
  const shares = await bench.client.readContract({ ...at, functionName: 'balanceOf', args: [wallet] })
  const assets = await bench.client.readContract({ ...at, functionName: 'previewRedeem', args: [shares] })
  const earned = await bench.client.readContract({ ...at, functionName: 'getTotalRewardsBalance', args: [wallet] })
  const some = (amountRaw: bigint) => (amountRaw > 0n ? [{ token: aave, amountRaw }] : [])
  const facts = {
    protocol: 'aave_safety_module',
    chain: 'ethereum',
    kind: 'staked',
    pool: stkAave,
    receipts: [stkAave],
  }
  expect(positions).toEqual([{ ...facts, ...cooldown, supplied: some(assets), borrowed: [], rewards: some(earned) }])
}

it('reads random stakes of AAVE that are slashed, cool down, and leave rewards', async () => {
  const random = seededRandom('stkaave')
  const actions = bench.chain.actions.safetyModule
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await actions.stake(wallet, random.amount(10n ** 6n, parseEther('500')))
    await bench.chain.travel(1 + random.index(DAY_SECONDS))
    await checkStake(wallet)
    await actions.slash(random.amount(1n, parseEther('300')))
    await checkStake(wallet)
    await actions.coolDown(wallet)
    const { timestamp } = await bench.client.getBlock()
    const unlockAt = Number(timestamp) + 20 * DAY_SECONDS
    await checkStake(wallet, { label: 'Cooldown, pending', unlockAt })
    await bench.chain.travel(20 * DAY_SECONDS + random.index(DAY_SECONDS))
    await checkStake(wallet, { label: 'Cooldown, ready' })
    if (round === 1) {
      await bench.chain.travel(2 * DAY_SECONDS)
      await checkStake(wallet)
      continue
    }
    await actions.redeem(wallet, 10n)
    await checkStake(wallet, { label: 'Cooldown, ready' })
    await actions.redeem(wallet)
    // No share is left: the probe finds the rewards.
    await checkStake(wallet)
    await actions.claim(wallet)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('counts rewards as far as the vault can pay them', async () => {
  const wallet = seededRandom('stkaave vault').address()
  const { safetyModule: actions, erc20 } = bench.chain.actions
  await actions.stake(wallet, parseEther('100'))
  await bench.chain.travel(DAY_SECONDS)
  await erc20.setBalance(aave, safetyModule.rewardsVault, 7n)
  const { positions } = await bench.read(wallet)
  expect(positions[0]?.rewards).toEqual([{ token: aave, amountRaw: 7n }])
})

it('leaves out a stake that refuses, and keeps the others', async () => {
  const wallet = seededRandom('refusing stake').address()
  const { safetyModule: actions, ethena: staking } = bench.chain.actions
  await actions.stake(wallet, parseEther('100'))
  await staking.stake(wallet, parseEther('100'))
  const code = await bench.client.getCode({ address: stkAave })
  // Answers one to `balanceOf` and `stakerRewardsToClaim`, and refuses all else.
  const bytecode = '0x5f3560e01c806370a0823114601b57637e90d7ef14601b575f5ffd5b60015f5260205ff3'
  await bench.client.setCode({ address: stkAave, bytecode })
  const missing: unknown[] = []
  const { positions } = await bench.read(wallet, {
    leftOut: (_, protocolContract) => missing.push(protocolContract?.address),
  })
  expect(positions.map(({ pool }) => pool)).toEqual([susde])
  expect(missing).toEqual([stkAave])
  await bench.client.setCode({ address: stkAave, bytecode: code ?? '0x' })
})
