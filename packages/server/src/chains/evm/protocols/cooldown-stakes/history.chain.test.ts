import { addresses, ownArtifact } from '@coffer/devnet'
import { type Abi, type Address, formatEther, formatUnits, maxUint256, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { bookedCosts } from '../../../../../test/booked-costs.ts'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { namedHistory } from '../../../../../test/named-history.ts'

const { usdc, uni, dai } = addresses.ethereum.tokens
const vault: Address = '0x57a6e00000000000000000000000000000000001'
const stakeAbi = parseAbi([
  'function stake(address to, uint256 amount)',
  'function cooldown()',
  'function redeem(address to, uint256 amount)',
  'function claimRewards(address to, uint256 amount)',
  'function setEmission(uint256 perSecond)',
])
const umbrellaAbi = parseAbi([
  'function REWARDS_CONTROLLER() view returns (address)',
  'function deposit(uint256 assets, address receiver)',
  'function redeem(uint256 shares, address receiver, address owner)',
  'function maxRedeem(address owner) view returns (uint256)',
  'function cooldown()',
])
const controllerAbi = parseAbi([
  'function addReward(address reward, uint256 emission)',
  'function claimAllRewards(address asset, address receiver)',
])

let bench: HistoryBench
let plain: Address
let umbrella: Address
let controller: Address

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    plain = await chain.deploy(ownArtifact('PlainStake'), [uni, dai, vault, 600, 600])
    umbrella = await chain.deploy(ownArtifact('UmbrellaStake'), [usdc, vault, 600, 600])
    const read = { address: umbrella, abi: umbrellaAbi, functionName: 'REWARDS_CONTROLLER' } as const
    controller = await chain.client.readContract(read)
    for (const token of [dai, usdc, uni]) {
      await chain.actions.erc20.mint(token, vault, parseEther('1000000'))
      for (const spender of [plain, controller]) await chain.actions.erc20.allow(token, vault, spender)
    }
    const admin = { from: vault, address: controller, abi: controllerAbi, functionName: 'addReward' } as const
    await chain.write({ ...admin, args: [uni, parseEther('0.001')] })
    await chain.write({ ...admin, args: [usdc, 7n] })
    const emission = [parseEther('0.003')] as const
    await chain.write({ from: vault, address: plain, abi: stakeAbi, functionName: 'setEmission', args: emission })
    const row = { family: 'cooldown_stakes', chain: 'ethereum' }
    const rows = [
      { ...row, key: 'plain', name: 'Plain', deployment: { shape: 'plain', stakes: [plain] } },
      { ...row, key: 'umbrella', name: 'Umbrella', deployment: { shape: 'umbrella', controller, stakes: [umbrella] } },
    ]
    return { rows }
  })
})
afterAll(() => bench?.stop())

const { summary } = namedHistory(() => ({ plain, umbrella, usdc, uni, dai }))

const act = (address: Address, abi: Abi, from: Address, functionName: string, args: readonly unknown[] = []) =>
  bench.chain.write({ from, address, abi, functionName, args })

async function fund(wallet: Address, token: Address, spender: Address): Promise<void> {
  await bench.chain.actions.erc20.mint(token, wallet, parseUnits('500', 6))
  await bench.chain.actions.erc20.allow(token, wallet, spender)
}

it('a stake of the first version cools down, is redeemed, and pays its rewards', async () => {
  const wallet: Address = '0x57a6e00000000000000000000000000000000002'
  await fund(wallet, uni, plain)
  const found = await bench.played(wallet, async () => {
    await act(plain, stakeAbi, wallet, 'stake', [wallet, parseUnits('500', 6)])
    await act(plain, stakeAbi, wallet, 'cooldown')
    await bench.chain.travel(601)
    await act(plain, stakeAbi, wallet, 'claimRewards', [wallet, 1_000n])
    await act(plain, stakeAbi, wallet, 'redeem', [wallet, maxUint256])
    await act(plain, stakeAbi, wallet, 'claimRewards', [wallet, maxUint256])
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'plain', 'move +plain', 'move -uni'],
    ['INTERACTION', 'plain'],
    ['CLAIM', 'plain', 'income +dai'],
    ['UNSTAKE', 'plain', 'move +uni', 'move -plain'],
    ['CLAIM', 'plain', 'income +dai'],
  ])
  const ofDai = await bench.chain.actions.erc20.balanceOf(dai, wallet)
  const quotes = {
    uni: { address: uni, decimals: 6, price: '7', had: '500', paid: '4' },
    dai: { address: dai, price: '2' },
  }
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: { uni: '500 at 2000', dai: `${formatEther(ofDai)} at ${formatEther(2n * ofDai)}` },
    ...{ basis: formatEther(parseEther('2000') + 2n * ofDai), income: formatEther(2n * ofDai) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})

it('a stake of Umbrella cools down, is redeemed, and its controller pays rewards, also in what was staked', async () => {
  const wallet: Address = '0x57a6e00000000000000000000000000000000003'
  await fund(wallet, usdc, umbrella)
  const found = await bench.played(wallet, async () => {
    await act(umbrella, umbrellaAbi, wallet, 'deposit', [parseUnits('500', 6), wallet])
    await act(umbrella, umbrellaAbi, wallet, 'cooldown')
    await bench.chain.travel(601)
    await act(controller, controllerAbi, wallet, 'claimAllRewards', [umbrella, wallet])
    const most = { address: umbrella, abi: umbrellaAbi, functionName: 'maxRedeem', args: [wallet] } as const
    const shares = await bench.client.readContract(most)
    await act(umbrella, umbrellaAbi, wallet, 'redeem', [shares, wallet, wallet])
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'umbrella', 'move +umbrella', 'move -usdc'],
    ['INTERACTION', 'umbrella'],
    ['CLAIM', 'umbrella', 'income +uni', 'income +usdc'],
    ['UNSTAKE', 'umbrella', 'move +usdc', 'move -umbrella'],
  ])
  const { balanceOf } = bench.chain.actions.erc20
  const [ofUni, ofUsdc] = [await balanceOf(uni, wallet), await balanceOf(usdc, wallet)]
  const earned = ofUsdc - parseUnits('500', 6)
  const quotes = {
    usdc: { address: usdc, decimals: 6, price: '2', had: '500', paid: '1' },
    uni: { address: uni, price: '7' },
  }
  const income = 7n * ofUni + 2n * earned * 10n ** 12n
  expect(bookedCosts(bench.book, wallet, quotes, found)).toEqual({
    held: {
      usdc: `${formatUnits(ofUsdc, 6)} at ${formatUnits(parseUnits('500', 6) + 2n * earned, 6)}`,
      uni: `${formatEther(ofUni)} at ${formatEther(7n * ofUni)}`,
    },
    ...{ basis: formatEther(parseEther('500') + income), income: formatEther(income) },
    ...{ realised: '0', disposals: 0, flagged: [] },
  })
})
