import { mintExtensions, type SolanaDevnet, type Token } from '@coffer/devnet/solana'
import { type Address, address, getAddressDecoder } from '@solana/kit'
import { TOKEN_PROGRAMS } from '../../src/chains/solana/codec/token-program.ts'
import type { Random } from '../random-of.ts'

type Key = Awaited<ReturnType<SolanaDevnet['keypair']>>

/** `tokens`: sums per mint over token accounts. */
export type Had = { slot: bigint; lamports: bigint; tokens: ReadonlyMap<string, bigint> }

export type WalletPlay = {
  wallet: Key
  /** None if the action is impossible. */
  step(): Promise<void>
  had(): Had
}

const SOL = 1_000_000_000n
const ENOUGH = 20n * SOL

export async function startPlay(devnet: SolanaDevnet, random: Random, name: string): Promise<WalletPlay> {
  const key = (what: string) => devnet.keypair(`${name} ${what}`)
  const [wallet, other] = [await key('wallet'), await key('other')]
  const plays = [
    ...solPlays(devnet, random, wallet, other),
    ...(await tokenPlays(devnet, random, { wallet, other, key })),
    ...stakePlays(devnet, random, { wallet, key }),
  ]
  return {
    wallet,
    async step() {
      for (const { address: one } of [wallet, other]) {
        if ((devnet.chain.account(one)?.lamports ?? 0n) < ENOUGH) await devnet.actions.sol.give(one, 100n * SOL)
      }
      await random.pick(plays)()
    },
    had: () => hadBy(devnet, wallet.address),
  }
}

type Play = () => Promise<unknown>

function solPlays({ actions, chain }: SolanaDevnet, random: Random, wallet: Key, other: Key): Play[] {
  const { transfer } = actions.sol
  const some = () => random.amount(1n, SOL)
  return [
    () => transfer(wallet, other.address, some()),
    () => transfer(other, wallet.address, some()),
    () => transfer(wallet, wallet.address, some()),
    () => {
      const priority = { units: 1_000, microLamports: random.amount(1n, 9_000_000n) }
      return transfer(wallet, other.address, some(), { priority, memo: 'paid' })
    },
    // Fails in its block: only the fee is paid.
    () => transfer(wallet, other.address, (chain.account(wallet.address)?.lamports ?? 0n) + SOL, { mayFail: true }),
    () => transfer(wallet, other.address, some(), { feePayer: other }),
  ]
}

type Around = { wallet: Key; key: (what: string) => Promise<Key> }

