import type { EvmAddress } from '../../../domain/evm-address.ts'
import { UpstreamError } from '../../../lib/upstream-error.ts'
import { RpcRefusal, type RpcRequest } from '../../rpc/json-rpc.ts'
import { requestEach } from '../../rpc/request-each.ts'
import type { RpcEndpoint } from '../../rpc/rpc-endpoint.ts'
import { blockTag } from '../reader/batch.ts'
import { parseData, parseQuantity } from '../rpc-values.ts'

export type AccountState = { nonce: bigint; balanceRaw: bigint }

/** `nonce`: null if unknown; block −1 is before everything. */
export type StatePoint = { wallet: EvmAddress; block: bigint; nonce: bigint | null }

export class StateUnavailable extends UpstreamError {
  constructor() {
    super('not-allowed', 'the node does not have the state of a past block')
  }
}

/** Throws `StateUnavailable` if a state cannot be read. */
export async function readStates(endpoint: RpcEndpoint, points: readonly StatePoint[]): Promise<AccountState[]> {
  const real = points.filter(({ block }) => block >= 0n)
  const ask = (method: string, { wallet, block }: StatePoint) => ({
    method,
    params: [wallet, blockTag(block)],
    parse: parseQuantity,
  })
  const answers = await statesOf(endpoint, [
    ...real.map((point) => ask('eth_getBalance', point)),
    ...real.filter(({ nonce }) => nonce === null).map((point) => ask('eth_getTransactionCount', point)),
  ])
  const balances = answers.splice(0, real.length)
  return points.map(({ block, nonce }) => {
    if (block < 0n) return { nonce: 0n, balanceRaw: 0n }
    return { balanceRaw: balances.shift() ?? 0n, nonce: nonce ?? answers.shift() ?? 0n }
  })
}

export async function addressesWithCode(
  endpoint: RpcEndpoint,
  addresses: readonly EvmAddress[],
  block: bigint,
): Promise<ReadonlySet<EvmAddress>> {
  const ask = (address: EvmAddress) => ({ method: 'eth_getCode', params: [address, blockTag(block)], parse: parseData })
  const codes = await statesOf(endpoint, addresses.map(ask))
  return new Set(addresses.filter((_, i) => codes[i] !== '0x'))
}

async function statesOf<T>(endpoint: RpcEndpoint, requests: readonly RpcRequest<T>[]): Promise<T[]> {
  const answers = await requestEach(endpoint, requests, endpoint.background)
  return answers.map((answer) => {
    if (answer instanceof RpcRefusal) throw new StateUnavailable()
    return answer
  })
}
