import { Failure } from '@coffer/contract'
import type { walletEndpoints } from '@coffer/contract/portal'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { fromOf, signedIn } from './actor.ts'
import { openerOf } from './challenges.ts'
import { sessionCookie } from './session-cookie.ts'
import type { Wallets } from './wallets.ts'

export function walletRoutes({ wallets }: { wallets: Wallets }): Handlers<typeof walletEndpoints, PortalCaller> {
  return {
    beginWalletSignIn: async ({ caller, body, origin }) => ({
      text: await wallets.beginSignIn(body, { origin, opener: openerOf(caller) }),
    }),
    signInWithWallet: async ({ caller, body, origin }) => {
      const { token, view } = await wallets.signIn(body, { origin, ...fromOf(caller) })
      return { body: view, headers: { 'set-cookie': sessionCookie(token, origin) } }
    },
    beginWalletProof: async ({ caller, body, origin }) => ({
      text: await wallets.beginProof(signedIn(caller), body, { origin, opener: openerOf(caller) }),
    }),
    proveByWallet: async ({ caller, body, origin }) => ({
      provedUntil: (await wallets.prove(signedIn(caller), body, { origin })).toISOString(),
    }),
    listWallets: async ({ caller }) =>
      (await wallets.list(signedIn(caller).userId)).map(({ address, createdAt, lastUsedAt }) => ({
        address,
        createdAt: createdAt.toISOString(),
        lastUsedAt: lastUsedAt?.toISOString() ?? null,
      })),
    beginWallet: async ({ caller, body, origin }) => ({
      text: await wallets.beginLink(signedIn(caller), body, { origin, opener: openerOf(caller) }),
    }),
    linkWallet: async ({ caller, body, origin }) => ({
      address: await wallets.link(signedIn(caller), body, { origin, ...caller.from }),
    }),
    unlinkWallet: async ({ caller, params }) => {
      const isUnlinked = await wallets.unlink(signedIn(caller), params.address, caller.from)
      if (!isUnlinked) throw new Failure('NOT_FOUND', 'There is no such wallet')
      return {}
    },
  }
}
