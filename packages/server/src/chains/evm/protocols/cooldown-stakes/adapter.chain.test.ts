import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, erc4626Abi, formatUnits, maxUint256, parseAbi, parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { lot, unsold } from '../../../../../test/booked-costs.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { ownBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'
import { amountsOf, expectedAmounts } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const DAY = 86_400
const COOLDOWN = 10 * DAY
const WINDOW = 2 * DAY
const { ethena, safetyModule, tokens } = addresses.ethereum
const { usdc, uni, dai } = tokens
const [usde, susde] = [evmAddress(ethena.usde), evmAddress(ethena.susde)]
const [stkAave, aave] = [evmAddress(safetyModule.stkAave), evmAddress(safetyModule.aave)]

const rows = protocolRows.filter(({ family, chain }) => family === 'cooldown_stakes' && chain === 'ethereum')
const bench = await ownBench(rows)
const { chain, client, give } = bench
const { erc20 } = chain.actions

const vault = seededRandom('further stakes vault').address()
const cooling = contractOf(chain, susde, 'CooldownVault')
const susdeVault = contractOf(chain, susde, erc4626Abi)
const aaveStake = contractOf(chain, stkAave, 'WindowStake')
const controllerAbi = parseAbi([
  'function addReward(address reward, uint256 emission)',
  'function claimAllRewards(address asset, address receiver)',
])

const deploy = async (name: string, ...args: unknown[]) =>
  chain.deploy(ownArtifact(name), [...args, vault, COOLDOWN, WINDOW])
const plain = contractOf(chain, await deploy('PlainStake', uni, dai), 'PlainStake')
const umbrella = contractOf(chain, await deploy('UmbrellaStake', usdc), 'UmbrellaStake')
const controller = contractOf(chain, await umbrella.read<Address>('REWARDS_CONTROLLER'), controllerAbi)
for (const token of [dai, usdc, uni]) {
  await erc20.mint(token, vault, parseEther('1000000'))
  for (const { address } of [plain, controller]) await erc20.allow(token, vault, address)
}
await plain.write(vault, 'setEmission', parseEther('0.003'))
await controller.write(vault, 'addReward', uni, parseEther('0.001'))
await controller.write(vault, 'addReward', usdc, 7n)
const row = { family: 'cooldown_stakes', chain: 'ethereum' }
const ofUmbrella = { shape: 'umbrella', controller: controller.address, stakes: [umbrella.address] }
rows.push(
  { ...row, key: 'plain', name: 'Plain', deployment: { shape: 'plain', stakes: [plain.address] } },
  { ...row, key: 'umbrella', name: 'Umbrella', deployment: ofUmbrella },
)
await bench.discover()

const some = (token: string, amountRaw: bigint) => (amountRaw > 0n ? [{ token, amountRaw }] : [])

/** Shares and cooling amounts by the vault's own views at the block. */
async function checkSilo(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const shares = await susdeVault.at(block).read('balanceOf', wallet)
  const worth = await susdeVault.at(block).read('convertToAssets', shares)
  const [end, amountRaw] = await cooling.at(block).read<[bigint, bigint]>('cooldowns', wallet)
  const isReady = (await client.getBlock({ blockNumber: block })).timestamp >= end
  const staked = { kind: 'staked', receipts: [susde], pool: susde, label: 'Stake', supplied: some(usde, worth) }
  const waiting = {
    ...{ kind: 'locked', receipts: [], pool: evmAddress(await chain.actions.ethena.silo()) },
    ...(isReady ? { label: 'Cooldown, ready' } : { label: 'Cooldown, pending', unlockAt: Number(end) }),
    supplied: some(usde, amountRaw),
  }
  const expected = [...(shares > 0n ? [staked] : []), ...(amountRaw > 0n ? [waiting] : [])]
  const rest = { protocol: 'ethena', chain: 'ethereum', borrowed: [], rewards: [] }
  expect(positions).toEqual(expected.map((position) => ({ ...rest, ...position })))
  return positions
}

