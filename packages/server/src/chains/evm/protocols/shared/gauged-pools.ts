import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { TokenAmount } from '../../../../domain/position.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import type { At, ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { eachAlone } from '../each-alone.ts'
import { type GaugeMakers, gaugePosition, gaugeStep, hasEarned, isGauge, shareOf } from './gauges.ts'
import { hasLocked, isLock, lockPosition, lockStep, type VoteEscrow } from './vote-escrow.ts'

type Deployment = { gauges?: GaugeMakers | undefined; escrow?: VoteEscrow | undefined }

export type Share = { protocolContract: ProtocolContract; amountRaw: bigint; holder?: EvmAddress }

export function gaugedPools<D extends Deployment>(
  worthOf: (at: At<D>, share: Share) => Promise<TokenAmount[] | undefined>,
) {
  return {
    eachAlone: true,
    countsWhereSent: true,

    async probe({ reader, wallet, protocolContract }) {
      if (isLock(protocolContract)) return hasLocked(reader, protocolContract, wallet)
      return isGauge(protocolContract) && hasEarned(reader, protocolContract, wallet)
    },

    positions: eachAlone(async (scope, held) => {
      const { gauges, escrow } = scope.deployment
      if (escrow && isLock(held)) return lockPosition(scope, escrow, held)
      if (gauges && isGauge(held)) return gaugePosition(scope.reader, gauges, held, scope.wallet)
      const share = { protocolContract: held, amountRaw: held.balanceRaw, holder: scope.wallet }
      const supplied = await worthOf(scope, share)
      if (!supplied) throw new Error(`pool ${held.address} says that more of it is held than there is`)
      const pool = evmAddress(held.data?.['pool'] ?? held.address)
      return { kind: 'liquidity', label: 'Pool', pool, supplied, receipts: [held.address] }
    }),

    async decompose({ protocolContract, amountRaw, ...at }) {
      if (!protocolContract.fungible) return undefined
      return isGauge(protocolContract)
        ? shareOf(protocolContract, amountRaw)
        : worthOf(at, { protocolContract, amountRaw })
    },

    history: gaugedHistory,
  } satisfies Partial<ProtocolAdapter<D>>
}

export function gaugedHistory({ gauges, escrow }: Deployment): ProtocolHistory {
  const distributors = escrow?.distributors.map(({ address }) => address) ?? []
  return {
    purposes: { share: 'liquidity', gauge: 'stake' },
    rewarders: [...(gauges?.minter ? [gauges.minter] : []), ...new Set(distributors)],
    step: (log, wallet, context) =>
      (escrow && lockStep(log, wallet, escrow)) ?? (gauges && gaugeStep(log, wallet, gauges, context)),
  }
}
