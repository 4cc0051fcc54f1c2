import { Failure, type validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Deposits } from './deposits/deposits.ts'
import type { Rewards } from './rewards.ts'
import type { createValidatorDetails } from './validator-details.ts'
import type { Withdrawals } from './withdrawals.ts'

export function validatorRoutes({
  details,
  rewards,
  withdrawals,
  deposits,
  isConfigured,
}: {
  details: ReturnType<typeof createValidatorDetails>
  rewards: Rewards
  withdrawals: Withdrawals
  deposits: Deposits
  isConfigured: boolean
}): Handlers<typeof validatorEndpoints> {
  /** Costs nothing; clients do not retry NOT_CONFIGURED. */
  const prepare = () => {
    if (!isConfigured) {
      throw new Failure('NOT_CONFIGURED', 'Validators are not read here: the operator has not set COFFER_BEACON_URL')
    }
  }
  return {
    getValidatorDetailsByIndex: { prepare, handle: ({ params }) => details.find(params.index) },
    getValidatorDetailsByPubkey: { prepare, handle: ({ params }) => details.find(params.pubkey) },
    listValidatorRewardsByIndex: { prepare, handle: ({ params, query }) => rewards.list(params.index, query) },
    listValidatorRewardsByPubkey: { prepare, handle: ({ params, query }) => rewards.list(params.pubkey, query) },
    listValidatorWithdrawalsByIndex: { prepare, handle: ({ params, query }) => withdrawals.list(params.index, query) },
    listValidatorWithdrawalsByPubkey: {
      prepare,
      handle: ({ params, query }) => withdrawals.list(params.pubkey, query),
    },
    listValidatorDepositsByIndex: { prepare, handle: ({ params, query }) => deposits.list(params.index, query) },
    listValidatorDepositsByPubkey: { prepare, handle: ({ params, query }) => deposits.list(params.pubkey, query) },
  }
}
