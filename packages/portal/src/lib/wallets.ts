import { t } from './i18n.ts'

/** EIP-1193 provider, which EVM wallets put into a page. */
type EvmProvider = { request(call: { method: string; params?: readonly unknown[] }): Promise<unknown> }
type Announcement = CustomEvent<{ info: { uuid: string; name: string }; provider: EvmProvider }>

/** The members of the wallet standard that are used here. */
type StandardAccount = { address: string }
type StandardWallet = {
  name: string
  accounts: readonly StandardAccount[]
  features: {
    'standard:connect'?: { connect(): Promise<{ accounts: readonly StandardAccount[] }> }
    'solana:signMessage'?: {
      signMessage(input: {
        account: StandardAccount
        message: Uint8Array
      }): Promise<readonly { signature: Uint8Array }[]>
    }
  }
}

export type Signer = {
  id: string
  name: string
  /** Addresses that the user shows this page, the chosen one first; asks the user if there are none. */
  addresses: () => Promise<readonly string[]>
  /** Current chain as a decimal number; absent for wallets of a single chain. */
  chainId?: () => Promise<string>
  sign: (address: string, text: string) => Promise<string>
}

export type SignedText = { address: string; text: string; signature: string }

const ANNOUNCE_MS = 200

/** Finds this browser's wallets of a family as they answer: by EIP-6963, or the wallet standard. */
export async function findSigners(family: 'evm' | 'solana'): Promise<Signer[]> {
  const found = new Map<string, Signer>()
  const keep = (signer: Signer) => found.set(signer.id, signer)
  const stop = family === 'evm' ? listenForEvm(keep) : listenForSolana(keep)
  await new Promise((resolve) => setTimeout(resolve, ANNOUNCE_MS))
  stop()
  const { ethereum } = window as { ethereum?: EvmProvider }
  if (family === 'evm' && found.size === 0 && ethereum) keep(evmSigner('ethereum', t('Browser wallet'), ethereum))
  return [...found.values()]
}

export const findAllSigners = async (): Promise<Signer[]> =>
  (await Promise.all([findSigners('evm'), findSigners('solana')])).flat()

/** Lets the wallet sign the service's text for its chosen address. */
export async function signChallenge(
  signer: Signer,
  challenge: (wallet: { address: string; chainId?: string }) => Promise<{ text: string }>,
): Promise<SignedText> {
  const [address] = await signer.addresses()
  if (address === undefined) throw new Error(t('{name} shares no account with this page.', { name: signer.name }))
  const chainId = await signer.chainId?.()
  const { text } = await challenge({ address, ...(chainId !== undefined && { chainId }) })
  return { address, text, signature: await signer.sign(address, text) }
}

function listenForEvm(keep: (signer: Signer) => void): () => void {
  const hear = (event: Event) => {
    const { info, provider } = (event as Announcement).detail
    keep(evmSigner(info.uuid, info.name, provider))
  }
  addEventListener('eip6963:announceProvider', hear)
  dispatchEvent(new Event('eip6963:requestProvider'))
  return () => removeEventListener('eip6963:announceProvider', hear)
}

function evmSigner(id: string, name: string, provider: EvmProvider): Signer {
  const addresses = async () => (await provider.request({ method: 'eth_requestAccounts' })) as readonly string[]
  return {
    id,
    name,
    addresses,
    chainId: async () => BigInt(String(await provider.request({ method: 'eth_chainId' }))).toString(),
    sign: async (address, text) => {
      const known = (await addresses()).some((one) => one.toLowerCase() === address.toLowerCase())
      if (!known) throw new Error(otherAccount(name))
      return String(await provider.request({ method: 'personal_sign', params: [toHex(text), address] }))
    },
  }
}

function listenForSolana(keep: (signer: Signer) => void): () => void {
  const register = (...wallets: readonly StandardWallet[]) => {
    for (const wallet of wallets) if (wallet.features['solana:signMessage']) keep(solanaSigner(wallet))
    return () => undefined
  }
  const hear = (event: Event) => (event as CustomEvent<(api: object) => void>).detail({ register })
  addEventListener('wallet-standard:register-wallet', hear)
  dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register } }))
  return () => removeEventListener('wallet-standard:register-wallet', hear)
}

function solanaSigner(wallet: StandardWallet): Signer {
  const accounts = async () => {
    const connected = await wallet.features['standard:connect']?.connect()
    return [...(connected?.accounts ?? []), ...wallet.accounts]
  }
  return {
    id: wallet.name,
    name: wallet.name,
    addresses: async () => (await accounts()).map(({ address }) => address),
    sign: async (address, text) => {
      const account = (await accounts()).find((one) => one.address === address)
      if (!account) throw new Error(otherAccount(wallet.name))
      const message = new TextEncoder().encode(text)
      const [signed] = (await wallet.features['solana:signMessage']?.signMessage({ account, message })) ?? []
      if (!signed) throw new Error(t('The wallet did not sign.'))
      return btoa(String.fromCharCode(...signed.signature))
    },
  }
}

const otherAccount = (name: string): string =>
  t('{name} shares other accounts with this page. Select the account with this address there.', { name })

const toHex = (text: string): string =>
  `0x${[...new TextEncoder().encode(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
