import { addresses } from '@coffer/devnet'
import { type Address, parseAbi, parseUnits } from 'viem'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, aaveV3, aaveV2 } = addresses.ethereum
const LARGEST = 10n ** 30n
const dataProviderAbi = parseAbi([
  'function getUserReserveData(address asset, address user) view returns (uint256 currentATokenBalance, uint256 currentStableDebt, uint256 currentVariableDebt, uint256 principalStableDebt, uint256 scaledVariableDebt, uint256 stableBorrowRate, uint256 liquidityRate, uint40 stableRateLastUpdated, bool usageAsCollateralEnabled)',
  'function getReserveTokensAddresses(address asset) view returns (address aToken, address stableDebt, address variableDebt)',
  'function getAllReservesTokens() view returns ((string symbol, address tokenAddress)[])',
])
const poolAbi = parseAbi([
  'function getUserAccountData(address user) view returns (uint256, uint256 debt, uint256, uint256, uint256, uint256 healthFactor)',
])
const rewardsAbi = parseAbi([
  'function getAllUserRewards(address[] assets, address user) view returns (address[] rewards, uint256[] amounts)',
])

let bench: Awaited<ReturnType<typeof openProtocolBench>>
const rows = protocolRows.filter(
  ({ key, chain }) => key.startsWith('aave_v') && !key.endsWith('stata') && chain === 'ethereum',
)

beforeAll(async () => {
  bench = await openProtocolBench(inject('devnetState'), rows)
})
afterAll(() => bench?.stop())

const MARKETS = [
  ['aave_v3', 'aaveV3', aaveV3],
  ['aave_v2', 'aaveV2', aaveV2],
] as const

describe.each(MARKETS)('%s', (protocol, actions, at) => {
  const reservesOf = async (blockNumber: bigint) => {
    const provider = { address: at.dataProvider, abi: dataProviderAbi, blockNumber } as const
    const reserves = await bench.client.readContract({ ...provider, functionName: 'getAllReservesTokens' })
    return reserves.map(({ tokenAddress }) => tokenAddress)
  }

  /** By the protocol's own views at the block. */
  const expectation = async (wallet: Address, blockNumber: bigint) => {
    const reserves = await reservesOf(blockNumber)
    const data = await Promise.all(
      reserves.map((asset) =>
        bench.client.readContract({
          address: at.dataProvider,
          abi: dataProviderAbi,
          functionName: 'getUserReserveData',
          args: [asset, wallet],
          blockNumber,
        }),
      ),
    )
    const account = { address: at.pool, abi: poolAbi, functionName: 'getUserAccountData', args: [wallet] } as const
    const [, debt, , , , healthFactor] = await bench.client.readContract({ ...account, blockNumber })
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
    expect(amountsOf(position?.supplied ?? [])).toEqual(expected.supplied)
    expect(amountsOf(position?.borrowed ?? [])).toEqual(expected.borrowed)
    expect(position?.healthFactorRaw).toBe(expected.healthFactor)
    expect(position).toMatchObject({ kind: 'lending', label: 'Core', chain: 'ethereum', pool: at.pool.toLowerCase() })
    return { position, expected }
  }

  it('reads the wallet that supplies and borrows', async () => {
    const { position, expected } = await check(bench.devnet.wallets.demo.address)
    expect(Object.keys(expected.borrowed).length).toBeGreaterThan(0)
    expect(position?.healthFactorRaw).toBeGreaterThan(10n ** 18n)
  })

  it('reads random wallets, from one unit to 10^30', async () => {
    const random = seededRandom(protocol)
    const { chain } = bench
    const mintable = protocol === 'aave_v3' ? [tokens.usdc, tokens.dai, tokens.wbtc] : [tokens.usdc, tokens.dai]
    for (const largest of [1n, LARGEST, 10n ** 12n, 10n ** 20n]) {
      const wallet = random.address()
      for (const token of mintable.slice(0, 1 + random.index(mintable.length))) {
        const amount = largest === LARGEST ? LARGEST : random.amount(1n, largest)
        await chain.actions.erc20.mint(token, wallet, amount)
        await chain.actions[actions].supply(wallet, token, amount)
      }
      await chain.travel(1 + random.index(86_400 * 30))
      await check(wallet)
    }
  })

  it('reads random debts, with the health factor of the pool', async () => {
    const random = seededRandom(`${protocol} debts`)
    const { chain } = bench
    for (let round = 0; round < 3; round += 1) {
      const wallet = random.address()
      await chain.actions.erc20.mint(tokens.weth, wallet, parseUnits('20', 18))
      await chain.actions[actions].supply(wallet, tokens.weth, parseUnits('20', 18))
      const borrowed = random.pick([tokens.usdc, tokens.usdt])
      await chain.actions[actions].borrow(wallet, borrowed, random.amount(1n, parseUnits('5000', 6)))
      await chain.travel(1 + random.index(86_400 * 30))
      const { expected } = await check(wallet)
      expect(Object.keys(expected.borrowed)).toEqual([borrowed.toLowerCase()])
    }
  })

  it('finds nothing where nothing is, for no second answer', async () => {
    const { positions } = await bench.read(bench.devnet.wallets.empty.address)
    expect(positions).toEqual([])
  })
})

describe('rewards of aave_v3', () => {
  const rewardsOf = async (wallet: Address, blockNumber: bigint) => {
    const provider = { address: aaveV3.dataProvider, abi: dataProviderAbi, blockNumber } as const
    const reserves = await bench.client.readContract({ ...provider, functionName: 'getAllReservesTokens' })
    const all = await Promise.all(
      reserves.map(({ tokenAddress }) =>
        bench.client.readContract({ ...provider, functionName: 'getReserveTokensAddresses', args: [tokenAddress] }),
      ),
    )
    const assets = all.flatMap(([supply, , debt]) => [supply, debt])
    const controller = { address: aaveV3.rewards, abi: rewardsAbi, functionName: 'getAllUserRewards' } as const
    const [list, amounts] = await bench.client.readContract({ ...controller, args: [assets, wallet], blockNumber })
    return expectedAmounts(...list.map((token, i) => [token, amounts[i] ?? 0n] as const))
  }

  it('are what the controller owes over all assets, also after a complete withdrawal', async () => {
    const wallet = bench.devnet.wallets.demo.address
    const before = await bench.read(wallet)
    const position = before.positions.find(({ protocol }) => protocol === 'aave_v3')
    const expected = await rewardsOf(wallet, before.block)
    expect(Object.keys(expected).length).toBeGreaterThan(0)
    expect(amountsOf(position?.rewards ?? [])).toEqual(expected)

    const leaver = seededRandom('leaver').address()
    const { erc20, aaveV3: market } = bench.chain.actions
    for (const token of [tokens.usdc, tokens.weth]) {
      await erc20.mint(token, leaver, 10n ** 12n)
      await market.supply(leaver, token, 10n ** 12n)
    }
    await bench.chain.travel(86_400)
    for (const token of [tokens.usdc, tokens.weth]) await market.withdraw(leaver, token, 2n ** 256n - 1n)
    const after = await bench.read(leaver)
    const owed = await rewardsOf(leaver, after.block)
    expect(Object.keys(owed).length).toBeGreaterThan(0)
    expect(after.positions.map(({ protocol, rewards }) => [protocol, amountsOf(rewards)])).toEqual([['aave_v3', owed]])
  })
})
