import { addresses } from '@coffer/devnet'
import { type Address, maxUint256, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../test/history-bench.ts'
import { type Random, seededRandom } from '../../../test/random.ts'

const ACTIONS = 150
const at = addresses.ethereum
const { weth, usdc, dai } = at.tokens
const { ceth, cusdc, cdai } = at.compoundV2.markets
const managerAbi = parseAbi([
  'function positions(uint256 id) view returns (uint96, address, address, address, uint24, int24, int24, uint128 liquidity, uint256, uint256, uint128, uint128)',
])

let bench: HistoryBench
beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'))
})
afterAll(() => bench?.stop())

type Play = (wallet: Address, random: Random) => Promise<unknown>

/** Everything a wallet can do; what its means do not allow is refused by the contract, and is no action. */
function playsOf(wallets: readonly Address[], positions: Map<Address, bigint[]>): Play[] {
  const { erc20, aaveV3, aaveV2, compoundV2, vault, lido, uniswapV2, uniswapV3, native } = bench.chain.actions
  const someWeth = (random: Random) => random.amount(1n, parseEther('2'))
  const someUsdc = (random: Random) => random.amount(1n, parseUnits('2000', 6))
  const other = (wallet: Address, random: Random) => random.pick(wallets.filter((one) => one !== wallet))
  const held = [
    weth,
    usdc,
    dai,
    ceth,
    cusdc,
    cdai,
    at.local.vault,
    at.lido.steth,
    at.lido.wsteth,
    at.uniswapV2.pairs.usdcWeth,
  ]
  const pick = async (wallet: Address, random: Random, use: (id: bigint) => Promise<unknown>) => {
    const ids = positions.get(wallet) ?? []
    if (ids.length > 0) await use(random.pick(ids))
  }
  const liquidityOf = async (id: bigint) => {
    const call = { address: at.uniswapV3.manager, abi: managerAbi, functionName: 'positions', args: [id] } as const
    return (await bench.client.readContract(call))[7]
  }
  const lending = [aaveV3, aaveV2].flatMap((market): Play[] => [
    (wallet, random) => market.supply(wallet, weth, someWeth(random)),
    (wallet, random) => market.supply(wallet, usdc, someUsdc(random)),
    (wallet, random) => market.borrow(wallet, usdc, someUsdc(random)),
    (wallet, random) => market.borrow(wallet, dai, random.amount(1n, parseEther('500'))),
    (wallet, random) => market.repay(wallet, random.pick([usdc, dai]), random.pick([maxUint256, 1_000n])),
    (wallet, random) => market.withdraw(wallet, random.pick([weth, usdc]), random.pick([maxUint256, 7n, 10n ** 6n])),
  ])
  return [
    ...lending,
    async (wallet, random) => {
      const token = random.pick(held)
      const balance = await erc20.balanceOf(token, wallet)
      return erc20.transfer(token, wallet, other(wallet, random), random.amount(0n, balance))
    },
    (wallet, random) => native.send(wallet, other(wallet, random), random.amount(1n, parseEther('0.1'))),
    (wallet, random) => compoundV2.mint(wallet, ceth, random.amount(1n, parseEther('1'))),
    (wallet, random) => compoundV2.mint(wallet, cusdc, someUsdc(random)),
    (wallet, random) => compoundV2.borrow(wallet, random.pick([cdai, ceth]), random.amount(1n, parseEther('0.3'))),
    (wallet, random) => compoundV2.repay(wallet, random.pick([cdai, ceth]), random.amount(1n, parseEther('0.1'))),
    (wallet, random) => compoundV2.redeem(wallet, random.pick([ceth, cusdc]), random.amount(1n, 10n ** 9n)),
    (wallet, random) => vault.deposit(wallet, someUsdc(random)),
    async (wallet, random) => vault.redeem(wallet, random.amount(1n, await erc20.balanceOf(at.local.vault, wallet))),
    () => vault.earn(parseUnits('5', 6)),
    (wallet, random) => lido.wrap(wallet, random.amount(1n, parseEther('1'))),
    (wallet, random) => lido.unwrap(wallet, random.amount(1n, parseEther('1'))),
    (wallet, random) => lido.transferShares(wallet, other(wallet, random), random.amount(1n, parseEther('0.1'))),
    (_, random) => lido.rebase(random.amount(1n, parseEther('3'))),
    (wallet, random) =>
      uniswapV2.add(wallet, { token: weth, amount: someWeth(random) }, { token: usdc, amount: someUsdc(random) }),
    (wallet) => uniswapV2.remove(wallet, weth, usdc),
    (wallet, random) => uniswapV2.swap(wallet, { token: usdc, amount: someUsdc(random) }, weth),
    (wallet, random) => uniswapV3.swap(wallet, { token: weth, amount: someWeth(random) }, usdc, 500),
    async (wallet, random) => {
      const sides = [
        { token: weth, amount: someWeth(random) },
        { token: usdc, amount: someUsdc(random) },
      ] as const
      const id = await uniswapV3.mint(wallet, ...sides, 500, { below: 100, above: 100 })
      positions.set(wallet, [...(positions.get(wallet) ?? []), id])
    },
    (wallet, random) =>
      pick(wallet, random, (id) => uniswapV3.increase(wallet, id, someUsdc(random), someWeth(random))),
    (wallet, random) =>
      pick(wallet, random, async (id) => uniswapV3.decrease(wallet, id, (await liquidityOf(id)) / 2n)),
    (wallet, random) => pick(wallet, random, (id) => uniswapV3.collect(wallet, id)),
    (_, random) => bench.chain.travel(random.index(86_400)),
  ]
}

it(`of ${ACTIONS} random actions, every movement adds up to what balances changed by`, async () => {
  const random = seededRandom('random actions')
  const wallets = [random.address(), random.address(), random.address()]
  const { erc20, lido, compoundV2 } = bench.chain.actions
  for (const wallet of wallets) {
    await erc20.mint(weth, wallet, parseEther('30'))
    await erc20.mint(usdc, wallet, parseUnits('50000', 6))
    await erc20.mint(dai, wallet, parseEther('2000'))
    await lido.submit(wallet, parseEther('5'))
    await compoundV2.enter(wallet, [ceth, cusdc])
    await bench.fund(wallet, parseEther('20'))
  }
  const plays = playsOf(wallets, new Map())
  const types = new Set<string>()
  for (let action = 0; action < ACTIONS; action += 1) {
    const wallet = random.pick(wallets)
    const before = await bench.client.getBlockNumber()
    await random
      .pick(plays)(wallet, random)
      .catch(() => undefined)
    for (const one of wallets) for (const { type } of await bench.readSince(one, before)) types.add(type)
  }
  const expected =
    'ADDLIQUIDITY BORROW COLLECT DEPOSIT LEND REMOVELIQUIDITY SWAP TRANSFERIN TRANSFEROUT UNWRAP WITHDRAW WRAP'
  const known = [...expected.split(' '), 'APPROVAL', 'REPAYVAULT', 'INTERACTION', 'FAILED', 'SPAM']
  expect([...types].filter((type) => !known.includes(type))).toEqual([])
  expect(types.size).toBeGreaterThan(8)
}, 240_000)
