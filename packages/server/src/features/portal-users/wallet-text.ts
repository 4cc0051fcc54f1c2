type SignInFields = {
  origin: string
  /** `Ethereum` or `Solana`. */
  network: string
  chainId: string
  address: string
  nonce: string
  issuedAt: Date
  expiresAt: Date
}

const CHAIN_ID = 'Chain ID: '
const STATEMENT = 'Sign in to Coffer. It moves nothing and costs nothing.'

/** EIP-4361, which wallets check against the page that asks; Solana's too. */
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

export const chainIdIn = (text: string): string | undefined =>
  text
    .split('\n')
    .find((line) => line.startsWith(CHAIN_ID))
    ?.slice(CHAIN_ID.length)
