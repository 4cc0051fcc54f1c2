import { Failure, type validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { ValidatorsContext } from './context.ts'
import { listDeposits } from './deposits/deposits.ts'
import { listRewards } from './rewards.ts'
import type { ValidatorId } from './tracking.ts'
import { findDetails } from './validator-details.ts'
import { listWithdrawals } from './withdrawals.ts'

export function validatorRoutes(
  context: ValidatorsContext,
  { isConfigured }: { isConfigured: boolean },
): Handlers<typeof validatorEndpoints> {
  /** Costs nothing; clients do not retry NOT_CONFIGURED. */
  const prepare = () => {
    if (!isConfigured) {
      throw new Failure('NOT_CONFIGURED', 'Validators are not read here: the operator has not set COFFER_BEACON_URL')
    }
  }
  type Find<Q, A> = (context: ValidatorsContext, id: ValidatorId, query: Q) => Promise<A>
  type ByIndex<Q> = { params: { index: number }; query: Q }
  type ByPubkey<Q> = { params: { pubkey: string }; query: Q }
  const byIndex = <Q, A>(find: Find<Q, A>) => ({
    prepare,
    handle: ({ params, query }: ByIndex<Q>) => find(context, params.index, query),
  })
  const byPubkey = <Q, A>(find: Find<Q, A>) => ({
    prepare,
    handle: ({ params, query }: ByPubkey<Q>) => find(context, params.pubkey, query),
  })
  return {
    getValidatorDetailsByIndex: byIndex(findDetails),
    getValidatorDetailsByPubkey: byPubkey(findDetails),
    listValidatorRewardsByIndex: byIndex(listRewards),
    listValidatorRewardsByPubkey: byPubkey(listRewards),
    listValidatorWithdrawalsByIndex: byIndex(listWithdrawals),
    listValidatorWithdrawalsByPubkey: byPubkey(listWithdrawals),
    listValidatorDepositsByIndex: byIndex(listDeposits),
    listValidatorDepositsByPubkey: byPubkey(listDeposits),
  }
}
