import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import type { walletEndpoints } from '@coffer/contract/portal'
import { sql } from 'kysely'
import type { ChainType } from '../../chains/chain-type.ts'
import type { Db } from '../../db/tables.ts'
import type { PortalCaller } from '../../http/gates.ts'
import type { Handlers } from '../../http/mount.ts'
import { plainRow } from '../../lib/plain-row.ts'
import { recordOwn } from './audit.ts'
import { type Challenged, isOpen, openChallenge, takeChallenge, timesOfChallenge } from './challenges.ts'
import { type Call, type PortalUsers, signedIn } from './context.ts'
import { checkCode } from './second-factors.ts'
import { signedInAnswer } from './session-cookie.ts'
import { noteProof } from './sessions.ts'
import { limitNetwork, limitUser } from './sign-in-limits.ts'
import { takeWay } from './sign-in-ways.ts'
import { beginSignedIn, proofsOf } from './sign-ins.ts'
import { chainIdIn, signInText } from './wallet-text.ts'

type Purpose = 'wallet-sign-in' | 'proof' | 'wallet'
/** `chainId`: where a contract wallet is asked. */
type ShownWallet = { address: string; chainId?: string | undefined }
type Signed = { address: string; text: string; signature: string; code?: string | undefined }

const NONCE_BYTES = 16

/** A wallet never creates a user. */
export function walletRoutes(context: PortalUsers): Handlers<typeof walletEndpoints, PortalCaller> {
  const { db } = context
  return {
    beginWalletSignIn: (call) => begin(context, call, 'wallet-sign-in'),
    signInWithWallet: async (call) => {
      const { caller, origin } = call
      // Anyone may send signatures for the wallet: they count against the network.
      const user = await userOfSigned(context, call, 'wallet-sign-in', () => limitNetwork(context, caller.from.address))
      return signedInAnswer(await beginSignedIn(db, caller, user, 'wallet'), origin)
    },
    beginWalletProof: (call) => begin(context, call, 'proof'),
    proveByWallet: async (call) => {
      const { userId, id } = signedIn(call.caller)
      await userOfSigned(context, call, 'proof', () => limitUser(context, proofsOf(userId)), userId)
      return noteProof(db, id)
    },
    listWallets: async ({ caller }) => (await listWallets(db, signedIn(caller).userId)).map(plainRow),
    beginWallet: (call) => begin(context, call, 'wallet'),
    linkWallet: (call) => link(context, call),
    unlinkWallet: ({ caller, params }) =>
      takeWay(context, caller, 'wallet', async (trx, userId) => {
        const { address } = walletOf(context, params.address)
        const { numAffectedRows } = await sql`
          delete from portal_wallet where address = ${address} and user_id = ${BigInt(userId)}`.execute(trx)
        return numAffectedRows === 1n ? { action: 'unlinked a wallet', detail: { address } } : undefined
      }),
  }
}

const listWallets = (db: Db, userId: string) =>
  db
    .selectFrom('portal_wallet')
    .select(['address', 'created_at as createdAt', 'last_used_at as lastUsedAt'])
    .where('user_id', '=', BigInt(userId))
    .orderBy('created_at')
    .execute()

function walletOf({ chainTypes }: PortalUsers, text: string) {
  const address = chainTypes.addresses.parse(text)?.address
  const chainType = address === undefined ? undefined : chainTypes.ofWallet(address)
  if (address === undefined || !chainType?.signIn || !chainType.verifyOwner) {
    throw new Failure('VALIDATION_ERROR', 'address: is not a wallet that can sign in')
  }
  return { address, chainType, form: chainType.signIn, verifyOwner: chainType.verifyOwner }
}

/** A sign-in is of the wallet alone; a proof and a link are of the signed-in user too. */
const challengedOf = (purpose: Purpose, caller: PortalCaller, address: string): Challenged => ({
  purpose,
  subject: purpose === 'wallet-sign-in' ? address : `${signedIn(caller).userId} ${address}`,
})

const chainOf = ({ chains }: PortalUsers, { name }: ChainType, chainId: string | undefined) =>
  chains.find((chain) => chain.family === name && chain.chainId === chainId)

