import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Tables } from '../../db/tables.ts'
import type { ChainKinds } from '../../kinds/kind.ts'
import { type Challenged, isOpen, openChallenge, timesOfChallenge } from './challenges.ts'
import { signInText } from './wallet-text.ts'

/** A text that a wallet was given to sign, and what it answered. */
export type SignedChallenge = { text: string; signature: string }

const NONCE_BYTES = 16

/** Texts for wallets to sign, and whether they did. */
export function createWalletChallenges({
  db,
  kinds,
}: {
  db: Kysely<Tables>
  kinds: Pick<ChainKinds, 'addresses' | 'ofWallet'>
}) {
  /** The wallet as its kind spells it, and how it signs in. */
  function walletOf(text: string) {
    const address = kinds.addresses.parse(text)?.address
    const kind = address === undefined ? undefined : kinds.ofWallet(address)
    if (address === undefined || !kind?.signIn || !kind.verifyOwner) {
      throw new Failure('VALIDATION_ERROR', 'address: is not of a wallet that can sign in')
    }
    return { address, form: kind.signIn, verifyOwner: kind.verifyOwner }
  }
  type Wallet = ReturnType<typeof walletOf>

  async function make(
    { address, form }: Wallet,
    { origin }: { origin: string },
    challenged: Challenged,
  ): Promise<string> {
    const { now, end } = await timesOfChallenge(db)
    const text = signInText({
      ...{ origin, network: form.network, chainId: form.chainId, address: form.spell(address) },
      ...{ nonce: randomBytes(NONCE_BYTES).toString('hex'), issuedAt: now, expiresAt: end },
    })
    await openChallenge(db, text, challenged)
    return text
  }

  /** Refuses what is not signed by the key of the wallet: contracts are not asked. */
  async function verify(
    { address, verifyOwner }: Wallet,
    { text, signature }: SignedChallenge,
    challenged: Challenged,
  ) {
    if (!(await isOpen(db, text, challenged))) throw notAccepted()
    const { isValid } = await verifyOwner({ address, text, signature }, () => new Map())
    if (!isValid) throw notAccepted()
  }

  return { walletOf, make, verify }
}

export const notAccepted = () => new Failure('UNAUTHORIZED', 'The signature was not accepted')
