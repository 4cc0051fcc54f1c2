import { type Kysely, sql } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { type Challenged, type Opening, takeChallenge } from './challenges.ts'
import type { SecondFactors } from './second-factors.ts'
import { type From, noteProof } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import { type Begun, beginSignedIn, proofsOf } from './sign-ins.ts'
import {
  type createWalletChallenges,
  notAccepted,
  type ShownWallet,
  type SignedChallenge,
} from './wallet-challenges.ts'

type Site = { origin: string }
type SignedWithCode = { address: string; code?: string | undefined } & SignedChallenge

export function createWalletSignIns({
  db,
  challenges: { walletOf, make, requireOpen, verify },
  secondFactors,
  attempts,
}: {
  db: Kysely<Tables>
  challenges: ReturnType<typeof createWalletChallenges>
  secondFactors: Pick<SecondFactors, 'check'>
  attempts: SignInLimits
}) {
  /** Closes the challenge. `expected`: the only user to accept. */
  async function userOfSigned(
    wallet: ReturnType<typeof walletOf>,
    { code, ...signed }: SignedWithCode,
    challenged: Challenged & Site,
    limit: () => Promise<void>,
    expected?: string,
  ) {
    const { address } = wallet
    await requireOpen(signed, challenged)
    await limit()
    const found = await db
      .selectFrom('portal_wallet as w')
      .innerJoin('portal_user as u', 'u.id', 'w.user_id')
      .select(['u.id', 'u.name', 'w.chain'])
      .where('w.address', '=', address)
      .executeTakeFirst()
    const user = expected === undefined || String(found?.id) === expected ? found : undefined
    // On other chains the same address may be another owner's contract.
    await verify(wallet, signed, (chain) => chain === user?.chain)
    if (!user) throw notAccepted()
    // Only the wallet's owner gets this far; bounds guesses of codes.
    if (code !== undefined) await attempts.ofUser(address)
    await secondFactors.check(String(user.id), code)
    if (!(await takeChallenge(db, signed.text, challenged))) throw notAccepted()
    await sql`update portal_wallet set last_used_at = coffer_now() where address = ${address}`.execute(db)
    return user
  }

  return {
    beginSignIn({ address, chainId }: ShownWallet, site: Opening): Promise<string> {
      const wallet = walletOf(address)
      return make(wallet, { ...site, chainId }, signingIn(wallet))
    },
    async signIn({ code, ...signed }: SignedWithCode, { origin, ...from }: Site & From): Promise<Begun> {
      const wallet = walletOf(signed.address)
      // Anyone may send signatures for the wallet: they count against the network.
      const limit = () => attempts.fromNetwork(from.address)
      const user = await userOfSigned(wallet, { ...signed, code }, { ...signingIn(wallet), origin }, limit)
      return beginSignedIn(db, { userId: String(user.id), userName: user.name }, 'wallet', from)
    },
    beginProof({ userId }: PortalSession, { address, chainId }: ShownWallet, site: Opening): Promise<string> {
      const wallet = walletOf(address)
      return make(wallet, { ...site, chainId }, proving(userId, wallet))
    },
    async prove({ userId, id }: PortalSession, { code, ...signed }: SignedWithCode, { origin }: Site): Promise<Date> {
      const wallet = walletOf(signed.address)
      const limit = () => attempts.ofUser(proofsOf(userId))
      await userOfSigned(wallet, { ...signed, code }, { ...proving(userId, wallet), origin }, limit, userId)
      return noteProof(db, id)
    },
  }
}

const signingIn = ({ address }: { address: string }): Challenged => ({ purpose: 'wallet-sign-in', subject: address })
const proving = (userId: string, { address }: { address: string }): Challenged => ({
  purpose: 'proof',
  subject: `${userId} ${address}`,
})
