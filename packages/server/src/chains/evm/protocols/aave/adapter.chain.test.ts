import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsOf, expectedAmounts, protocolBench, sidesOf } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, aaveV3, aaveV2 } = addresses.ethereum
const LARGEST = 10n ** 30n
const abi = parseAbi([
  'function getUserReserveData(address asset, address user) view returns (uint256 currentATokenBalance, uint256 currentStableDebt, uint256 currentVariableDebt, uint256 principalStableDebt, uint256 scaledVariableDebt, uint256 stableBorrowRate, uint256 liquidityRate, uint40 stableRateLastUpdated, bool usageAsCollateralEnabled)',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
  'function getAllReservesTokens() view returns ((string symbol, address tokenAddress)[])',
  'function getUserAccountData(address user) view returns (uint256, uint256 debt, uint256, uint256, uint256, uint256 healthFactor)',
  'function getAllUserRewards(address[] assets, address user) view returns (address[] rewards, uint256[] amounts)',
])

const rows = protocolRows.filter(
  ({ key, chain }) => key.startsWith('aave_v') && !key.endsWith('stata') && chain === 'ethereum',
)
const bench = await protocolBench(rows)
const { chain } = bench
const { erc20 } = chain.actions
const at = (contract: Address, block: bigint) => contractOf(chain, contract, abi).at(block)

const MARKETS = [
  ['aave_v3', 'aaveV3', aaveV3],
  ['aave_v2', 'aaveV2', aaveV2],
] as const

async function reservesOf(provider: Address, block: bigint) {
  const all = await at(provider, block).read<{ tokenAddress: Address }[]>('getAllReservesTokens')
  return all.map(({ tokenAddress }) => tokenAddress)
}

describe.each(MARKETS)('%s', (protocol, actions, { dataProvider, pool }) => {
  const market = chain.actions[actions]

  /** By the protocol's own views at the block. */
  const expectation = async (wallet: Address, block: bigint) => {
    const reserves = await reservesOf(dataProvider, block)
    const { read } = at(dataProvider, block)
    const data = await Promise.all(reserves.map((asset) => read<bigint[]>('getUserReserveData', asset, wallet)))
    const [, debt = 0n, , , , healthFactor] = await at(pool, block).read<bigint[]>('getUserAccountData', wallet)
    return {
      supplied: expectedAmounts(...reserves.map((asset, i) => [asset, data[i]?.[0] ?? 0n] as const)),
      borrowed: expectedAmounts(
        ...reserves.map((asset, i) => [asset, (data[i]?.[1] ?? 0n) + (data[i]?.[2] ?? 0n)] as const),
      ),
      healthFactor: debt > 0n ? healthFactor : undefined,
    }
  }

  const check = async (wallet: Address) => {
    const { positions, block, batches } = await bench.read(wallet)
    expect(batches).toBe(2)
    const found = positions.filter((position) => position.protocol === protocol)
    expect(found.length).toBe(1)
    const [position] = found
    const expected = await expectation(wallet, block)
    expect({ ...sidesOf(position), healthFactor: position?.healthFactorRaw }).toEqual(expected)
    expect(position).toMatchObject({ kind: 'lending', label: 'Core', chain: 'ethereum', pool: pool.toLowerCase() })
    return { position, expected }
  }

  it('reads the wallet that supplies and borrows', async () => {
    const { position, expected } = await check(bench.devnet.wallets.demo.address)
    expect(Object.keys(expected.borrowed).length).toBeGreaterThan(0)
    expect(position?.healthFactorRaw).toBeGreaterThan(10n ** 18n)
  })

  it('reads random wallets, from one unit to 10^30', async () => {
    const random = seededRandom(protocol)
    const mintable = protocol === 'aave_v3' ? [tokens.usdc, tokens.dai, tokens.wbtc] : [tokens.usdc, tokens.dai]
    for (const largest of [1n, LARGEST, 10n ** 12n, 10n ** 20n]) {
      const wallet = random.address()
      for (const token of mintable.slice(0, 1 + random.index(mintable.length))) {
        const amount = largest === LARGEST ? LARGEST : random.amount(1n, largest)
        await erc20.mint(token, wallet, amount)
        await market.supply(wallet, token, amount)
      }
      await chain.travel(1 + random.index(86_400 * 30))
      await check(wallet)
    }
  })

  it('reads random debts, with the health factor of the pool', async () => {
    const random = seededRandom(`${protocol} debts`)
    for (let round = 0; round < 3; round += 1) {
      const wallet = random.address()
      await erc20.mint(tokens.weth, wallet, parseUnits('20', 18))
      await market.supply(wallet, tokens.weth, parseUnits('20', 18))
      const borrowed = random.pick([tokens.usdc, tokens.usdt])
      await market.borrow(wallet, borrowed, random.amount(1n, parseUnits('5000', 6)))
      await chain.travel(1 + random.index(86_400 * 30))
      const { expected } = await check(wallet)
      expect(Object.keys(expected.borrowed)).toEqual([borrowed.toLowerCase()])
    }
  })

  it('finds nothing where nothing is, for no second answer', async () => {
    expect((await bench.read(bench.devnet.wallets.empty.address)).positions).toEqual([])
  })
})

describe('rewards of aave_v3', () => {
  const rewardsOf = async (wallet: Address, block: bigint) => {
    const { read } = at(aaveV3.dataProvider, block)
    const reserves = await reservesOf(aaveV3.dataProvider, block)
    const all = await Promise.all(reserves.map((asset) => read<Address[]>('getReserveTokensAddresses', asset)))
    const assets = all.flatMap(([supply, , debt]) => [supply, debt])
    const { read: owed } = at(aaveV3.rewards, block)
    const [list, amounts] = await owed<[Address[], bigint[]]>('getAllUserRewards', assets, wallet)
    return expectedAmounts(...list.map((token, i) => [token, amounts[i] ?? 0n] as const))
  }

  it('are what the controller owes over all assets, also after a complete withdrawal', async () => {
    const wallet = bench.devnet.wallets.demo.address
    const before = await bench.read(wallet)
    const position = before.positions.find(({ protocol }) => protocol === 'aave_v3')
    const expected = await rewardsOf(wallet, before.block)
    expect(Object.keys(expected).length).toBeGreaterThan(0)
    expect(amountsOf(position?.rewards)).toEqual(expected)

    const leaver = seededRandom('leaver').address()
    const { aaveV3: market } = chain.actions
    for (const token of [tokens.usdc, tokens.weth]) {
      await erc20.mint(token, leaver, 10n ** 12n)
      await market.supply(leaver, token, 10n ** 12n)
    }
    await chain.travel(86_400)
    for (const token of [tokens.usdc, tokens.weth]) await market.withdraw(leaver, token, 2n ** 256n - 1n)
    const after = await bench.read(leaver)
    const owed = await rewardsOf(leaver, after.block)
    expect(Object.keys(owed).length).toBeGreaterThan(0)
    expect(after.positions.map(({ protocol, rewards }) => [protocol, amountsOf(rewards)])).toEqual([['aave_v3', owed]])
  })
})