it('reads random stakes and cooldowns; a second cooldown adds up and restarts the time', async () => {
  const random = seededRandom('cooldown stakes')
  const actions = chain.actions.ethena
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    await actions.reward(random.amount(1n, parseEther('5000')))
    await actions.stake(wallet, random.amount(10n ** 6n, parseEther('1000')))
    await chain.travel(1 + random.index(DAY / 4))
    await checkSilo(wallet)
    await actions.coolShares(wallet, random.amount(10n, (await erc20.balanceOf(susde, wallet)) / 2n))
    const [, first] = await checkSilo(wallet)
    await chain.travel(2 * DAY)
    await actions.coolAssets(wallet, random.amount(1n, 100n))
    const [, second] = await checkSilo(wallet)
    expect(second?.unlockAt).toBeGreaterThan(first?.unlockAt ?? 0)
    // Everything: the cooling amount is then the only one.
    await actions.coolShares(wallet, await erc20.balanceOf(susde, wallet))
    expect(await checkSilo(wallet)).toHaveLength(1)
    await chain.travel(7 * DAY + 1)
    expect(await checkSilo(wallet)).toMatchObject([{ label: 'Cooldown, ready' }])
    await actions.unstake(wallet)
    expect(await checkSilo(wallet)).toEqual([])
  }
})

it('reads one unit and 10^30', async () => {
  const random = seededRandom('cooldown stakes limits')
  for (const amount of [100n, 10n ** 30n]) {
    const wallet = random.address()
    await chain.actions.ethena.stake(wallet, amount)
    await checkSilo(wallet)
    await chain.actions.ethena.coolAssets(wallet, 1n)
    await checkSilo(wallet)
  }
})

it('asks a wallet that has nothing there in the first batch alone', bench.expectNothing)

it('takes shares apart into what was staked', async () => {
  const parts = await bench.decompose('ethena', susde, parseEther('3.25'))
  expect(amountsOf(parts)).toEqual({ [usde]: await susdeVault.read('convertToAssets', parseEther('3.25')) })
})

const STAKE = { label: 'Stake' }
const READY = { label: 'Cooldown, ready' }
const pendingUntil = (unlockAt: number) => ({ label: 'Cooldown, pending', unlockAt })
type Cools = { label: string; unlockAt?: number }

/** By the contract's own views at the block: redemption of all shares, and all rewards. */
async function checkStake(wallet: Address, cools: Cools = STAKE) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const { read } = aaveStake.at(block)
  const assets = await read('previewRedeem', await read('balanceOf', wallet))
  const earned = await read('getTotalRewardsBalance', wallet)
  const facts = { protocol: 'aave_safety_module', chain: 'ethereum', kind: 'staked', pool: stkAave, borrowed: [] }
  expect(positions).toEqual([
    { ...facts, ...cools, receipts: [stkAave], supplied: some(aave, assets), rewards: some(aave, earned) },
  ])
}

