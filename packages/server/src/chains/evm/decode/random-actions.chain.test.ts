import { addresses } from '@coffer/devnet'
import { parseEther, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import { eulerPlays } from '../../../../test/euler-plays.ts'
import { historyBench } from '../../../../test/history-bench.ts'
import { seededRandom } from '../../../../test/random.ts'
import { playsOf } from '../../../../test/random-plays.ts'

const ACTIONS = 150
const at = addresses.ethereum
const { weth, usdc, dai } = at.tokens
const { ceth, cusdc } = at.compoundV2.markets

const bench = await historyBench()

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
  const plays = playsOf(bench.chain, wallets)
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
    'ADDLIQUIDITY BORROW CLAIM COLLECT DEPOSIT LEND MULTITYPE REMOVELIQUIDITY STAKE SWAP TRANSFERIN TRANSFEROUT UNSTAKE UNWRAP WITHDRAW WRAP'
  const known = [...expected.split(' '), 'APPROVAL', 'REPAYVAULT', 'INTERACTION', 'FAILED', 'SPAM']
  expect([...types].filter((type) => !known.includes(type))).toEqual([])
  expect(types.size).toBeGreaterThan(8)
})

it('of random actions between accounts of one owner and of others, every movement adds up as well', async () => {
  const random = seededRandom('random accounts')
  const wallets = [random.address(), random.address(), random.address()]
  for (const wallet of wallets) {
    await bench.chain.actions.erc20.mint(weth, wallet, parseEther('100'))
    await bench.chain.actions.erc20.mint(usdc, wallet, parseUnits('90000', 6))
  }
  const plays = eulerPlays(bench.chain, wallets)
  const types = new Set<string>()
  for (let action = 0; action < 2 * ACTIONS; action += 1) {
    const before = await bench.client.getBlockNumber()
    await random
      .pick(plays)(random.pick(wallets), random)
      .catch(() => undefined)
    for (const one of wallets) for (const { type } of await bench.readSince(one, before)) types.add(type)
  }
  const expected = ['LEND', 'MULTITYPE', 'REPAYVAULT', 'TRANSFERIN', 'TRANSFEROUT', 'WITHDRAW']
  expect([...types].filter((type) => expected.includes(type)).toSorted()).toEqual(expected)
})
