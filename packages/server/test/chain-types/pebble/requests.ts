import { isRecord, type RpcRequest } from '../../../src/chains/rpc/json-rpc.ts'
import { UpstreamError } from '../../../src/lib/upstream-error.ts'

/** `time` in Unix seconds. */
export type PebbleHead = { height: bigint; time: number }

const invalid = (expected: string) => new UpstreamError('invalid', `expected ${expected}`)

export const networkRequest: RpcRequest<string> = {
  method: 'network',
  params: [],
  parse(result) {
    if (typeof result === 'string') return result
    throw invalid('the name of a network')
  },
}

export const headRequest: RpcRequest<PebbleHead> = {
  method: 'head',
  params: [],
  parse(result) {
    if (!isRecord(result)) throw invalid('a head')
    const { height, time } = result
    if (!isDigits(height) || typeof time !== 'number') throw invalid('a head')
    return { height: BigInt(height), time }
  },
}

/** In base units, with its head. */
export function balanceRequest(address: string): RpcRequest<PebbleHead & { amountRaw: bigint }> {
  return {
    method: 'balance',
    params: [address],
    parse(result) {
      const head = headRequest.parse(result)
      const amount = isRecord(result) ? result['amount'] : undefined
      if (!isDigits(amount)) throw invalid('an amount')
      return { ...head, amountRaw: BigInt(amount) }
    },
  }
}

const isDigits = (value: unknown): value is string => typeof value === 'string' && /^\d{1,30}$/.test(value)
