import { addresses, ownArtifact } from '@coffer/devnet'
import {
  type Abi,
  type Address,
  encodeFunctionData,
  erc20Abi,
  maxUint256,
  parseAbi,
  parseEther,
  parseUnits,
} from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { ProtocolRow } from '../../../protocol-row.ts'

const DAY = 86_400
const COOLDOWN = 10 * DAY
const WINDOW = 2 * DAY
const { usdc, uni, dai } = addresses.ethereum.tokens
const plainAbi = parseAbi([
  'function stake(address to, uint256 amount)',
  'function cooldown()',
  'function redeem(address to, uint256 amount)',
  'function claimRewards(address to, uint256 amount)',
  'function setEmission(uint256 perSecond)',
])
const umbrellaAbi = parseAbi([
  'function REWARDS_CONTROLLER() view returns (address)',
  'function deposit(uint256 assets, address receiver)',
  'function redeem(uint256 shares, address receiver, address owner) returns (uint256)',
  'function previewRedeem(uint256 shares) view returns (uint256)',
  'function maxRedeem(address owner) view returns (uint256)',
  'function cooldown()',
  'function slash(address destination, uint256 amount)',
])
const controllerAbi = parseAbi([
  'function addReward(address reward, uint256 emission)',
  'function claimAllRewards(address asset, address receiver)',
])

const rows: ProtocolRow[] = []
let bench: Awaited<ReturnType<typeof openProtocolBench>>
let plain: Address
let umbrella: Address
let controller: Address
const vault = seededRandom('further stakes vault').address()

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
  const { chain, client } = bench
  const { erc20 } = chain.actions
  plain = await chain.deploy(ownArtifact('PlainStake'), [uni, dai, vault, COOLDOWN, WINDOW])
  umbrella = await chain.deploy(ownArtifact('UmbrellaStake'), [usdc, vault, COOLDOWN, WINDOW])
  controller = await client.readContract({ address: umbrella, abi: umbrellaAbi, functionName: 'REWARDS_CONTROLLER' })
  for (const token of [dai, usdc, uni]) {
    await erc20.mint(token, vault, parseEther('1000000'))
    for (const spender of [plain, controller]) await erc20.allow(token, vault, spender)
  }
  await act(plain, plainAbi, vault, 'setEmission', [parseEther('0.003')])
  await act(controller, controllerAbi, vault, 'addReward', [uni, parseEther('0.001')])
  await act(controller, controllerAbi, vault, 'addReward', [usdc, 7n])
  const row = { family: 'cooldown_stakes', chain: 'ethereum' }
  rows.push(
    { ...row, key: 'plain', name: 'Plain', deployment: { shape: 'plain', stakes: [plain] } },
    { ...row, key: 'umbrella', name: 'Umbrella', deployment: { shape: 'umbrella', controller, stakes: [umbrella] } },
  )
  await bench.discover()
})
afterAll(() => bench?.stop())

const act = (address: Address, abi: Abi, from: Address, functionName: string, args: readonly unknown[] = []) =>
  bench.chain.write({ from, address, abi, functionName, args })

async function stake(wallet: Address, amount: bigint): Promise<void> {
  await bench.chain.actions.erc20.mint(uni, wallet, amount)
  await bench.chain.actions.erc20.allow(uni, wallet, plain)
  await act(plain, plainAbi, wallet, 'stake', [wallet, amount])
}

async function deposit(wallet: Address, amount: bigint): Promise<void> {
  await bench.chain.actions.erc20.mint(usdc, wallet, amount)
  await bench.chain.actions.erc20.allow(usdc, wallet, umbrella)
  await act(umbrella, umbrellaAbi, wallet, 'deposit', [amount, wallet])
}

/** Payout of a claim at the block, by a simulation on that block. The chain is unchanged. */
async function claimed(wallet: Address, to: Address, data: `0x${string}`, tokens: readonly Address[], at: bigint) {
  const balances = tokens.map((token) => ({
    to: token,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [wallet] }),
  }))
  const calls = [...balances, { to, data }, ...balances].map((call) => ({ ...call, account: wallet }))
  const [{ calls: told } = { calls: [] }] = await bench.client.simulateBlocks({ blocks: [{ calls }], blockNumber: at })
  const read = told.map(({ data: answer }) => (answer.length === 66 ? BigInt(answer) : 0n))
  return expectedAmounts(
    ...tokens.map((token, i) => [token, (read[tokens.length + 1 + i] ?? 0n) - (read[i] ?? 0n)] as const),
  )
}

const READY = { label: 'Cooldown, ready' }
type Cools = Pick<PositionDraft, 'label' | 'unlockAt'>

