import type { Gates } from '../../http/gates.ts'
import { poolsOfType } from '../../wallets/open-pools.ts'
import type { Module, Ports } from '../module.ts'
import type { RateLimits } from '../rate-limit/rate-limits.ts'
import type { SecretVault } from '../secrets/secret-vault.ts'
import { createLinkUses } from './link-uses.ts'
import { createSetupLink } from './links.ts'
import { linkRoutes, memberRoutes } from './member-routes.ts'
import { createOpenId } from './openid.ts'
import { createIssuer, type IssuerSettings } from './openid-issuer.ts'
import { createPasswordDelays } from './password-delays.ts'
import { createPasswords } from './passwords.ts'
import { createPortalDoor } from './portal-door.ts'
import { createSecondFactors } from './second-factors.ts'
import { openIdRoutes, sessionRoutes, totpRoutes, walletRoutes } from './session-routes.ts'
import { createSignInLimits } from './sign-in-limits.ts'
import { createTakeWay } from './sign-in-ways.ts'
import { createSignIns } from './sign-ins.ts'
import { ownPasskeys, ownSessions } from './user-security.ts'
import { createWallets } from './wallets.ts'

type DoorPorts = Pick<Ports, 'database'> & {
  gates: Pick<Gates, 'limitAnonymous'>
  rateLimits: Pick<RateLimits, 'take' | 'takeBoth'>
}
type OwnPorts = Omit<DoorPorts, 'gates'> &
  Pick<Ports, 'chainTypes' | 'reading' | 'clock' | 'logger'> & {
    vault: SecretVault
    config: { oidc: IssuerSettings | null }
  }

export const openPortal = ({ database: { db }, gates, rateLimits }: DoorPorts) => ({
  door: createPortalDoor({ db, gates, rateLimits }),
  makeSetupLink: async () => (await createSetupLink(db))?.token,
})

export function portalUserModule({ config, database: { db }, rateLimits: { take }, vault, ...ports }: OwnPorts) {
  const { chainTypes, reading, clock, logger: log } = ports
  const chains = { enabled: reading.enabled, poolsOf: poolsOfType(reading) }
  const passwords = createPasswords()
  const secondFactors = createSecondFactors({ db, vault })
  const attempts = createSignInLimits(take)
  const signIns = createSignIns({ db, passwords, secondFactors, attempts, delays: createPasswordDelays(db) })
  const takeWay = createTakeWay(config.oidc?.issuer ?? null)
  const wallets = createWallets({ db, chainTypes, chains, secondFactors, attempts, takeWay })
  const links = createLinkUses({ db, passwords })
  const issuer = config.oidc && createIssuer(config.oidc, { clock, log })
  const openId = createOpenId({ db, issuer, links, takeWay })
  return {
    portal: {
      ...sessionRoutes({ signIns, passkeys: ownPasskeys({ db, takeWay }), sessions: ownSessions({ db, passwords }) }),
      ...linkRoutes({ links }),
      ...totpRoutes({ secondFactors }),
      ...walletRoutes({ wallets }),
      ...openIdRoutes({ openId }),
      ...memberRoutes({ db }),
    },
  } satisfies Module
}
