import { randomBytes } from 'node:crypto'
import { Failure } from '@coffer/contract'
import type { Kysely } from 'kysely'
import type { Chain } from '../../chains/chain.ts'
import type { ChainType, ChainTypes } from '../../chains/chain-type.ts'
import type { RpcPool } from '../../chains/rpc/rpc-pool.ts'
import type { Tables } from '../../db/tables.ts'
import { type Challenged, isOpen, type Opening, openChallenge, timesOfChallenge } from './challenges.ts'
import { chainIdIn, signInText } from './wallet-text.ts'

export type SignedChallenge = { text: string; signature: string }

/** `chainId`: where a contract wallet is asked. */
export type ShownWallet = { address: string; chainId?: string | undefined }

const NONCE_BYTES = 16

export type AskedChains = {
  enabled: readonly Pick<Chain, 'key' | 'family' | 'chainId'>[]
  poolsOf(chainType: ChainType): ReadonlyMap<string, RpcPool>
}

export function createWalletChallenges({
  db,
  chainTypes,
  chains: { enabled, poolsOf },
}: {
  db: Kysely<Tables>
  chainTypes: Pick<ChainTypes, 'addresses' | 'ofWallet'>
  chains: AskedChains
}) {
  function walletOf(text: string) {
    const address = chainTypes.addresses.parse(text)?.address
    const chainType = address === undefined ? undefined : chainTypes.ofWallet(address)
    if (address === undefined || !chainType?.signIn || !chainType.verifyOwner) {
      throw new Failure('VALIDATION_ERROR', 'address: is not a wallet that can sign in')
    }
    return { address, chainType, form: chainType.signIn, verifyOwner: chainType.verifyOwner }
  }
  type Wallet = ReturnType<typeof walletOf>

  const chainOf = ({ name }: ChainType, chainId: string | undefined) =>
    enabled.find((chain) => chain.family === name && chain.chainId === chainId)

  async function make(
    { address, chainType, form }: Wallet,
    { chainId, ...site }: Opening & { chainId: string | undefined },
    challenged: Challenged,
  ): Promise<string> {
    const { now, end } = await timesOfChallenge(db)
    const text = signInText({
      origin: site.origin,
      network: form.network,
      chainId: chainOf(chainType, chainId)?.chainId ?? form.chainId,
      address: form.spell(address),
      nonce: randomBytes(NONCE_BYTES).toString('hex'),
      issuedAt: now,
      expiresAt: end,
    })
    await openChallenge(db, text, challenged, site)
    return text
  }

  /** A text names the site that asks for the signature. */
  async function requireOpen({ text }: SignedChallenge, challenged: Challenged & { origin: string }): Promise<void> {
    if (!(await isOpen(db, text, challenged))) throw notAccepted()
  }

  /**
   * Returns the chain where the wallet's contract agreed, null if its key signed. A contract is asked only on the chain
   * that the text names (EIP-4361).
   */
  async function verify(
    { address, chainType, verifyOwner }: Wallet,
    { text, signature }: SignedChallenge,
    mayAsk: (chain: string) => boolean = () => true,
  ): Promise<string | null> {
    const named = chainOf(chainType, chainIdIn(text))?.key
    const asked = () => new Map([...poolsOf(chainType)].filter(([chain]) => chain === named && mayAsk(chain)))
    const verdict = await verifyOwner({ address, text, signature }, asked)
    if (verdict.isValid) return verdict.chain
    if (verdict.unasked.length === 0) throw notAccepted()
    const told = `No node of ${verdict.unasked.join(', ')} could check the signature with the contract of the wallet: try again`
    throw new Failure('UPSTREAM_UNAVAILABLE', told)
  }

  return { walletOf, make, requireOpen, verify }
}

export const notAccepted = () => new Failure('UNAUTHORIZED', 'The signature was not accepted')
