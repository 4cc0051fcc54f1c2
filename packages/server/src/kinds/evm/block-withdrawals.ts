import type { EvmAddress } from '../../domain/evm-address.ts'
import { UpstreamError } from '../../lib/upstream-error.ts'
import { isRecord, type RpcRequest } from '../rpc/json-rpc.ts'
import { blockRequest, type ListedBlock } from './block-header.ts'
import { parseAddress, parseQuantity } from './rpc-values.ts'

/** What a block pays out of the beacon chain. `index`: the chain's running number of withdrawals. */
export type BlockWithdrawal = { index: bigint; validatorIndex: number; address: EvmAddress; amountGwei: bigint }

/** This bit says that the other bits number a builder, which is no validator (EIP-7732). */
const BUILDER_BIT = 1n << 40n

/**
 * A block with its withdrawals, for blocks that have such a list: where one is missing the answer is `invalid`, for it would
 * be taken for empty.
 */
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

/** Those of builders are left out. */
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
