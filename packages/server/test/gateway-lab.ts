import type { Devnet } from '@coffer/devnet'
import { encodeFunctionData, erc20Abi, type Hex, numberToHex, pad, parseAbi, parseEther, parseUnits } from 'viem'
import type { EvmAddress } from '../src/domain/evm-address.ts'
import { nodeAt } from './local-node.ts'

const DAY = 86_400
const SPENDER = '0x00000000000000000000000000000000000000a1'
/** Forwards its payment to the address in its calldata, without a log. */
const FORWARDER = '0x00000000000000000000000000000000000f04a4'
const FORWARDER_CODE = '0x5f5f5f5f345f355af100'
const GAS = numberToHex(300_000)
const wethAbi = parseAbi(['function deposit() payable', 'function withdraw(uint256 wad)'])

type Sent = { from: EvmAddress; to: EvmAddress; value?: bigint; data?: Hex }

/**
 * Per wallet: ether in, out, in from a contract, and to itself; dollars in and out; approvals; ether wrapped and
 * unwrapped; one failure. `midnight`: Unix seconds; seven more dollars follow it.
 */
export type Lab = { midnight: number }

/** Per wallet. `untraced`: found without traces; `logged`: named by logs; `afterExpiry`: logged after midnight. */
export const TRANSACTIONS = { all: 15, untraced: 14, logged: 9, afterExpiry: 1 }
/** In USD, with ether at 2,000. */
export const WORTH = { atMidnight: '22340', now: '22347' }
const ETHER_USD = parseUnits('2000', 8)

/** One block per step for all wallets, past the next midnight. */
export async function playLab(devnet: Devnet, wallets: readonly EvmAddress[], bank: EvmAddress): Promise<Lab> {
  const { url, client, actions, addresses } = devnet.chains.ethereum
  const node = nodeAt(url)
  const { usdc, weth } = addresses.tokens
  await actions.native.setBalance(bank, parseEther('100000'))
  await actions.erc20.mint(usdc, bank, parseUnits('1000000', 6))
  await client.setCode({ address: FORWARDER, bytecode: FORWARDER_CODE })

  const usd = (amount: string) => parseUnits(amount, 6)
  const token = (from: EvmAddress, functionName: 'transfer' | 'approve', to: EvmAddress, amount: bigint): Sent => ({
    ...{ from, to: usdc },
    data: encodeFunctionData({ abi: erc20Abi, functionName, args: [to, amount] }),
  })
  const deposit = encodeFunctionData({ abi: wethAbi, functionName: 'deposit' })
  const withdraw = encodeFunctionData({ abi: wethAbi, functionName: 'withdraw', args: [parseEther('0.5')] })
  const steps: ((wallet: EvmAddress) => Sent)[] = [
    (to) => ({ from: bank, to, value: parseEther('10') }),
    (to) => token(bank, 'transfer', to, usd('60')),
    (to) => token(bank, 'transfer', to, usd('40')),
    (from) => token(from, 'transfer', bank, usd('10')),
    (from) => token(from, 'approve', SPENDER, 2n ** 256n - 1n),
    (from) => token(from, 'approve', bank, usd('5')),
    (from) => token(from, 'approve', SPENDER, 0n),
    (from) => ({ from, to: bank, value: parseEther('1') }),
    (to) => ({ from: bank, to, value: parseEther('2') }),
    (from) => ({ from, to: weth, value: parseEther('1'), data: deposit }),
    (from) => ({ from, to: weth, data: withdraw }),
    (to) => ({ from: bank, to: FORWARDER, value: parseEther('0.125'), data: pad(to) }),
    // Fails: exceeds the balance.
    (from) => token(from, 'transfer', bank, usd('1000000000')),
    (from) => ({ from, to: from, value: 1n }),
  ]
  await actions.feeds.set(addresses.feeds.ethUsd, ETHER_USD)
  for (const step of steps) await inOneBlock(wallets.map(step))
  const { timestamp } = await client.getBlock()
  const midnight = Number(timestamp) - (Number(timestamp) % DAY) + DAY
  await client.setNextBlockTimestamp({ timestamp: BigInt(midnight - 60) })
  await devnet.refreshFeeds()
  await client.setNextBlockTimestamp({ timestamp: BigInt(midnight) })
  await client.mine({ blocks: 1 })
  await inOneBlock(wallets.map((to) => token(bank, 'transfer', to, usd('7'))))
  await client.mine({ blocks: 140, interval: 12 })
  await devnet.refreshFeeds()
  return { midnight }

  async function inOneBlock(sent: readonly Sent[]): Promise<void> {
    await node.send('evm_setAutomine', false)
    await node.sendAll(
      sent.map(({ from, to, value = 0n, data = '0x' }) => [
        'eth_sendTransaction',
        { from, to, data, value: numberToHex(value), gas: GAS, gasPrice: '0x0' },
      ]),
    )
    await node.send('evm_mine')
    await node.send('evm_setAutomine', true)
  }
}
