import { everyAdapter } from '@coffer/solana-fixtures'
import { address } from '@solana/kit'
import { expect, it } from 'vitest'
import { UNHURRIED } from '../../../../test/hangs.ts'
import { seededRandom } from '../../../../test/random.ts'
import type { Random } from '../../../../test/random-of.ts'
import type { Fault } from '../../../../test/rpc-proxy.ts'
import { newFinds } from '../../../../test/solana/accounts-reader.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import { figuresOf } from '../../../../test/solana/protocol-bench.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { createSolanaReader } from '../reader/solana-reader.ts'
import { solanaAdapters } from './protocols.ts'

// Wallets with random holdings, one of them with a position of every protocol, read alone and together.

const WALLETS = 12
const ROUNDS = 3
const SOL = 1_000_000_000n

const random = seededRandom('wallets that are read together')
const { devnet, proxy, poolOf: open, walletWith } = await startCluster()
const poolOf = (...urls: string[]) => open(urls, { limits: UNHURRIED })
const wallets = await furnish(random)

async function furnish({ amount, index }: Random): Promise<string[]> {
  const { actions, chain, keypair } = devnet
  const tokens = []
  for (let i = 0; i < 4; i += 1) tokens.push(await actions.mints.create(await keypair(`shared ${i}`), { decimals: i }))
  const furnished: string[] = []
  for (let i = 0; i < WALLETS; i += 1) {
    const wallet = await walletWith(`shares ${i}`, 10n * SOL + amount(1n, 100n * SOL))
    for (const token of tokens.slice(index(5))) await actions.tokens.mint(token, wallet.address, amount(1n, 10n ** 12n))
    for (let stakes = index(3); stakes > 0; stakes -= 1) {
      const account = await keypair(`stake ${stakes} of ${i}`)
      await actions.stake.create(wallet, account, SOL + amount(1n, SOL))
      await actions.stake.delegate(wallet, account.address)
    }
    furnished.push(wallet.address)
  }
  const clock = { slot: chain.slot(), epoch: chain.epoch(), time: Number(chain.time()) }
  for (const { accounts } of Object.values(await everyAdapter(furnished[0] as string, clock))) {
    for (const { address: at, owner, data, lamports } of accounts) {
      chain.setAccount(address(at), { owner: address(owner), data, lamports })
    }
  }
  return furnished
}

/** Reads the whole wallet in the batches of one read. Returns sorted figures. */
async function readWallet(pool: RpcPool, wallet: string) {
  const reader = createSolanaReader(pool)
  const [[own], accounts, clock] = await Promise.all([
    reader.accounts([wallet]),
    reader.tokenAccounts(wallet),
    reader.clock(),
  ])
  const held = accounts.map(({ mint, amountRaw }) => ({ mint, amountRaw, decimals: undefined }))
  const positions = await Promise.all(
    solanaAdapters.map(async (adapter) => {
      const scope = { reader, wallet, clock, held, used: new Set(adapter.searched), found: newFinds() }
      return [adapter.key, figuresOf(await adapter.positions(scope))] as const
    }),
  )
  const inOrder = held.toSorted((a, b) => (a.mint < b.mint ? -1 : 1))
  return { lamports: own?.lamports, held: inOrder, clock, positions: Object.fromEntries(positions) }
}

const readTogether = (pool: RpcPool) => Promise.all(wallets.map((wallet) => readWallet(pool, wallet)))

/** Each has its own endpoint: nothing is shared. */
async function readAlone() {
  const reads = []
  for (const wallet of wallets) reads.push(await readWallet(poolOf(devnet.url), wallet))
  return reads
}

it('finds the same of wallets read together as of each alone', async () => {
  const alone = await readAlone()
  // The first has a position of every protocol, so that differences can show.
  expect(Object.values(alone[0]?.positions ?? {}).filter((figures) => figures.length > 0).length).toBeGreaterThan(10)
  expect(await readTogether(poolOf(devnet.url))).toEqual(alone)
})

/** Possible results of any request. */
const faults: readonly Fault[] = [
  { socket: 'reset' },
  { socket: 'cut' },
  { raw: { status: 502, body: '<html>' } },
  { raw: { status: 413, body: '' } },
  { error: { code: -32005, message: 'Node is unhealthy' } },
  { error: { code: -32016, message: 'Minimum context slot has not been reached' } },
  { answer: (envelope) => ({ ...envelope, result: { ...(envelope['result'] as object), context: { slot: 3 } } }) },
  { answer: (envelope) => ({ ...envelope, result: { ...(envelope['result'] as object), value: [{}] } }) },
]

function breakSome(): void {
  const broken = Array.from({ length: 40 }, () => random.index(2) === 0)
  let asked = 0
  for (const _ of broken) {
    proxy.add({
      when: () => {
        asked += 1
        return broken[asked % broken.length] === true
      },
      times: 1,
      fault: random.pick(faults),
    })
  }
}

it('finds the same where an endpoint fails in the middle, whatever fails', async () => {
  const alone = await readAlone()
  for (let round = 0; round < ROUNDS; round += 1) {
    proxy.reset()
    breakSome()
    expect(await readTogether(poolOf(proxy.url, devnet.url))).toEqual(alone)
  }
})

it('shows nothing older than the slot of the read, while the chain moves on under shared reads', async () => {
  const wallet = await walletWith('moving', SOL)
  const base = { slot: devnet.chain.slot(), lamports: devnet.chain.account(wallet.address)?.lamports ?? 0n }
  // Each answer is of a later slot, with one more lamport in the wallet.
  proxy.add({ fault: { before: async () => void (await devnet.actions.sol.give(wallet.address, 1n)) } })
  const pool = poolOf(proxy.url)
  const readOn = async () => {
    for (let i = 0; i < 10; i += 1) {
      const reader = createSolanaReader(pool)
      const { slot } = await reader.clock()
      const [own] = await reader.accounts([wallet.address])
      expect((own?.lamports ?? 0n) - base.lamports).toBeGreaterThanOrEqual(slot - base.slot)
    }
  }
  await Promise.all([readOn(), readOn(), readOn()])
})
