import type { EvmAddress } from '../../../domain/evm-address.ts'
import { requestEach } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { type Hex, parseData } from '../rpc-values.ts'
import { blockTag } from './batch.ts'

/** `gas`: without the cost of the transaction. */
export type PlainCall = { to: EvmAddress; data: Hex; gas: number }
export type PlainAnswer = { passed: boolean; data: Hex }

/** Each input byte adds 16. */
const TRANSACTION_GAS = 21_000

function gasWithInput({ data, gas }: PlainCall): number {
  return gas + TRANSACTION_GAS + (data.length / 2) * 16
}

/** A revert or running out of gas is an answer; any other refusal rejects. */
export async function callEach(
  endpoint: RpcEndpoint,
  calls: readonly PlainCall[],
  at: bigint | null,
): Promise<PlainAnswer[]> {
  const requests = calls.map((call) => ({
    method: 'eth_call',
    params: [{ to: call.to, data: call.data, gas: `0x${gasWithInput(call).toString(16)}` }, blockTag(at)],
    parse: parseData,
  }))
  const answers = await requestEach(endpoint, requests)
  return answers.map((answer) => {
    if (typeof answer === 'string') return { passed: true, data: answer }
    if (answer.kind === 'reverted' || answer.kind === 'gas') return { passed: false, data: '0x' }
    throw answer
  })
}
