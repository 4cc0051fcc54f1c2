import { type EvmAddress, evmAddress } from '../../../../domain/evm-address.ts'
import type { PositionDraft, TokenAmount } from '../../../../domain/position.ts'
import type { ProtocolHistory } from '../../decode/protocol-history.ts'
import type { EvmReader } from '../../reader/evm-reader.ts'
import type { ProtocolAdapter, ProtocolContract } from '../adapter.ts'
import { eachAlone } from '../each-alone.ts'
import { type GaugeMakers, gaugePosition, gaugeStep, hasEarned, isGauge, shareOf } from './gauges.ts'
import { hasLocked, isLock, lockPosition, lockStep, type VoteEscrow } from './vote-escrow.ts'

type Deployment = { gauges?: GaugeMakers | undefined; escrow?: VoteEscrow | undefined }

export type ShareReading<D> = { reader: EvmReader; deployment: D }

export type Share = { protocolContract: ProtocolContract; amountRaw: bigint; holder?: EvmAddress }

type WorthOf<D> = (at: ShareReading<D>, share: Share) => Promise<TokenAmount[] | undefined>

export function gaugedPools<D extends Deployment>(worthOf: WorthOf<D>) {
  return {
    eachAlone: true,
    countsWhereSent: true,

    async probe({ reader, wallet, protocolContract }) {
      if (isLock(protocolContract)) return hasLocked(reader, protocolContract, wallet)
      return isGauge(protocolContract) && hasEarned(reader, protocolContract, wallet)
    },

    positions: eachAlone(async ({ reader, deployment, wallet, leftOut }, held) => {
      const { gauges, escrow } = deployment
      if (escrow && isLock(held)) return lockPosition({ reader, wallet, leftOut }, escrow, held)
      if (gauges && isGauge(held)) return gaugePosition(reader, gauges, held, wallet)
      const share = { protocolContract: held, amountRaw: held.balanceRaw, holder: wallet }
      const supplied = await worthOf({ reader, deployment }, share)
      if (!supplied) throw new Error(`pool ${held.address} says that more of it is held than there is`)
      return {
        kind: 'liquidity',
        label: 'Pool',
        pool: evmAddress(held.data?.['pool'] ?? held.address),
        supplied,
        borrowed: [],
        rewards: [],
        receipts: [held.address],
      } satisfies PositionDraft
    }),

    async decompose({ reader, deployment, protocolContract, amountRaw }) {
      if (!protocolContract.fungible) return undefined
      const share = { protocolContract, amountRaw }
      return isGauge(protocolContract) ? shareOf(protocolContract, amountRaw) : worthOf({ reader, deployment }, share)
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
