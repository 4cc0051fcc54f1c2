import { addresses, ownArtifact } from '@coffer/devnet'
import { type Address, parseEther, parseUnits, zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import type { Contract } from '../../../../../test/contract-of.ts'
import { contractOf } from '../../../../../test/contract-of.ts'
import { amountsIn, historyBench } from '../../../../../test/history-bench.ts'
import { NATIVE } from '../../../../domain/evm-address.ts'
import type { WalletTransaction } from '../../../../domain/transaction.ts'

const { usdc } = addresses.ethereum.tokens
/** Addresses of deployments, replaced by the local contracts. */
const CBETH: Address = '0xBe9895146f7AF43049ca1c1AE358B0541Ea49704'
const LIQUID_USD: Address = '0x08c6F91e2B681FaF5e17227F2a44C307b3C1364C'

const bench = await historyBench(async (chain) => {
  await chain.deployTo(CBETH, ownArtifact('RatedToken'), ['cbETH', 18, 18, zeroAddress])
  await chain.deployTo(LIQUID_USD, ownArtifact('RatedToken'), ['liquidUSD', 6, 6, usdc])
  return { cbeth: contractOf(chain, CBETH, 'RatedToken'), liquid: contractOf(chain, LIQUID_USD, 'RatedToken') }
})
const { cbeth, liquid } = bench.made
const { erc20 } = bench.chain.actions

const call = (wallet: Address, { address, data }: Contract, name: 'deposit' | 'redeem', amount: bigint, value = 0n) =>
  bench.send(wallet, address, data(name, amount), value)
const set = ({ write }: Contract, figure: bigint) => write(bench.newWallet(), 'set', figure, false)

const summary = (found: readonly WalletTransaction[]) =>
  amountsIn(found, { cbeth: CBETH, liquid: LIQUID_USD, usdc, native: NATIVE })

it('stakes coin for a rate token and takes it back: the cost moves', async () => {
  const [wallet, other] = [bench.newWallet(), bench.newWallet()]
  await bench.fund(wallet, parseEther('10'))
  await set(cbeth, parseEther('1.25'))
  const found = await bench.played(wallet, async () => {
    await call(wallet, cbeth, 'deposit', 0n, parseEther('5'))
    await erc20.transfer(CBETH, wallet, other, parseEther('1'))
    await call(wallet, cbeth, 'redeem', parseEther('2'))
  })
  expect(summary(found)).toEqual([
    ['STAKE coinbase', `move ${-parseEther('5')} native`, `move ${parseEther('4')} cbeth`],
    ['TRANSFEROUT null', `send ${-parseEther('1')} cbeth`],
    ['UNSTAKE coinbase', `move ${-parseEther('2')} cbeth`, `move ${parseEther('2.5')} native`],
  ])
})

it('deposits what a share of a vault is quoted in, and withdraws it', async () => {
  const wallet = bench.newWallet()
  await bench.fund(wallet, parseEther('1'))
  await set(liquid, 1_000_000n)
  await bench.give(wallet, usdc, parseUnits('100', 6), LIQUID_USD)
  await erc20.mint(usdc, LIQUID_USD, parseUnits('100', 6))
  const found = await bench.played(wallet, async () => {
    await call(wallet, liquid, 'deposit', parseUnits('100', 6))
    await set(liquid, 1_100_000n)
    await call(wallet, liquid, 'redeem', parseUnits('40', 6))
  })
  expect(summary(found)).toEqual([
    ['DEPOSIT etherfi', 'move -100000000 usdc', 'move 100000000 liquid'],
    ['WITHDRAW etherfi', 'move -40000000 liquid', 'move 44000000 usdc'],
  ])
})
