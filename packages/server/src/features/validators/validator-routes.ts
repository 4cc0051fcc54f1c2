import type { validatorEndpoints } from '@coffer/contract'
import type { Handlers } from '../../http/mount.ts'
import type { createValidatorDetails } from './validator-details.ts'

export function validatorRoutes({
  details,
}: {
  details: ReturnType<typeof createValidatorDetails>
}): Handlers<typeof validatorEndpoints> {
  return {
    getValidatorDetailsByIndex: ({ params }) => details.find(params.index),
    getValidatorDetailsByPubkey: ({ params }) => details.find(params.pubkey),
  }
}
