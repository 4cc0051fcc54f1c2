import type { validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Rewards } from './rewards.ts'
import type { createValidatorDetails } from './validator-details.ts'

export function validatorRoutes({
  details,
  rewards,
}: {
  details: ReturnType<typeof createValidatorDetails>
  rewards: Rewards
}): Handlers<typeof validatorEndpoints> {
  return {
    getValidatorDetailsByIndex: ({ params }) => details.find(params.index),
    getValidatorDetailsByPubkey: ({ params }) => details.find(params.pubkey),
    listValidatorRewardsByIndex: ({ params, query }) => rewards.list(params.index, query),
    listValidatorRewardsByPubkey: ({ params, query }) => rewards.list(params.pubkey, query),
  }
}
