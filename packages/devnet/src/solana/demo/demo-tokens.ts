import { type Address, address, type KeyPairSigner } from '@solana/kit'
import { mintExtensions } from '../actions/mint-extensions.ts'
import type { MintOptions, Token } from '../actions/mints.ts'
import type { SolanaDevnet } from '../solana-devnet.ts'

export type DemoToken = {
  mint: Address
  program: Address
  account: Address
  /** Base units as stored. */
  amount: bigint
  decimals: number
  isFrozen: boolean
  /** Factor of the displayed amount. */
  multiplier?: number
  /** Yearly rate on displayed amounts since the Unix time, compounded continuously. */
  interest?: { basisPoints: number; since: bigint }
}

type RealToken = { mint: Address; decimals: number; amount: bigint }

const USDC: RealToken = {
  mint: address('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
  decimals: 6,
  amount: 1_250_500_000n,
}
const USDT: RealToken = {
  mint: address('Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'),
  decimals: 6,
  amount: 300_000_000n,
}
const JUP: RealToken = {
  mint: address('JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN'),
  decimals: 6,
  amount: 420_690_000n,
}
const WRAPPED_LAMPORTS = 1_500_000_000n
const INTEREST_BASIS_POINTS = 500
const MULTIPLIER = 2.5
const FEE_BASIS_POINTS = 100
const FEE_SENT = 50_000_000n
const FEE_RECEIVED = 49_500_000n
const GIVER_LAMPORTS = 1_000_000_000n

const createGiving = (devnet: SolanaDevnet, wallet: KeyPairSigner) => {
  const { mints, tokens } = devnet.actions

  const held = async (token: Token, amount: bigint): Promise<DemoToken> => {
    const account = await tokens.accountOf(token, wallet.address)
    return { mint: token.mint, program: token.program, account, amount, decimals: token.decimals, isFrozen: false }
  }
  const make = async (name: string, options: MintOptions): Promise<Token> =>
    mints.create(await devnet.keypair(`demo mint: ${name}`), options)
  const give = async (token: Token, amount: bigint): Promise<DemoToken> => {
    await tokens.mint(token, wallet.address, amount)
    return held(token, amount)
  }
  return {
    held,
    make,
    give,
    giveReal: ({ amount, mint, ...options }: RealToken) => give(mints.place(mint, options), amount),
  }
}

/** Two have real mints, one is frozen, one is named only by its metadata. */
const classicTokens = async (devnet: SolanaDevnet, wallet: KeyPairSigner) => {
  const { mints, tokens, wrappedSol } = devnet.actions
  const { held, make, give, giveReal } = createGiving(devnet, wallet)
  const usdt = mints.place(USDT.mint, USDT)
  const frozen = await give(usdt, USDT.amount)
  await tokens.freeze(usdt, wallet.address)
  const nova = await make('nova', { decimals: 4 })
  await devnet.actions.placeMetadata(nova.mint, { name: 'Nova', symbol: 'NOVA', uri: 'https://nova.invalid/nova.json' })
  await wrappedSol.wrap(wallet, WRAPPED_LAMPORTS)
  return {
    usdc: await giveReal(USDC),
    jup: await giveReal(JUP),
    frozen: { ...frozen, isFrozen: true },
    nova: await give(nova, 7_770_000n),
    wrappedSol: await held(wrappedSol.token, WRAPPED_LAMPORTS),
  }
}

/** One per mint type. */
const extendedTokens = async (devnet: SolanaDevnet, wallet: KeyPairSigner) => {
  const { tokens, sol } = devnet.actions
  const { held, make, give } = createGiving(devnet, wallet)

  const fee = mintExtensions.transferFee({ basisPoints: FEE_BASIS_POINTS, maximumFee: 1_000_000n })
  const charging = await make('fee', { decimals: 3, extensions: [fee] })
  const giver = await devnet.keypair('demo: giver')
  await sol.give(giver.address, GIVER_LAMPORTS)
  await tokens.mint(charging, giver.address, FEE_SENT)
  await tokens.transfer(charging, giver, wallet.address, FEE_SENT)

  const interest = mintExtensions.interest({ basisPoints: INTEREST_BASIS_POINTS })
  const growing = await make('interest', { decimals: 6, extensions: [interest] })
  const since = devnet.chain.time()

  const scaled = mintExtensions.scaled({ multiplier: MULTIPLIER })
  const named = mintExtensions.metadata({ name: 'Nova Note', symbol: 'NNOTE', uri: 'https://nova.invalid/note.json' })
  return {
    fee: await held(charging, FEE_RECEIVED),
    interest: {
      ...(await give(growing, 1_000_000_000n)),
      interest: { basisPoints: INTEREST_BASIS_POINTS, since },
    },
    scaled: {
      ...(await give(await make('scaled', { decimals: 8, extensions: [scaled] }), 400_000_000n)),
      multiplier: MULTIPLIER,
    },
    metadata: await give(await make('metadata', { decimals: 9, extensions: [named] }), 12_345_678_900n),
  }
}

export const demoTokens = async (devnet: SolanaDevnet, wallet: KeyPairSigner) => ({
  ...(await classicTokens(devnet, wallet)),
  ...(await extendedTokens(devnet, wallet)),
})
