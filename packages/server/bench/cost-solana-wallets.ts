import type { SolanaDemo } from '@coffer/devnet/solana'
import { everyAdapter, type FixtureAccount } from '@coffer/solana-fixtures'
import { type Address, address, type KeyPairSigner } from '@solana/kit'
import type { Random } from '../test/random-of.ts'
import { type CostWallet, pickSome } from './cost-wallets.ts'

const EMPTY_EVERY = 10
const POSITIONS_EVERY = 3
const MOST_TOKENS = 6
const MOST_POSITIONS = 3
const COINS = 1_000_000_000n
const DECIMALS = 6
/** In addition to the demonstration's. */
const MINTS = 20

/**
 * One in ten is empty. The others hold SOL and one to six tokens. A third of these has one to three positions in the
 * demonstration's reserves, vaults and pools.
 */
export async function openSolanaCostWallets(demo: SolanaDemo, random: Random) {
  const { chain, actions, keypair, send } = demo
  const mintNames = Array.from({ length: MINTS }, (_, i) => `cost mint ${random.seed} ${i}`)
  const mints = await Promise.all(
    mintNames.map(async (name) => actions.mints.create(await keypair(name), { decimals: DECIMALS })),
  )
  const clock = () => ({ slot: chain.slot(), epoch: chain.epoch(), time: Number(chain.time()) })
  let made = 0

  /** The protocol's accounts exist. */
  async function openPosition(wallet: KeyPairSigner, accounts: readonly FixtureAccount[]): Promise<void> {
    for (const { owner, data, lamports, address: place } of accounts) {
      if (!chain.account(address(place))) chain.setAccount(address(place), { owner: address(owner), data, lamports })
    }
    for (const program of new Set(accounts.map(({ owner }) => address(owner)))) await use(wallet, program)
  }

  /** Protocols have stand-ins that take calls without data. Programs of tokens and SOL take none. */
  async function use(wallet: KeyPairSigner, program: Address): Promise<void> {
    if (OWN_PROGRAMS.some((known) => known === program)) return
    await send([{ programAddress: program }], { feePayer: wallet })
  }

  async function createOne(): Promise<CostWallet> {
    made += 1
    const wallet = await keypair(`cost wallet ${random.seed} ${made}`)
    if (random.index(EMPTY_EVERY) === 0) return { address: wallet.address, tokens: [], positions: 0 }
    await actions.sol.give(wallet.address, COINS)
    const held = new Set(Array.from({ length: 1 + random.index(MOST_TOKENS) }, () => random.pick(mints)))
    for (const token of held) await actions.tokens.mint(token, wallet.address, random.amount(1n, 10n ** 12n))
    const positions = random.index(POSITIONS_EVERY) === 0 ? 1 + random.index(MOST_POSITIONS) : 0
    const fixtures = positions > 0 ? Object.values(await everyAdapter(wallet.address, clock())) : []
    for (const { accounts } of pickSome(random, fixtures, positions)) await openPosition(wallet, accounts)
    return { address: wallet.address, tokens: [...held].map(({ mint }) => mint), positions }
  }

  return async function create(count: number): Promise<CostWallet[]> {
    const wallets: CostWallet[] = []
    for (let i = 0; i < count; i += 1) wallets.push(await createOne())
    // Prices are too old after five minutes.
    await demo.refreshPrices()
    return wallets
  }
}

const OWN_PROGRAMS = [
  '11111111111111111111111111111111',
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
]
