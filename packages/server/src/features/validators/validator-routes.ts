import type { validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { Rewards } from './rewards.ts'

export function validatorRoutes({ rewards }: { rewards: Rewards }): Handlers<typeof validatorEndpoints> {
  return {
    listValidatorRewardsByIndex: ({ params, query }) => rewards.list(params.index, query),
    listValidatorRewardsByPubkey: ({ params, query }) => rewards.list(params.pubkey, query),
  }
}
