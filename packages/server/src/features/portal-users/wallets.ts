import { Failure } from '@coffer/contract'
import { type Kysely, sql, type Transaction } from 'kysely'
import type { ChainTypes } from '../../chains/chain-type.ts'
import type { Tables } from '../../db/tables.ts'
import type { PortalSession } from '../../http/gates.ts'
import { recordAction } from './audit.ts'
import { type Challenged, type Opening, takeChallenge } from './challenges.ts'
import type { SecondFactors } from './second-factors.ts'
import { type From, noteProof } from './sessions.ts'
import type { SignInLimits } from './sign-in-limits.ts'
import type { TakeWay } from './sign-in-ways.ts'
import { type Begun, beginSignedIn, proofsOf } from './sign-ins.ts'
import {
  type AskedChains,
  createWalletChallenges,
  notAccepted,
  type ShownWallet,
  type SignedChallenge,
} from './wallet-challenges.ts'

type Site = { origin: string }
type Signed = { address: string } & SignedChallenge

export type Wallets = ReturnType<typeof createWallets>

/** A wallet never creates a user. */
export function createWallets({
  db,
  chainTypes,
  chains,
  secondFactors,
  attempts,
  takeWay,
}: {
  db: Kysely<Tables>
  chainTypes: Pick<ChainTypes, 'addresses' | 'ofWallet'>
  chains: AskedChains
  secondFactors: Pick<SecondFactors, 'check'>
  attempts: SignInLimits
  takeWay: TakeWay
}) {
  const challenges = createWalletChallenges({ db, chainTypes, chains })
  const { walletOf, make, requireOpen, verify } = challenges

  return {
    ...createWalletSignIns({ db, challenges, secondFactors, attempts }),
    list: (userId: string) => listWallets(db, userId),
    beginLink({ userId }: PortalSession, { address, chainId }: ShownWallet, site: Opening): Promise<string> {
      const wallet = walletOf(address)
      return make(wallet, { ...site, chainId }, linking(userId, wallet))
    },
    async link(
      { userId, userName }: PortalSession,
      signed: Signed,
      { origin, address: from }: Site & From,
    ): Promise<string> {
      const wallet = walletOf(signed.address)
      const { address } = wallet
      const challenged = { ...linking(userId, wallet), origin }
      await requireOpen(signed, challenged)
      const chain = await verify(wallet, signed)
      await db.transaction().execute(async (trx) => {
        if (!(await takeChallenge(trx, signed.text, challenged))) throw notAccepted()
        const { numInsertedOrUpdatedRows } = await trx
          .insertInto('portal_wallet')
          .values({ address, chain, user_id: BigInt(userId), last_used_at: null })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        if (numInsertedOrUpdatedRows !== 1n) throw new Failure('VALIDATION_ERROR', 'address: is linked already')
        const action = {
          action: 'linked a wallet',
          accountId: null,
          detail: { address, ...(chain !== null && { chain }) },
        }
        await recordAction(trx, { userId, userName, address: from }, action)
      })
      return address
    },
    unlink: ({ userId, userName }: PortalSession, given: string, { address: from }: From): Promise<boolean> =>
      db.transaction().execute((trx) =>
        takeWay(trx, userId, async () => {
          const { address } = walletOf(given)
          if (!(await removeWallet(trx, userId, address))) return false
          const action = { action: 'unlinked a wallet', accountId: null, detail: { address } }
          await recordAction(trx, { userId, userName, address: from }, action)
          return true
        }),
      ),
  }
}

const listWallets = (db: Kysely<Tables>, userId: string) =>
  db
    .selectFrom('portal_wallet')
    .select(['address', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('created_at')
    .execute()

async function removeWallet(trx: Transaction<Tables>, userId: string, address: string): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('portal_wallet')
    .where('address', '=', address)
    .where('user_id', '=', BigInt(userId))
    .executeTakeFirst()
  return numDeletedRows > 0n
}

const linking = (userId: string, { address }: { address: string }): Challenged => ({
  purpose: 'wallet',
  subject: `${userId} ${address}`,
})

type SignedWithCode = { address: string; code?: string | undefined } & SignedChallenge

function createWalletSignIns({
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
