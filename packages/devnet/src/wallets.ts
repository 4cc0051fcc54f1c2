import { type Address, toHex } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

/** Of these local chains alone; known to everybody, so nothing of value may ever stand behind it. */
const MNEMONIC = 'pool swear wagon tone there filter refuse magnet elite grief ensure nest'

type Wallet = { address: Address; privateKey: `0x${string}` }

const derive = (addressIndex: number): Wallet => {
  const account = mnemonicToAccount(MNEMONIC, { addressIndex })
  const { privateKey } = account.getHdKey()
  if (!privateKey) throw new Error('a mnemonic leads to a private key')
  return { address: account.address, privateKey: toHex(privateKey) }
}

/** The wallets tests and the demonstration look at. */
export const wallets = {
  /** Holds something of everything, on every chain. */
  demo: derive(1),
  /** Holds nothing anywhere. */
  empty: derive(2),
  /** Holds single units and worthless tokens only. */
  dust: derive(3),
  /** Holds balances near the limits of what contracts accept. */
  whale: derive(4),
  /** Has a position in each protocol of `ethereum` that the demonstration's first wallet does not use. */
  farmer: derive(5),
  /** Has positions in protocols that `openShowcase` deploys. */
  collector: derive(6),
} as const

/** Who sets the chains up; not for tests to look at. */
export const accounts = {
  /** Deployed, owns and configures every contract. */
  deployer: derive(10).address,
  /** Provides liquidity to pools and markets, trades in them, and pays what tests hand out. */
  market: derive(11).address,
  /** Borrows where the account that lends may not. */
  borrower: derive(12).address,
} as const