async function tokenPlays(devnet: SolanaDevnet, random: Random, { wallet, other, key }: Around & { other: Key }) {
  const { tokens, mints, wrappedSol } = devnet.actions
  const withFee = mintExtensions.transferFee({ basisPoints: 250, maximumFee: 1_000_000n })
  const made: Token[] = [
    await mints.create(await key('classic mint'), { decimals: 6 }),
    await mints.create(await key('other mint'), { decimals: 0 }),
    await mints.create(await key('young mint'), { decimals: 9, extensions: [] }),
    await mints.create(await key('mint with a fee'), { decimals: 5, extensions: [withFee] }),
  ]
  const any = [...made, wrappedSol.token]
  const heldIn = (account: Address) => amountIn(devnet.chain.account(account)?.data)
  const held = async (token: Token, owner: Key) => heldIn(await tokens.accountOf(token, owner.address))
  const spares: { token: Token; account: Address }[] = []
  let opened = 0

  async function send(from: Key, to: Key, all = any): Promise<void> {
    const token = random.pick(all)
    const most = await held(token, from)
    if (most > 0n) await tokens.transfer(token, from, to.address, random.amount(1n, most))
  }

  async function burn(all: boolean): Promise<void> {
    const token = random.pick(made)
    const most = await held(token, wallet)
    if (most > 0n) await tokens.burn(token, wallet, all ? most : random.amount(1n, most))
    // An account that withholds fees cannot be closed.
    const account = await tokens.accountOf(token, wallet.address)
    if (all && devnet.chain.account(account)) await tokens.close(token, wallet, { mayFail: true })
  }

  async function openSpare(): Promise<void> {
    opened += 1
    const account = await key(`spare ${opened}`)
    const token = random.pick(made.slice(0, 3))
    await tokens.openAnother(token, wallet, account)
    spares.push({ token, account: account.address })
  }

  async function useSpare(): Promise<void> {
    const spare = spares.shift()
    if (!spare) return
    const most = heldIn(spare.account)
    if (most === 0n) return void (await tokens.close(spare.token, wallet, { account: spare.account }))
    spares.push(spare)
    await tokens.transfer(spare.token, wallet, other.address, most, { account: spare.account })
  }

  return [
    () => send(wallet, other),
    () => send(other, wallet),
    () => send(wallet, wallet, made),
    () => tokens.mint(random.pick(made), wallet.address, random.amount(1n, 10n ** 12n)),
    () => tokens.mint(random.pick(made), other.address, random.amount(1n, 2n ** 50n)),
    () => burn(false),
    () => burn(true),
    openSpare,
    useSpare,
    () => wrappedSol.wrap(wallet, random.amount(1n, SOL)),
    () => wrappedSol.wrap(other, random.amount(1n, SOL)),
    async () => {
      const account = await tokens.accountOf(wrappedSol.token, wallet.address)
      if (devnet.chain.account(account)) await tokens.close(wrappedSol.token, wallet)
    },
  ]
}

function stakePlays({ actions: { stake }, chain }: SolanaDevnet, random: Random, { wallet, key }: Around): Play[] {
  const owned: Address[] = []
  let made = 0
  const fresh = async () => {
    made += 1
    const account = await key(`stake ${made}`)
    owned.push(account.address)
    return account
  }
  const oldest = async (work: (account: Address) => Promise<unknown>) => {
    const [account] = owned
    if (account !== undefined) await work(account)
  }
  const isWhole = (account: Address) => !chain.account(account)

  return [
    async () => stake.create(wallet, await fresh(), SOL + random.amount(1n, SOL)),
    () => oldest((account) => stake.delegate(wallet, account, { mayFail: true })),
    () =>
      oldest(async (account) => {
        await stake.deactivate(wallet, account, { mayFail: true })
        chain.moveToEpoch(chain.epoch() + 1n)
      }),
    () => oldest((account) => stake.withdraw(wallet, account, random.amount(1n, SOL), { mayFail: true })),
    () =>
      oldest(async (account) => {
        await stake.withdraw(wallet, account, chain.account(account)?.lamports ?? 1n, { mayFail: true })
        if (isWhole(account)) owned.shift()
      }),
  ]
}

/** Token account of either program: mint, owner, amount. */
const OWNER_AT = 32
const AMOUNT_AT = 64

function amountIn(data: Uint8Array | undefined): bigint {
  return data ? new DataView(data.buffer, data.byteOffset).getBigUint64(AMOUNT_AT, true) : 0n
}

function hadBy({ chain }: SolanaDevnet, wallet: Address): Had {
  const tokens = new Map<string, bigint>()
  const decoder = getAddressDecoder()
  for (const { data } of TOKEN_PROGRAMS.flatMap((program) => chain.programAccounts(address(program)))) {
    // A mint is shorter, or differs at this byte.
    const isAccount = data.length === 165 || (data.length > 165 && data[165] === 2)
    if (!isAccount || decoder.decode(data, OWNER_AT) !== wallet || amountIn(data) === 0n) continue
    const mint = decoder.decode(data)
    tokens.set(mint, (tokens.get(mint) ?? 0n) + amountIn(data))
  }
  return { slot: chain.slot(), lamports: chain.account(wallet)?.lamports ?? 0n, tokens }
}
