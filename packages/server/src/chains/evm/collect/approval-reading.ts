import { parseAbi } from 'viem'
import type { Address } from '../../../domain/address.ts'
import { evmAddress } from '../../../domain/evm-address.ts'
import { createGate } from '../../../lib/concurrency.ts'
import type { ApprovalReading } from '../../approval-reading.ts'
import { requestEach, valueOrThrow } from '../../rpc/request-each.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { blockRequest } from '../block-header.ts'
import { presentChain, readHead } from '../block-presence.ts'
import { findApprovals } from '../logs/approval-logs.ts'
import type { EvmReader } from '../reader/evm-reader.ts'

/** Concurrent block requests, over all callers. */
const AT_ONCE = 8

const erc20 = parseAbi(['function balanceOf(address owner) view returns (uint256)'])

export function createApprovalReading({
  poolOf,
  openReader,
}: {
  poolOf(chain: string): RpcPool
  openReader(chain: string): EvmReader
}): ApprovalReading {
  const gate = createGate(AT_ONCE)
  return {
    head: async (chain) => readHead(poolOf(chain)),
    present: (chain) => presentChain(poolOf(chain)),
    find: async ({ chain, wallet }, range) => findApprovals(poolOf(chain), evmAddress(wallet), range),

    async blocks(chain, numbers) {
      const { run } = poolOf(chain).session()
      return run(async (endpoint) => (await requestEach(endpoint, numbers.map(blockRequest), gate)).map(valueOrThrow))
    },

    async balances({ chain, wallet }, tokens) {
      const reader = openReader(chain)
      const held = await Promise.all(
        tokens.map(async (address): Promise<[Address, bigint][]> => {
          const call = { abi: erc20, functionName: 'balanceOf', args: [evmAddress(wallet)] } as const
          const raw = await reader.tryRead({ address: evmAddress(address), ...call })
          return raw === undefined ? [] : [[address, raw]]
        }),
      )
      return new Map(held.flat())
    },
  }
}