it('reads random stakes of AAVE that are slashed, cool down, and leave rewards', async () => {
  const random = seededRandom('stkaave')
  const actions = chain.actions.safetyModule
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await actions.stake(wallet, random.amount(10n ** 6n, parseEther('500')))
    await chain.travel(1 + random.index(DAY))
    await checkStake(wallet)
    await actions.slash(random.amount(1n, parseEther('300')))
    await checkStake(wallet)
    await actions.coolDown(wallet)
    await checkStake(wallet, pendingUntil((await now()) + 20 * DAY))
    await chain.travel(20 * DAY + random.index(DAY))
    await checkStake(wallet, READY)
    if (round === 1) {
      await chain.travel(2 * DAY)
      await checkStake(wallet)
      continue
    }
    await actions.redeem(wallet, 10n)
    await checkStake(wallet, READY)
    await actions.redeem(wallet)
    // No share is left: the probe finds the rewards.
    await checkStake(wallet)
    await actions.claim(wallet)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('counts rewards as far as the vault can pay them', async () => {
  const wallet = seededRandom('stkaave vault').address()
  await chain.actions.safetyModule.stake(wallet, parseEther('100'))
  await chain.travel(DAY)
  await erc20.setBalance(aave, safetyModule.rewardsVault, 7n)
  expect((await bench.read(wallet)).positions[0]?.rewards).toEqual([{ token: aave, amountRaw: 7n }])
})

it('leaves out a stake that refuses, and keeps the others', async () => {
  const wallet = seededRandom('refusing stake').address()
  await chain.actions.safetyModule.stake(wallet, parseEther('100'))
  await chain.actions.ethena.stake(wallet, parseEther('100'))
  const code = await client.getCode({ address: stkAave })
  // Answers one to `balanceOf` and `stakerRewardsToClaim`, and refuses all else.
  const bytecode = '0x5f3560e01c806370a0823114601b57637e90d7ef14601b575f5ffd5b60015f5260205ff3'
  await client.setCode({ address: stkAave, bytecode })
  const { positions, refused } = await bench.readPartly(wallet)
  expect([positions.map(({ pool }) => pool), refused]).toEqual([[susde], [stkAave]])
  await client.setCode({ address: stkAave, bytecode: code ?? '0x' })
})

const STAKED = parseUnits('500', 6)
const { costs, summary } = namedHistory(bench, () => ({
  plain: plain.address,
  umbrella: umbrella.address,
  usdc,
  uni,
  dai,
}))

it('a stake of the first version cools down, is redeemed, and pays its rewards', async () => {
  const wallet = seededRandom('plain history').address()
  await give(wallet, uni, STAKED, plain.address)
  const found = await bench.played(wallet, async () => {
    await plain.write(wallet, 'stake', wallet, STAKED)
    await plain.write(wallet, 'cooldown')
    await chain.travel(COOLDOWN + 1)
    await plain.write(wallet, 'claimRewards', wallet, 1_000n)
    await plain.write(wallet, 'redeem', wallet, maxUint256)
    await plain.write(wallet, 'claimRewards', wallet, maxUint256)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'plain', 'move +plain', 'move -uni'],
    ['INTERACTION', 'plain'],
    ['CLAIM', 'plain', 'income +dai'],
    ['UNSTAKE', 'plain', 'move +uni', 'move -plain'],
    ['CLAIM', 'plain', 'income +dai'],
  ])
  const ofDai = await erc20.balanceOf(dai, wallet)
  expect(costs(wallet, 'uni:6 7 had 500 at 4, dai 2', found)).toEqual({
    held: { uni: '500 at 2000', dai: lot(ofDai, 2n) },
    ...unsold(parseEther('2000') + 2n * ofDai, 2n * ofDai),
  })
})

it('a stake of Umbrella cools down, is redeemed, and its controller pays rewards, also in what was staked', async () => {
  const wallet = seededRandom('umbrella history').address()
  await give(wallet, usdc, STAKED, umbrella.address)
  const found = await bench.played(wallet, async () => {
    await umbrella.write(wallet, 'deposit', STAKED, wallet)
    await umbrella.write(wallet, 'cooldown')
    await chain.travel(COOLDOWN + 1)
    await controller.write(wallet, 'claimAllRewards', umbrella.address, wallet)
    await umbrella.write(wallet, 'redeem', await umbrella.read('maxRedeem', wallet), wallet, wallet)
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'umbrella', 'move +umbrella', 'move -usdc'],
    ['INTERACTION', 'umbrella'],
    ['CLAIM', 'umbrella', 'income +uni', 'income +usdc'],
    ['UNSTAKE', 'umbrella', 'move +usdc', 'move -umbrella'],
  ])
  const [ofUni, ofUsdc] = [await erc20.balanceOf(uni, wallet), await erc20.balanceOf(usdc, wallet)]
  const earned = ofUsdc - STAKED
  const income = 7n * ofUni + 2n * earned * 10n ** 12n
  expect(costs(wallet, 'usdc:6 2 had 500 at 1, uni 7', found)).toEqual({
    held: { usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(STAKED + 2n * earned, 6)}`, uni: lot(ofUni, 7n) },
    ...unsold(parseEther('500') + income, income),
  })
})

async function checkOne(wallet: Address, pool: Address, cools: Cools) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const [found] = positions
  expect(positions.length).toBeLessThanOrEqual(1)
  if (found) {
    expect(found).toMatchObject({ kind: 'staked', pool: evmAddress(pool), receipts: [evmAddress(pool)] })
    expect({ label: found.label, unlockAt: found.unlockAt }).toEqual({ unlockAt: undefined, ...cools })
  }
  return { block, supplied: amountsOf(found?.supplied), rewards: amountsOf(found?.rewards) }
}

async function checkPlain(wallet: Address, cools: Cools = STAKE): Promise<void> {
  const { block, supplied, rewards } = await checkOne(wallet, plain.address, cools)
  expect(supplied).toEqual(expectedAmounts([uni, await plain.at(block).read('balanceOf', wallet)]))
  const claim = plain.call('claimRewards', wallet, maxUint256)
  expect(rewards).toEqual(await bench.incomeBy(wallet, [claim], [dai], block, true))
}

async function checkUmbrella(wallet: Address, cools: Cools = STAKE): Promise<void> {
  const { block, supplied, rewards } = await checkOne(wallet, umbrella.address, cools)
  const shares = await umbrella.at(block).read('balanceOf', wallet)
  expect(supplied).toEqual(expectedAmounts([usdc, await umbrella.at(block).read('previewRedeem', shares)]))
  const claim = controller.call('claimAllRewards', umbrella.address, wallet)
  expect(rewards).toEqual(await bench.incomeBy(wallet, [claim], [uni, usdc], block, true))
}

const now = async () => Number((await client.getBlock()).timestamp)

async function mineAt(time: number): Promise<void> {
  await client.setNextBlockTimestamp({ timestamp: BigInt(time) })
  await client.mine({ blocks: 1 })
}

it('reads random stakes of the first version, cooling down, ready after the last second, and past the window', async () => {
  const random = seededRandom('plain stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = random.amount(1n, parseEther('90000'))
    await give(wallet, uni, amount, plain.address)
    await plain.write(wallet, 'stake', wallet, amount)
    await chain.travel(1 + random.index(DAY))
    await checkPlain(wallet)
    await plain.write(wallet, 'cooldown')
    const end = (await now()) + COOLDOWN
    await checkPlain(wallet, pendingUntil(end + 1))
    await mineAt(end)
    await checkPlain(wallet, pendingUntil(end + 1))
    await mineAt(end + 1)
    await checkPlain(wallet, READY)
    if (round === 1) {
      await mineAt(end + WINDOW)
      await checkPlain(wallet, READY)
      await mineAt(end + WINDOW + 1)
      await checkPlain(wallet)
      continue
    }
    await plain.write(wallet, 'redeem', wallet, maxUint256)
    // No share is left: the probe finds the rewards.
    await checkPlain(wallet)
    await plain.write(wallet, 'claimRewards', wallet, maxUint256)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('reads random stakes of Umbrella that are slashed, cool down and leave rewards of two tokens', async () => {
  const random = seededRandom('umbrella stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    const amount = random.amount(10n ** 6n, parseUnits('90000', 6))
    await give(wallet, usdc, amount, umbrella.address)
    await umbrella.write(wallet, 'deposit', amount, wallet)
    await chain.travel(1 + random.index(DAY))
    await checkUmbrella(wallet)
    await umbrella.write(vault, 'slash', vault, random.amount(1n, 10n ** 5n))
    await checkUmbrella(wallet)
    await umbrella.write(wallet, 'cooldown')
    const end = (await now()) + COOLDOWN
    await checkUmbrella(wallet, pendingUntil(end))
    await mineAt(end)
    await checkUmbrella(wallet, READY)
    if (round === 1) {
      await mineAt(end + WINDOW)
      await checkUmbrella(wallet, READY)
      await mineAt(end + WINDOW + 1)
      await checkUmbrella(wallet)
      continue
    }
    await umbrella.write(wallet, 'redeem', await umbrella.read('maxRedeem', wallet), wallet, wallet)
    await checkUmbrella(wallet)
    await controller.write(wallet, 'claimAllRewards', umbrella.address, wallet)
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})
