import type { EvmAddress } from '../../../../domain/evm-address.ts'
import type { FamilyHistory } from '../../history/family-history.ts'

export const pendleHistory = ({ routers }: { routers: readonly EvmAddress[] }): FamilyHistory => ({
  purposes: { market: 'liquidity', pt: 'deposit', yt: 'deposit', sy: 'deposit', stake: 'stake' },
  contracts: routers,
})
