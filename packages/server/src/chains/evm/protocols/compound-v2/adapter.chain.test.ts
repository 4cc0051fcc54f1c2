import { addresses } from '@coffer/devnet'
import { type Address, encodeFunctionData, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { amountsOf, expectedAmounts, openProtocolBench, throwLeftOut } from '../../../../../test/protocol-bench.ts'
import { seededRandom } from '../../../../../test/random.ts'
import { NATIVE } from '../../../../domain/evm-address.ts'
import { protocolRows } from '../protocols.ts'

const { tokens, compoundV2 } = addresses.ethereum
const { comptroller, markets, oracle } = compoundV2
const UNDERLYING: readonly (readonly [Address, Address])[] = [
  [markets.ceth, NATIVE],
  [markets.cusdc, tokens.usdc],
  [markets.cdai, tokens.dai],
  [markets.cwbtc, tokens.wbtc],
]
/** Declared as views for static calls; they change state on chain. */
const marketAbi = parseAbi([
  'function balanceOfUnderlying(address owner) view returns (uint256)',
  'function borrowBalanceCurrent(address account) view returns (uint256)',
  'function balanceOf(address owner) view returns (uint256)',
])
const comptrollerAbi = parseAbi([
  'function markets(address market) view returns (bool isListed, uint256 collateralFactor)',
  'function getAssetsIn(address account) view returns (address[])',
])
const oracleAbi = parseAbi(['function getUnderlyingPrice(address market) view returns (uint256)'])

const multicallAbi = parseAbi([
  'function aggregate3((address target, bool allowFailure, bytes callData)[] calls) view returns ((bool success, bytes returnData)[])',
])
const claimAbi = parseAbi([
  'function claimVenus(address holder, address[] markets)',
  'function getXVSAddress() view returns (address)',
])
/** Venus's deployment with the local comptroller. */
const venusKey = 'venus'

let bench: Awaited<ReturnType<typeof openProtocolBench>>

beforeAll(async () => {
  const rows = protocolRows.filter(({ key, chain }) => key === 'compound_v2' && chain === 'ethereum')
  const venus = protocolRows.filter(({ key, chain }) => key === venusKey && chain === 'binance')
  const moved = venus.map((row) => ({
    ...row,
    chain: 'ethereum',
    deployment: { ...row.deployment, comptroller: comptroller.toLowerCase() },
  }))
  bench = await openProtocolBench(inject('devnetState'), [...rows, ...moved])
})
afterAll(() => bench?.stop())

/** By the markets' own answers. Collateral ÷ debt by factors and prices. */
async function expectation(wallet: Address, blockNumber: bigint) {
  const read = { args: [wallet], abi: marketAbi, blockNumber } as const
  const entered = await bench.client.readContract({
    address: comptroller,
    abi: comptrollerAbi,
    functionName: 'getAssetsIn',
    args: [wallet],
    blockNumber,
  })
  let collateral = 0n
  let debt = 0n
  const accounts = await Promise.all(
    UNDERLYING.map(async ([market, token]) => {
      const [supplied, borrowed, price, [, factor]] = await Promise.all([
        bench.client.readContract({ ...read, address: market, functionName: 'balanceOfUnderlying' }),
        bench.client.readContract({ ...read, address: market, functionName: 'borrowBalanceCurrent' }),
        bench.client.readContract({
          address: oracle,
          abi: oracleAbi,
          functionName: 'getUnderlyingPrice',
          args: [market],
          blockNumber,
        }),
        bench.client.readContract({
          address: comptroller,
          abi: comptrollerAbi,
          functionName: 'markets',
          args: [market],
          blockNumber,
        }),
      ])
      if (entered.includes(market)) collateral += (supplied * price * factor) / 10n ** 36n
      debt += (borrowed * price) / 10n ** 18n
      return { token, supplied, borrowed }
    }),
  )
  return {
    supplied: expectedAmounts(...accounts.map(({ token, supplied }) => [token, supplied] as const)),
    borrowed: expectedAmounts(...accounts.map(({ token, borrowed }) => [token, borrowed] as const)),
    health: debt > 0n ? Number((collateral * 10n ** 12n) / debt) / 1e12 : undefined,
  }
}

async function check(wallet: Address) {
  const { positions, block, batches } = await bench.read(wallet)
  expect(batches).toBe(2)
  const position = positions.find(({ protocol }) => protocol === 'compound_v2')
  const expected = await expectation(wallet, block)
  expect(amountsOf(position?.supplied ?? [])).toEqual(expected.supplied)
  expect(amountsOf(position?.borrowed ?? [])).toEqual(expected.borrowed)
  if (expected.health === undefined) expect(position?.healthFactorRaw).toBeUndefined()
  // The comptroller multiplies and truncates in another order: the ratio differs in its last digits.
  else expect(Number(position?.healthFactorRaw) / 1e18 / expected.health).toBeCloseTo(1, 8)
  return { position, expected }
}

it('reads supplies, a debt and the health of the account, the market of the native coin among them', async () => {
  const { position, expected } = await check(bench.devnet.wallets.demo.address)
  expect(Object.keys(expected.supplied)).toEqual(expect.arrayContaining([NATIVE, tokens.usdc.toLowerCase()]))
  expect(Object.keys(expected.borrowed)).toEqual([tokens.dai.toLowerCase()])
  expect(position).toMatchObject({ kind: 'lending', protocol: 'compound_v2', pool: comptroller.toLowerCase() })
  expect(position?.receipts.toSorted()).toEqual([markets.ceth, markets.cusdc].map((m) => m.toLowerCase()).toSorted())
})

it('reads random states, interest accrued to the block', async () => {
  const random = seededRandom('compound_v2')
  const { erc20, native, compoundV2: compound } = bench.chain.actions
  for (let round = 0; round < 4; round += 1) {
    const wallet = random.address()
    await native.give(wallet, parseEther('100'))
    await compound.mint(wallet, markets.ceth, random.amount(parseEther('1'), parseEther('50')))
    await compound.enter(wallet, [markets.ceth])
    const supplied = random.amount(10n ** 3n, round === 0 ? 10n ** 30n : parseUnits('1000000', 6))
    await erc20.mint(tokens.usdc, wallet, supplied)
    await compound.mint(wallet, markets.cusdc, supplied)
    if (round > 0) await compound.borrow(wallet, markets.cdai, random.amount(1n, parseEther('500')))
    await bench.client.mine({ blocks: 1 + random.index(100) })
    await check(wallet)
  }
})

it('reads one unit of a market token and 10^30 of an underlying', async () => {
  const random = seededRandom('compound_v2 limits')
  const { erc20, compoundV2: compound } = bench.chain.actions
  const [small, large] = [random.address(), random.address()]
  await erc20.transfer(markets.cusdc, bench.devnet.wallets.demo.address, small, 1n)
  await erc20.mint(tokens.dai, large, 10n ** 30n)
  await compound.mint(large, markets.cdai, 10n ** 30n)
  await bench.client.mine({ blocks: 100 })
  await check(small)
  const { expected } = await check(large)
  expect(expected.supplied[tokens.dai.toLowerCase()]).toBeGreaterThan(10n ** 30n - 10n ** 24n)
})

it('finds a debt that no token in the wallet shows', async () => {
  const random = seededRandom('compound_v2 debtor')
  const { native, compoundV2: compound } = bench.chain.actions
  const debtor = random.address()
  await native.give(debtor, parseEther('20'))
  await compound.mint(debtor, markets.ceth, parseEther('10'))
  await compound.enter(debtor, [markets.ceth])
  await compound.borrow(debtor, markets.cdai, parseEther('1000'))
  // As if a liquidator had taken all collateral: the adapter receives no market token.
  const reader = bench.openReader()
  const [known] = await bench.discover()
  const positions = await known?.deployment.positions(reader, debtor as `0x${string}`, {
    ...{ held: [], protocolContracts: known.protocolContracts, keys: [], leftOut: throwLeftOut },
  })
  const { number } = await reader.header()
  const expected = await expectation(debtor, number)
  expect(amountsOf(positions?.[0]?.borrowed ?? [])).toEqual(expected.borrowed)
  expect(Object.keys(expected.borrowed)).toEqual([tokens.dai.toLowerCase()])
})

it('reads the rewards that a claim would pay at the block', async () => {
  const random = seededRandom('venus rewards')
  const { native, compoundV2: compound } = bench.chain.actions
  const token = await bench.client.readContract({ address: comptroller, abi: claimAbi, functionName: 'getXVSAddress' })
  const wallets: Address[] = [bench.devnet.wallets.demo.address]
  for (let count = 0; count < 3; count += 1) {
    const wallet = random.address()
    await native.give(wallet, parseEther('60'))
    await compound.mint(wallet, markets.ceth, random.amount(parseEther('1'), parseEther('50')))
    await compound.enter(wallet, [markets.ceth])
    await compound.borrow(wallet, markets.cdai, random.amount(1n, parseEther('500')))
    await bench.client.mine({ blocks: 1 + random.index(50) })
    wallets.push(wallet)
  }
  for (const wallet of wallets) {
    const { positions, block } = await bench.read(wallet)
    const venus = positions.find(({ protocol }) => protocol === venusKey)
    const all = UNDERLYING.map(([market]) => market)
    const claim = encodeFunctionData({ abi: claimAbi, functionName: 'claimVenus', args: [wallet, all] })
    const balance = encodeFunctionData({ abi: marketAbi, functionName: 'balanceOf', args: [wallet] })
    const steps = [
      { target: token, allowFailure: false, callData: balance },
      { target: comptroller, allowFailure: false, callData: claim },
      { target: token, allowFailure: false, callData: balance },
    ]
    const multicall = { address: addresses.ethereum.multicall3, abi: multicallAbi, functionName: 'aggregate3' } as const
    const answers = await bench.client.readContract({ ...multicall, args: [steps], blockNumber: block })
    const [before, , after] = answers.map(({ returnData }) => BigInt(returnData === '0x' ? 0 : returnData))
    const paid = (after ?? 0n) - (before ?? 0n)
    expect(paid).toBeGreaterThan(0n)
    expect(amountsOf(venus?.rewards ?? [])).toEqual(expectedAmounts([token, paid]))
  }
})

it('takes a market token apart at the rate of the block', async () => {
  const [known] = await bench.discover()
  const market = known?.protocolContracts.find(({ address }) => address === markets.cusdc.toLowerCase())
  if (!known || !market) throw new Error('cUSDC is not listed')
  const wallet = bench.devnet.wallets.demo.address
  const reader = bench.openReader()
  const { number: blockNumber } = await reader.header()
  const at = { address: markets.cusdc, abi: marketAbi, args: [wallet], blockNumber } as const
  const balance = await bench.client.readContract({ ...at, functionName: 'balanceOf' })
  const amounts = await known.deployment.decompose(reader, { protocolContract: market, amountRaw: balance })
  expect(amounts).toEqual([
    {
      token: tokens.usdc.toLowerCase(),
      amountRaw: await bench.client.readContract({ ...at, functionName: 'balanceOfUnderlying' }),
    },
  ])
})

it('says nothing of a wallet that never was there', async () => {
  const { positions, batches } = await bench.read(bench.devnet.wallets.empty.address)
  expect(positions).toEqual([])
  expect(batches).toBe(2)
})
