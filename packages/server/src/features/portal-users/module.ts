import { poolsOfType } from '../../wallets/open-pools.ts'
import type { Module, Ports } from '../module.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import type { PortalUsers } from './context.ts'
import { createSetupLink } from './links.ts'
import { memberRoutes } from './member-routes.ts'
import { createIssuer, type IssuerSettings } from './openid-issuer.ts'
import { openIdRoutes } from './openid-routes.ts'
import { createPasswords } from './passwords.ts'
import { createPortalDoor, type DoorPorts } from './portal-door.ts'
import { linkRoutes, sessionRoutes, totpRoutes } from './session-routes.ts'
import { walletRoutes } from './wallet-routes.ts'

type OwnPorts = Ports & { config: { oidc: IssuerSettings | null }; rateLimits: RateLimits; vault: SecretVault }

export const openPortal = (ports: DoorPorts) => ({
  door: createPortalDoor(ports),
  makeSetupLink: async () => (await createSetupLink(ports.database.db))?.token,
})

export function portalUserModule({ config: { oidc }, database: { db }, rateLimits, reading, ...ports }: OwnPorts) {
  const { vault, chainTypes, clock, logger: log } = ports
  const context: PortalUsers = {
    db,
    vault,
    passwords: createPasswords(),
    take: rateLimits.take,
    issuer: oidc && createIssuer(oidc, { clock, log }),
    chainTypes,
    chains: reading.enabled,
    poolsOf: poolsOfType(reading),
  }
  return {
    portal: {
      ...sessionRoutes(context),
      ...linkRoutes(context),
      ...totpRoutes(context),
      ...walletRoutes(context),
      ...openIdRoutes(context),
      ...memberRoutes(context),
    },
  } satisfies Module
}
