import { poolsOfType } from '../../wallets/create-pools.ts'
import type { Module, Ports } from '../module.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import type { PortalUsers } from './context.ts'
import { createSetupLink } from './links.ts'
import { memberRoutes } from './member-routes.ts'
import { type IssuerSettings, keptConfiguration } from './openid-issuer.ts'
import { identityRoutes } from './openid-routes.ts'
import { createPasswords } from './passwords.ts'
import { authorize, type DoorPorts, identify, limit } from './portal-door.ts'
import { createPortalPrices } from './portal-prices.ts'
import { linkRoutes, sessionRoutes, totpRoutes } from './session-routes.ts'
import { walletRoutes } from './wallet-routes.ts'

type OwnPorts = Ports & { config: { oidc: IssuerSettings | null }; rateLimits: RateLimits; vault: SecretVault }

export function composePortal(ports: DoorPorts) {
  const { db } = ports.database
  const door = {
    identify: identify.bind(null, db),
    limit: limit.bind(null, ports),
    authorize,
    priceOf: createPortalPrices({ db }),
  }
  return { door, makeSetupLink: async () => (await createSetupLink(db))?.token }
}

export function portalUserModule({ config: { oidc }, database: { db }, rateLimits, reading, ...ports }: OwnPorts) {
  const { vault, chainTypes, clock, logger: log } = ports
  const context: PortalUsers = {
    db,
    vault,
    passwords: createPasswords(),
    take: rateLimits.take,
    issuer: oidc && { ...oidc, kept: keptConfiguration(clock), clock, log },
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
      ...identityRoutes(context),
      ...memberRoutes(context),
    },
  } satisfies Module
}
