import { Failure, type validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { ValidatorsContext } from './context.ts'
import { listDeposits } from './deposits/deposits.ts'
import { listRewards } from './rewards.ts'
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
  return {
    getValidatorDetailsByIndex: { prepare, handle: ({ params }) => findDetails(context, params.index) },
    getValidatorDetailsByPubkey: { prepare, handle: ({ params }) => findDetails(context, params.pubkey) },
    listValidatorRewardsByIndex: { prepare, handle: ({ params, query }) => listRewards(context, params.index, query) },
    listValidatorRewardsByPubkey: {
      prepare,
      handle: ({ params, query }) => listRewards(context, params.pubkey, query),
    },
    listValidatorWithdrawalsByIndex: {
      prepare,
      handle: ({ params, query }) => listWithdrawals(context, params.index, query),
    },
    listValidatorWithdrawalsByPubkey: {
      prepare,
      handle: ({ params, query }) => listWithdrawals(context, params.pubkey, query),
    },
    listValidatorDepositsByIndex: {
      prepare,
      handle: ({ params, query }) => listDeposits(context, params.index, query),
    },
    listValidatorDepositsByPubkey: {
      prepare,
      handle: ({ params, query }) => listDeposits(context, params.pubkey, query),
    },
  }
}