async function checkOne(wallet: Address, pool: Address, cools: Cools | undefined) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBeLessThanOrEqual(2)
  const [found] = positions
  expect(positions.length).toBeLessThanOrEqual(1)
  if (found) {
    expect(found).toMatchObject({ kind: 'staked', pool: evmAddress(pool), receipts: [evmAddress(pool)] })
    expect({ label: found.label, unlockAt: found.unlockAt }).toEqual({ unlockAt: undefined, label: 'Stake', ...cools })
  }
  return { block, supplied: amountsOf(found?.supplied ?? []), rewards: amountsOf(found?.rewards ?? []) }
}

async function checkPlain(wallet: Address, cools?: Cools): Promise<void> {
  const { block, supplied, rewards } = await checkOne(wallet, plain, cools)
  const shares = await bench.client.readContract({
    ...{ address: plain, abi: erc20Abi, functionName: 'balanceOf', args: [wallet], blockNumber: block },
  } as const)
  expect(supplied).toEqual(expectedAmounts([uni, shares]))
  const data = encodeFunctionData({ abi: plainAbi, functionName: 'claimRewards', args: [wallet, maxUint256] })
  expect(rewards).toEqual(await claimed(wallet, plain, data, [dai], block))
}

async function checkUmbrella(wallet: Address, cools?: Cools): Promise<void> {
  const { block, supplied, rewards } = await checkOne(wallet, umbrella, cools)
  const at = { address: umbrella, blockNumber: block } as const
  const shares = await bench.client.readContract({ ...at, abi: erc20Abi, functionName: 'balanceOf', args: [wallet] })
  const preview = { ...at, abi: umbrellaAbi, functionName: 'previewRedeem', args: [shares] } as const
  expect(supplied).toEqual(expectedAmounts([usdc, await bench.client.readContract(preview)]))
  const data = encodeFunctionData({ abi: controllerAbi, functionName: 'claimAllRewards', args: [umbrella, wallet] })
  expect(rewards).toEqual(await claimed(wallet, controller, data, [uni, usdc], block))
}

const now = async () => Number((await bench.client.getBlock()).timestamp)

async function mineAt(time: number): Promise<void> {
  await bench.client.setNextBlockTimestamp({ timestamp: BigInt(time) })
  await bench.client.mine({ blocks: 1 })
}

it('reads random stakes of the first version, cooling down, ready after the last second, and past the window', async () => {
  const random = seededRandom('plain stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await stake(wallet, random.amount(1n, parseEther('90000')))
    await bench.chain.travel(1 + random.index(DAY))
    await checkPlain(wallet)
    await act(plain, plainAbi, wallet, 'cooldown')
    const end = (await now()) + COOLDOWN
    await checkPlain(wallet, { label: 'Cooldown, pending', unlockAt: end + 1 })
    await mineAt(end)
    await checkPlain(wallet, { label: 'Cooldown, pending', unlockAt: end + 1 })
    await mineAt(end + 1)
    await checkPlain(wallet, READY)
    if (round === 1) {
      await mineAt(end + WINDOW)
      await checkPlain(wallet, READY)
      await mineAt(end + WINDOW + 1)
      await checkPlain(wallet)
      continue
    }
    await act(plain, plainAbi, wallet, 'redeem', [wallet, maxUint256])
    // No share is left: the probe finds the rewards.
    await checkPlain(wallet)
    await act(plain, plainAbi, wallet, 'claimRewards', [wallet, maxUint256])
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('reads random stakes of Umbrella that are slashed, cool down and leave rewards of two tokens', async () => {
  const random = seededRandom('umbrella stakes')
  for (let round = 0; round < 3; round += 1) {
    const wallet = random.address()
    await deposit(wallet, random.amount(10n ** 6n, parseUnits('90000', 6)))
    await bench.chain.travel(1 + random.index(DAY))
    await checkUmbrella(wallet)
    await act(umbrella, umbrellaAbi, vault, 'slash', [vault, random.amount(1n, 10n ** 5n)])
    await checkUmbrella(wallet)
    await act(umbrella, umbrellaAbi, wallet, 'cooldown')
    const end = (await now()) + COOLDOWN
    await checkUmbrella(wallet, { label: 'Cooldown, pending', unlockAt: end })
    await mineAt(end)
    await checkUmbrella(wallet, READY)
    const most = { address: umbrella, abi: umbrellaAbi, functionName: 'maxRedeem', args: [wallet] } as const
    if (round === 1) {
      await mineAt(end + WINDOW)
      await checkUmbrella(wallet, READY)
      await mineAt(end + WINDOW + 1)
      await checkUmbrella(wallet)
      continue
    }
    const shares = await bench.client.readContract(most)
    await act(umbrella, umbrellaAbi, wallet, 'redeem', [shares, wallet, wallet])
    await checkUmbrella(wallet)
    await act(controller, controllerAbi, wallet, 'claimAllRewards', [umbrella, wallet])
    expect((await bench.read(wallet)).positions).toEqual([])
  }
})

it('asks a wallet that has nothing there in the first batch alone', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(1)
})