async function begin(context: PortalUsers, call: Call<ShownWallet>, purpose: Purpose): Promise<{ text: string }> {
  const { caller, body, origin } = call
  const { address, chainType, form } = walletOf(context, body.address)
  const { now, end } = await timesOfChallenge(context.db)
  const text = signInText({
    origin,
    network: form.network,
    chainId: chainOf(context, chainType, body.chainId)?.chainId ?? form.chainId,
    address: form.spell(address),
    nonce: randomBytes(NONCE_BYTES).toString('hex'),
    issuedAt: now,
    expiresAt: end,
  })
  await openChallenge(context.db, text, challengedOf(purpose, caller, address), call)
  return { text }
}

/** Null: the key signed. A contract is asked only on the chain that the text names (EIP-4361). */
async function verify(
  context: PortalUsers,
  { address: given, text, signature }: Signed,
  mayAsk: (chain: string) => boolean = () => true,
): Promise<string | null> {
  const { address, chainType, verifyOwner } = walletOf(context, given)
  const named = chainOf(context, chainType, chainIdIn(text))?.key
  const asked = () => new Map([...context.poolsOf(chainType)].filter(([chain]) => chain === named && mayAsk(chain)))
  const verdict = await verifyOwner({ address, text, signature }, asked)
  if (verdict.isValid) return verdict.chain
  if (verdict.unasked.length === 0) throw notAccepted()
  const reported = `No node of ${verdict.unasked.join(', ')} could check the signature with the contract of the wallet: try again`
  throw new Failure('UPSTREAM_UNAVAILABLE', reported)
}

async function link(context: PortalUsers, { caller, body, origin }: Call<Signed>): Promise<{ address: string }> {
  const { address } = walletOf(context, body.address)
  const challenged = { ...challengedOf('wallet', caller, address), origin }
  if (!(await isOpen(context.db, body.text, challenged))) throw notAccepted()
  const chain = await verify(context, body)
  return context.db.transaction().execute(async (trx) => {
    if (!(await takeChallenge(trx, body.text, challenged))) throw notAccepted()
    const { numInsertedOrUpdatedRows } = await trx
      .insertInto('portal_wallet')
      .values({ address, chain, user_id: BigInt(signedIn(caller).userId), last_used_at: null })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirst()
    if (numInsertedOrUpdatedRows !== 1n) throw new Failure('VALIDATION_ERROR', 'address: is linked already')
    await recordOwn(trx, caller, 'linked a wallet', { address, ...(chain !== null && { chain }) })
    return { address }
  })
}

/** Closes the challenge. `expected`: the only user to accept. */
async function userOfSigned(
  context: PortalUsers,
  { caller, body, origin }: Call<Signed>,
  purpose: Purpose,
  limit: () => Promise<void>,
  expected?: string,
): Promise<{ id: string; name: string }> {
  const { db } = context
  const { address } = walletOf(context, body.address)
  const challenged = { ...challengedOf(purpose, caller, address), origin }
  if (!(await isOpen(context.db, body.text, challenged))) throw notAccepted()
  await limit()
  const found = await db
    .selectFrom('portal_wallet as w')
    .innerJoin('portal_user as u', 'u.id', 'w.user_id')
    .select([sql<string>`u.id::text`.as('id'), 'u.name', 'w.chain'])
    .where('w.address', '=', address)
    .executeTakeFirst()
  const user = expected === undefined || found?.id === expected ? found : undefined
  // On other chains the same address may be another owner's contract.
  await verify(context, body, (chain) => chain === user?.chain)
  if (!user) throw notAccepted()
  // Only the wallet's owner gets this far; bounds guesses of codes.
  if (body.code !== undefined) await limitUser(context, address)
  await checkCode(context, user.id, body.code)
  if (!(await takeChallenge(db, body.text, challenged))) throw notAccepted()
  await sql`update portal_wallet set last_used_at = coffer_now() where address = ${address}`.execute(db)
  return user
}

const notAccepted = () => new Failure('UNAUTHORIZED', 'The signature was not accepted')
