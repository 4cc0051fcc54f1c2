import { evmAddress } from '../../domain/evm-address.ts'
import type { ExecutionReading } from '../execution-reading.ts'
import type { RpcRequest } from '../rpc/json-rpc.ts'
import { patientPool } from '../rpc/patient-pool.ts'
import { requestEach, valueOrThrow } from '../rpc/request-each.ts'
import type { RpcPool } from '../rpc/rpc-pool.ts'
import { findBlockAtTime, readFinalHeader } from './block-at-time.ts'
import { blockRequest } from './block-header.ts'
import { withdrawalsRequest } from './block-withdrawals.ts'
import { findDeposits } from './deposit-event.ts'
import { readExecutedBlock } from './reader/executed-block.ts'
import { parseQuantity } from './rpc-values.ts'

export function createExecutionReading(pool: RpcPool): ExecutionReading {
  const patient = patientPool(pool)
  const each = <T>(requests: readonly RpcRequest<T>[]): Promise<T[]> =>
    patient.session().run(async (endpoint) => (await requestEach(endpoint, requests)).map(valueOrThrow))
  return {
    chainId: () => patient.session().request({ method: 'eth_chainId', params: [], parse: parseQuantity }),
    finalBlock: () => readFinalHeader(patient),
    blockAt: (timestamp) => findBlockAtTime(patient, timestamp),
    blocks: (numbers) => each(numbers.map(blockRequest)),
    withdrawals({ fromBlock, toBlock }) {
      const length = Number(toBlock - fromBlock) + 1
      return each(Array.from({ length }, (_, i) => withdrawalsRequest(fromBlock + BigInt(i))))
    },
    deposits: (contract, range) => findDeposits(patient, evmAddress(contract), range),
    executedBlock: (block) => readExecutedBlock(pool, block),
  }
}
