import type { validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Deposits } from './deposits.ts'
import type { Rewards } from './rewards.ts'
import type { createValidatorDetails } from './validator-details.ts'
import type { Withdrawals } from './withdrawals.ts'

export function validatorRoutes({
  details,
  rewards,
  withdrawals,
  deposits,
}: {
  details: ReturnType<typeof createValidatorDetails>
  rewards: Rewards
  withdrawals: Withdrawals
  deposits: Deposits
}): Handlers<typeof validatorEndpoints> {
  return {
    getValidatorDetailsByIndex: ({ params }) => details.find(params.index),
    getValidatorDetailsByPubkey: ({ params }) => details.find(params.pubkey),
    listValidatorRewardsByIndex: ({ params, query }) => rewards.list(params.index, query),
    listValidatorRewardsByPubkey: ({ params, query }) => rewards.list(params.pubkey, query),
    listValidatorWithdrawalsByIndex: ({ params, query }) => withdrawals.list(params.index, query),
    listValidatorWithdrawalsByPubkey: ({ params, query }) => withdrawals.list(params.pubkey, query),
    listValidatorDepositsByIndex: ({ params, query }) => deposits.list(params.index, query),
    listValidatorDepositsByPubkey: ({ params, query }) => deposits.list(params.pubkey, query),
  }
}
