import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, encodeFunctionData, parseAbi, parseEther, parseUnits, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type HistoryBench, openHistoryBench } from '../../../../../test/history-bench.ts'
import { evmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { usdc } = addresses.ethereum.tokens
/** Addresses of deployments, replaced by the local contracts. */
const CBETH: Address = '0xBe9895146f7AF43049ca1c1AE358B0541Ea49704'
const LIQUID_USD: Address = '0x08c6F91e2B681FaF5e17227F2a44C307b3C1364C'
const tokenAbi = parseAbi([
  'function deposit(uint256 amount) payable',
  'function redeem(uint256 amount)',
  'function set(uint256 figure, bool refuses)',
])
const NAMES: Readonly<Record<string, string>> = {
  ...{ [evmAddress(CBETH)]: 'cbeth', [evmAddress(LIQUID_USD)]: 'liquid' },
  ...{ [evmAddress(usdc)]: 'usdc', [NATIVE]: 'native' },
}

let bench: HistoryBench
let nextWallet = 0x4a7e_0000
const newWallet = (): Address => `0x${(nextWallet++).toString(16).padStart(40, '0')}`

beforeAll(async () => {
  bench = await openHistoryBench(inject('devnetState'), async (chain) => {
    await chain.deployTo(CBETH, ownArtifact('RatedToken'), ['cbETH', 18, 18, zeroAddress])
    await chain.deployTo(LIQUID_USD, ownArtifact('RatedToken'), ['liquidUSD', 6, 6, usdc])
    return {}
  })
})
afterAll(() => bench?.stop())

const call = (wallet: Address, token: Address, functionName: 'deposit' | 'redeem', amount: bigint, value = 0n) =>
  bench.send(wallet, token, encodeFunctionData({ abi: tokenAbi, functionName, args: [amount] }), value)

const set = (token: Address, figure: bigint) =>
  bench.chain.write({ from: newWallet(), address: token, abi: tokenAbi, functionName: 'set', args: [figure, false] })

const summary = (transactions: readonly WalletTransaction[]) =>
  transactions
    .filter(({ type }) => type !== 'APPROVAL')
    .map(({ type, protocol, movements }) => [
      ...[type, protocol],
      ...movements
        .filter(({ treatment }) => treatment !== 'fee')
        .map(({ token, treatment, amountRaw }) => `${treatment} ${NAMES[token]} ${amountRaw}`),
    ])

it('stakes coin for a rate token and takes it back: the cost moves', async () => {
  const [wallet, other] = [newWallet(), newWallet()]
  await bench.fund(wallet, parseEther('10'))
  await set(CBETH, parseEther('1.25'))
  const found = await bench.played(wallet, async () => {
    await call(wallet, CBETH, 'deposit', 0n, parseEther('5'))
    await bench.chain.actions.erc20.transfer(CBETH, wallet, other, parseEther('1'))
    await call(wallet, CBETH, 'redeem', parseEther('2'))
  })
  expect(summary(found)).toEqual([
    ['STAKE', 'coinbase', `move native ${-parseEther('5')}`, `move cbeth ${parseEther('4')}`],
    ['TRANSFEROUT', null, `send cbeth ${-parseEther('1')}`],
    ['UNSTAKE', 'coinbase', `move cbeth ${-parseEther('2')}`, `move native ${parseEther('2.5')}`],
  ])
})

it('deposits what a share of a vault is quoted in, and withdraws it', async () => {
  const wallet = newWallet()
  const { erc20 } = bench.chain.actions
  await bench.fund(wallet, parseEther('1'))
  await set(LIQUID_USD, 1_000_000n)
  await erc20.mint(usdc, wallet, parseUnits('100', 6))
  await erc20.allow(usdc, wallet, LIQUID_USD)
  await erc20.mint(usdc, LIQUID_USD, parseUnits('100', 6))
  const found = await bench.played(wallet, async () => {
    await call(wallet, LIQUID_USD, 'deposit', parseUnits('100', 6))
    await set(LIQUID_USD, 1_100_000n)
    await call(wallet, LIQUID_USD, 'redeem', parseUnits('40', 6))
  })
  expect(summary(found)).toEqual([
    ['DEPOSIT', 'etherfi', 'move usdc -100000000', 'move liquid 100000000'],
    ['WITHDRAW', 'etherfi', 'move liquid -40000000', 'move usdc 44000000'],
  ])
})
