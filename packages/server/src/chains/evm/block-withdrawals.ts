import { UpstreamError } from '../../lib/upstream-error.ts'
import type { BlockWithdrawal } from '../execution-reading.ts'
import { isRecord, type RpcRequest } from '../rpc/json-rpc.ts'
import { blockRequest, type ListedBlock } from './block-header.ts'
import { parseAddress, parseQuantity } from './rpc-values.ts'

/** Marks the index of a builder, which is not a validator (EIP-7732). */
const BUILDER_BIT = 1n << 40n

/** An answer without the list is `invalid`: it would otherwise count as empty. */
export function withdrawalsRequest(number: bigint): RpcRequest<ListedBlock & { withdrawals: BlockWithdrawal[] }> {
  const header = blockRequest(number)
  return {
    ...header,
    parse(result) {
      const block = header.parse(result)
      const withdrawals = isRecord(result) ? result['withdrawals'] : undefined
      if (!Array.isArray(withdrawals)) {
        throw new UpstreamError('invalid', 'the node answered with a block without its withdrawals')
      }
      return { ...block, withdrawals: withdrawals.flatMap(parseWithdrawal) }
    },
  }
}

function parseWithdrawal(value: unknown): BlockWithdrawal[] {
  if (!isRecord(value)) throw new UpstreamError('invalid', 'expected a withdrawal')
  const validator = parseQuantity(value['validatorIndex'])
  if ((validator & BUILDER_BIT) !== 0n) return []
  return [
    {
      index: parseQuantity(value['index']),
      validatorIndex: Number(validator),
      address: parseAddress(value['address']),
      amountGwei: parseQuantity(value['amount']),
    },
  ]
}
