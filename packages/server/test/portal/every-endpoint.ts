import { createEndpoints } from '@coffer/contract'
import { ofAccount, type PortalEndpoint, portalEndpoints } from '@coffer/contract/portal'
import { chainTypes } from '../../src/chains/chain-types.ts'

/** Includes those of the service under an account. */
export const everyEndpoint: Readonly<Record<string, PortalEndpoint>> = {
  ...portalEndpoints,
  ...ofAccount(createEndpoints(chainTypes.addresses)),
}

export const pathIn = ({ path }: PortalEndpoint, account: string, id: string): string =>
  path.replace(':account', account).replaceAll(/:\w+/g, id)
