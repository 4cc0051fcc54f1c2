import type { FamilyHistory } from '../../history/family-history.ts'
import { gaugeStep } from '../shared/gauges.ts'
import { lockStep } from '../shared/vote-escrow.ts'
import type { Deployment } from './deployment.ts'

/** Shares are liquidity and gauges stakes of them, as their tokens move; what logs add is in the shared pieces. */
export function curveHistory({ gauges, escrow }: Deployment): FamilyHistory {
  const distributors = escrow?.distributors.map(({ address }) => address) ?? []
  return {
    purposes: { share: 'liquidity', gauge: 'stake' },
    rewarders: [...(gauges?.minter ? [gauges.minter] : []), ...distributors],
    step: (log, wallet, context) =>
      (escrow && lockStep(log, wallet, escrow)) ?? (gauges && gaugeStep(log, wallet, gauges, context)),
  }
}
