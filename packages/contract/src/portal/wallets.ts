import { z } from 'zod'
import { defineEndpoints } from '../endpoint.ts'
import { own } from './requirement.ts'
import { code, proof, sessionView } from './session.ts'

const moment = z.iso.datetime({ precision: 3 })
const address = z.string().min(1).max(100)
/** `chainId`: the chain that the wallet shows. A contract wallet is checked there, and signs in there alone. */
const shown = z.object({
  address,
  chainId: z
    .string()
    .regex(/^[1-9]\d{0,19}$/, 'must be the id of a chain')
    .optional(),
})
const challenge = z.object({
  /** To be signed unchanged, by `personal_sign` or a Solana wallet's `signMessage`. */
  text: z.string(),
})
/** Room for the deployment of a wallet that does not exist yet (ERC-6492). */
const SIGNATURE_MAX = 100_000
/** `signature`: 0x and hex digits (EVM), base58 or base64 (Solana). */
const signed = { address, text: z.string().max(2_000), signature: z.string().max(SIGNATURE_MAX) }

const signIn = { ...own, tag: 'Sign-in', method: 'POST', requires: { who: 'anyone', knownSite: true } } as const
const ofUser = { ...own, tag: 'User', requires: { who: 'user', proof: true } } as const

export const walletEndpoints = defineEndpoints({
  beginWalletSignIn: {
    ...signIn,
    path: '/portal/api/sign-in/wallet-challenge',
    summary: 'Begin to sign in with a wallet',
    description: 'Returns an EIP-4361 text, valid for five minutes. A wallet signs in the user that has linked it.',
    body: shown,
    response: challenge,
  },
  signInWithWallet: {
    ...signIn,
    path: '/portal/api/sign-in/wallet',
    summary: 'Sign in with a wallet',
    setsCookie: true,
    failures: [502],
    body: z.object({ ...signed, code: code.optional() }),
    response: sessionView,
  },
  beginWalletProof: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/proof/wallet-challenge',
    summary: 'Begin to prove who you are with a wallet',
    requires: { who: 'user', knownSite: true },
    body: shown,
    response: challenge,
  },
  proveByWallet: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/proof/wallet',
    summary: 'Prove who you are with a wallet',
    description: 'Takes the signature of a linked wallet of the user, and a code from the authenticator app.',
    requires: { who: 'user', knownSite: true },
    failures: [502],
    body: z.object({ ...signed, code: code.optional() }),
    response: proof,
  },
  listWallets: {
    ...ofUser,
    method: 'GET',
    path: '/portal/api/user/wallets',
    summary: 'List wallets to sign in with',
    requires: { who: 'user' },
    response: z.array(z.object({ address: z.string(), createdAt: moment, lastUsedAt: moment.nullable() })),
  },
  beginWallet: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/wallets/challenge',
    summary: 'Begin to link a wallet',
    requires: { who: 'user', proof: true, knownSite: true },
    body: shown,
    response: challenge,
  },
  linkWallet: {
    ...ofUser,
    method: 'POST',
    path: '/portal/api/user/wallets',
    summary: 'Link a wallet to sign in with',
    requires: { who: 'user', proof: true, knownSite: true },
    status: 201,
    failures: [502],
    body: z.object(signed),
    response: z.object({ address: z.string() }),
  },
  unlinkWallet: {
    ...ofUser,
    method: 'DELETE',
    path: '/portal/api/user/wallets/:address',
    summary: 'Unlink a wallet',
    failures: [404, 409],
    params: z.object({ address }),
    response: z.object({}),
  },
})
