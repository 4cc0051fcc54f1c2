/** What a wallet signs: who asks, under which origin, of which account. */
export type SignInFields = {
  origin: string
  /** What the account is called one of: `Ethereum` or `Solana`. */
  network: string
  chainId: string
  /** As wallets of the network show it. */
  address: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

const CHAIN_ID = 'Chain ID: '
const STATEMENT = 'Sign in to Coffer. It moves nothing and costs nothing.'

/** A message of EIP-4361, which wallets know and check against the page that asks; Solana's wallets know the same form. */
export const signInText = ({ origin, network, chainId, address, nonce, issuedAt, expiresAt }: SignInFields): string =>
  [
    `${new URL(origin).host} wants you to sign in with your ${network} account:`,
    address,
    '',
    STATEMENT,
    '',
    `URI: ${origin}`,
    'Version: 1',
    `${CHAIN_ID}${chainId}`,
    `Nonce: ${nonce}`,
    `Issued At: ${issuedAt.toISOString()}`,
    `Expiration Time: ${expiresAt.toISOString()}`,
  ].join('\n')

/** The chain that a text of this form names. */
export const chainIdIn = (text: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(CHAIN_ID))
    ?.slice(CHAIN_ID.length)
