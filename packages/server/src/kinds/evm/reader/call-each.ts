import type { EvmAddress } from '../../../domain/evm-address.ts'
import { requestEach } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { type Hex, parseData } from '../rpc-values.ts'
import { blockTag } from './wave.ts'

/** A call as a node knows it. `gas` is what the contract may use; what the call itself costs is added. */
export type PlainCall = { to: EvmAddress; data: Hex; gas: number }
export type PlainAnswer = { passed: boolean; data: Hex }

/** Of a call beside what the contract uses: the transaction itself, and 16 a byte. */
const TRANSACTION_GAS = 21_000

function gasWithInput({ data, gas }: PlainCall): number {
  return gas + TRANSACTION_GAS + (data.length / 2) * 16
}

/** One `eth_call` each. A refusal that is the contract's own doing is an answer; any other rejects. */
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
