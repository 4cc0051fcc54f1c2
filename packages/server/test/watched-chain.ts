import { type DevChain, type Devnet, ethereumActions } from '@coffer/devnet'
import { type Address, concat, encodeFunctionData, type Hex, pad, type TransactionReceipt, toHex } from 'viem'
import type { PlayedChain } from './random-plays.ts'

type Call = Parameters<DevChain['send']>[0]

type Node = Devnet['chains']['ethereum']
/** `check` throws the first failure of `afterBlock`. */
export type WatchedChain = PlayedChain & Pick<DevChain, 'send' | 'write'> & { check(): void }

const GAS = 3_000_000n
/** Input: target and value in two words, then the data. Accepts coins, and fails where its call does. */
const FORWARDER: Hex = `0x${[
  '3615602857', // no input: accept the coins
  '60403603' + '6040600037', // the data into memory
  '60006000' + '60403603' + '6000' + '602035' + '600035' + '5af1', // the call
  '602857' + '60006000fd', // it failed
  '5b00',
].join('')}`

/**
 * Calls `afterBlock` after each block of an action, before the next. Keeps its rejection for `check`, as actions may
 * fail. `gasPrices`: of wallets that pay for gas. `operators`: senders for contract wallets.
 */
export async function watchChain(
  node: Node,
  {
    gasPrices,
    operators,
    afterBlock,
  }: {
    gasPrices: ReadonlyMap<Address, bigint>
    operators: ReadonlyMap<Address, Address>
    afterBlock(): Promise<void>
  },
): Promise<WatchedChain> {
  const failures: unknown[] = []
  for (const wallet of operators.keys()) await node.client.setCode({ address: wallet, bytecode: FORWARDER })
  const watched = async <T>(act: Promise<T>): Promise<T> => {
    try {
      return await act
    } finally {
      await afterBlock().catch((err: unknown) => void failures.push(err))
    }
  }
  const send: DevChain['send'] = (call) => watched(sendPaid(node, directed(call, operators), gasPrices))
  const write = ({ from, address, value, ...call }: Parameters<DevChain['write']>[0]) =>
    send({ from, to: address, data: encodeFunctionData(call), ...(value !== undefined && { value }) })
  const travel = (seconds: number) => watched(node.travel(seconds))
  const chain = { ...node, send, write: write as DevChain['write'], travel }
  return {
    ...chain,
    actions: ethereumActions(chain),
    check() {
      if (failures.length > 0) throw failures[0]
    },
  }
}

function directed(call: Call, operators: ReadonlyMap<Address, Address>): Call {
  const operator = operators.get(call.from)
  if (!operator || !call.to) return call
  const words = [pad(call.to), pad(toHex(call.value ?? 0n))]
  return { from: operator, to: call.from, data: concat([...words, call.data ?? '0x']) }
}

/** In its own block; rejects on revert. */
async function sendPaid(
  { client }: Pick<Node, 'client'>,
  { from, to, data, value = 0n }: Call,
  gasPrices: ReadonlyMap<Address, bigint>,
): Promise<TransactionReceipt> {
  const gasPrice = gasPrices.get(from) ?? 0n
  const request = client.request as (call: { method: string; params: unknown[] }) => Promise<{ transactionHash: Hex }>
  const transaction = {
    ...{ from, ...(to && { to }), ...(data && { data }) },
    ...{ value: toHex(value), gas: toHex(GAS), gasPrice: toHex(gasPrice) },
  }
  const { transactionHash: hash } = await request({ method: 'eth_sendTransactionSync', params: [transaction] })
  const receipt = await client.getTransactionReceipt({ hash })
  if (receipt.status !== 'success') throw new Error(`${hash} to ${to} reverted`)
  return receipt
}
