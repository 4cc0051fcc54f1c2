import { type EvmAddress, NATIVE } from '../../../../domain/evm-address.ts'
import type { PositionDraft } from '../../../../domain/position.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { HeldContract, LeftOut } from '../adapter.ts'
import { nftPages } from '../shared/v3-positions.ts'
import { withdrawalDraft } from '../shared/withdrawal-nfts.ts'
import type { Deployment } from './deployment.ts'
import { withdrawalLens } from './withdrawal-lens.bytecode.ts'

/** The queue lists all requests at once, at 2,200 gas each, and anyone may create requests for a wallet. */
const MOST = 4_000n

type Scope = { reader: EvmReader; deployment: Deployment; wallet: EvmAddress; leftOut: LeftOut }

export async function readRequests(scope: Scope, queue: HeldContract): Promise<PositionDraft[]> {
  const { reader, deployment, wallet, leftOut } = scope
  const count = queue.balanceRaw
  if (count > MOST) throw new Error(`the wallet has ${count} requests, too many to list them`)
  const found = await Promise.all(
    nftPages(count, leftOut).map(([start, end]) =>
      reader.lens(withdrawalLens, { functionName: 'requests', args: [queue.address, wallet, start, end] }),
    ),
  )
  return found.flat().map(({ id, amount, isFinalized, claimable }) =>
    withdrawalDraft(queue.address, {
      tokenId: id,
      state: isFinalized ? 'ready' : 'pending',
      amount: isFinalized ? { token: NATIVE, amountRaw: claimable } : { token: deployment.stEth, amountRaw: amount },
    }),
  )
}
