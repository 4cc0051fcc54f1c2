import { type Address, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

/** Publicly known: never use it for anything of value. */
const MNEMONIC = 'pool swear wagon tone there filter refuse magnet elite grief ensure nest'

type Wallet = { address: Address; privateKey: `0x${string}` }

const derive = (addressIndex: number): Wallet => {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  const { privateKey } = account.getHdKey()
  if (!privateKey) throw new Error('a mnemonic leads to a private key')
  return { address: account.address, privateKey: toHex(privateKey) }
}

export const wallets = {
  /** Some of everything, on every chain. */
  demo: derive(1),
  empty: derive(2),
  /** Single units and worthless tokens. */
  dust: derive(3),
  /** Balances near the limits of contracts. */
  whale: derive(4),
  /** Uses the protocols of `ethereum` that `demo` does not. */
  farmer: derive(5),
  /** Uses the protocols of `openShowcase`. */
  collector: derive(6),
} as const

/** Tests do not read these. */
export const accounts = {
  /** Owns and configures every contract. */
  deployer: derive(10).address,
  /** Provides liquidity, trades, pays tokens. */
  market: derive(11).address,
  /** Borrows where the lender may not. */
  borrower: derive(12).address,
} as const
