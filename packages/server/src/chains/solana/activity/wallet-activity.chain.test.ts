import { address } from '@solana/kit'
import { beforeAll, describe, expect, test } from 'vitest'
import { seededRandom } from '../../../../test/random.ts'
import type { Rule } from '../../../../test/rpc-proxy.ts'
import { sized } from '../../../../test/sized.ts'
import { startCluster } from '../../../../test/solana/cluster.ts'
import { type Had, startPlay } from '../../../../test/solana/wallet-play.ts'
import { type BlockRange, mergeRanges, missingRanges } from '../../../domain/block-ranges.ts'
import type { RpcPool } from '../../rpc/rpc-pool.ts'
import { effectOf, type SolanaTransaction } from '../codec/solana-transaction.ts'
import { finalSlot, type SolanaActivity, solanaActivity } from './wallet-activity.ts'

const SOL = 1_000_000_000n

const { devnet, proxy, poolOf: open, openReader, walletWith } = await startCluster()
const poolOf = (...urls: string[]) => open(urls.length > 0 ? urls : undefined, { limits: { backoffMs: 1 } })

/** Limited to `most` pieces if given. */
async function piecesOf(
  wallet: string,
  { pool = poolOf(), range, most = Infinity }: { pool?: RpcPool; range?: BlockRange; most?: number } = {},
): Promise<SolanaActivity[]> {
  const whole = range ?? { fromBlock: 0n, toBlock: await finalSlot(pool) }
  const pieces: SolanaActivity[] = []
  const accounts = await openReader(devnet.url).tokenAccounts(wallet)
  const tokenAccounts = accounts.map(({ address }) => address)
  for await (const piece of solanaActivity({ pool, wallet, ranges: [whole], tokenAccounts })) {
    pieces.push(piece)
    if (pieces.length >= most) break
  }
  return pieces
}

const oldestFirst = (pieces: readonly SolanaActivity[]) =>
  pieces.toReversed().flatMap(({ transactions }) => transactions)

/** Balances after each checked slot, as sums of the wallet's transactions. */
function sumsAt(slots: readonly bigint[], transactions: readonly SolanaTransaction[], wallet: string): Had[] {
  let next = 0
  let lamports = 0n
  const tokens = new Map<string, bigint>()
  return slots.map((slot) => {
    for (let tx = transactions[next]; tx && tx.slot <= slot; tx = transactions[next]) {
      const effect = effectOf(tx, wallet)
      lamports += effect.lamports
      for (const [mint, change] of effect.tokens) tokens.set(mint, (tokens.get(mint) ?? 0n) + change)
      next += 1
    }
    return { slot, lamports, tokens: new Map([...tokens].filter(([, amount]) => amount !== 0n)) }
  })
}

async function played(name: string, steps: number) {
  const play = await startPlay(devnet, seededRandom(name), name)
  const had: Had[] = []
  for (let i = 0; i < steps; i += 1) {
    await play.step()
    had.push(play.had())
  }
  return { wallet: play.wallet.address, had }
}

describe('what happened to a wallet', () => {
  test('explains every balance after every step of a random run', async () => {
    const { wallet, had } = await played('a random run', sized({ small: 250, deep: 1_200 }))
    const pieces = await piecesOf(wallet)
    expect(pieces.every(({ failure }) => failure === undefined)).toBe(true)
    // Accounts were closed: only their last transactions name them.
    expect(pieces.flatMap(({ tokenAccounts }) => tokenAccounts).length).toBeGreaterThan(0)
    const transactions = oldestFirst(pieces)
    expect(new Set(transactions.map(({ signature }) => signature)).size).toBe(transactions.length)
    expect(
      sumsAt(
        had.map(({ slot }) => slot),
        transactions,
        wallet,
      ),
    ).toEqual(had)
  })
})

describe('a history of more than a page', () => {
  const COUNT = 1_020
  let wallet: string
  let signatures: string[]

  beforeAll(async () => {
    const owner = await walletWith('a long history', SOL)
    for (let i = 1; i < COUNT; i += 1) await devnet.actions.sol.transfer(owner, devnet.payer.address, BigInt(i))
    wallet = owner.address
    signatures = devnet.chain.transactions.of(owner.address).map(({ signature }) => signature)
  })

  const found = (pieces: readonly SolanaActivity[]) => oldestFirst(pieces).map(({ signature }) => signature)
  const failures = (pieces: readonly SolanaActivity[]) => pieces.flatMap(({ failure }) => failure ?? [])

  test('is found whole in pieces without gaps, while new transactions land', async () => {
    const range = { fromBlock: 0n, toBlock: devnet.chain.slot() }
    const land = async () => void (await devnet.actions.sol.give(devnet.payer.address, 1n))
    proxy.add({ when: ({ method }) => method === 'getSignaturesForAddress', fault: { before: land } })
    const pieces = await piecesOf(wallet, { range })
    expect(found(pieces)).toEqual(signatures)
    const covered = pieces.flatMap((piece) => piece.covered)
    expect(covered.length).toBeGreaterThan(3)
    expect(mergeRanges(covered)).toEqual([range])
  })

  test('is gone on with after the process ended in its middle', async () => {
    const range = { fromBlock: 0n, toBlock: devnet.chain.slot() }
    const first = await piecesOf(wallet, { range, most: 2 })
    const [rest] = missingRanges(
      range,
      first.flatMap(({ covered }) => covered),
    )
    const second = await piecesOf(wallet, { ...(rest && { range: rest }) })
    expect(found([...first, ...second])).toEqual(signatures)
  })

  test('is not taken to end where a node has forgotten what it listed', async () => {
    proxy.add(
      {
        when: ({ method, params }) => method === 'getSignaturesForAddress' && 'before' in (params[1] as object),
        fault: { answer: (envelope) => ({ ...envelope, result: [] }) },
      },
      {
        when: ({ method }) => method === 'getSignatureStatuses',
        fault: { answer: ({ result, ...rest }) => ({ ...rest, result: { ...(result as object), value: [null] } }) },
      },
    )
    const pieces = await piecesOf(wallet)
    expect(failures(pieces)).toHaveLength(1)
    const low = pieces.flatMap(({ covered }) => covered).at(-1)?.fromBlock
    expect(found(pieces)).toEqual(
      devnet.chain.transactions
        .of(address(wallet))
        .flatMap(({ slot, signature }) => (slot >= (low ?? 0n) ? signature : [])),
    )
    expect(found(await piecesOf(wallet, { pool: poolOf(proxy.url, devnet.url) }))).toEqual(signatures)
  })

  test('reaches as far back as some node keeps transactions, and says so', async () => {
    const kept = devnet.chain.transactions.of(address(wallet))[COUNT - 30]?.slot ?? 0n
    const cut: Rule[] = [
      {
        when: ({ method }) => method === 'getFirstAvailableBlock',
        fault: { answer: ({ id, jsonrpc }) => ({ id, jsonrpc, result: Number(kept) }) },
      },
      {
        when: ({ method }) => method === 'getSignaturesForAddress',
        fault: {
          answer: ({ result, ...rest }) => ({
            ...rest,
            result: (result as { slot: number }[]).filter(({ slot }) => BigInt(slot) >= kept),
          }),
        },
      },
    ]
    proxy.add(...cut)
    const pieces = await piecesOf(wallet)
    expect(mergeRanges(pieces.flatMap(({ covered }) => covered))[0]?.fromBlock).toBe(kept)
    expect(found(pieces)).toEqual(signatures.slice(COUNT - 30))
    expect(failures(pieces)).toMatchObject([{ reason: 'unavailable' }])
    expect(found(await piecesOf(wallet, { pool: poolOf(proxy.url, devnet.url) }))).toEqual(signatures)
  })

  test('is not covered where a node lacks a transaction that it listed', async () => {
    const lost = signatures[COUNT - 300]
    const rule: Rule = {
      when: ({ method, params }) => method === 'getTransaction' && params[0] === lost,
      fault: { answer: (envelope) => ({ ...envelope, result: null }) },
    }
    // The first call of a batch selects the rules.
    proxy.add(rule)
    const pieces = await piecesOf(wallet, { pool: open([proxy.url], { batchSize: 1 }) })
    expect(failures(pieces)).toMatchObject([{ reason: 'unavailable' }])
    expect(found(pieces)).toEqual(signatures.slice(-250))
    const both = open([proxy.url, devnet.url], { batchSize: 1 })
    expect(found(await piecesOf(wallet, { pool: both }))).toEqual(signatures)
  })

  test.each<[string, Rule['fault']]>([
    ['is behind', { error: { code: -32016, message: 'Minimum context slot has not been reached' } }],
    ['asks for fewer requests', { raw: { status: 429, body: 'slow down' } }],
    ['keeps its transactions elsewhere', { error: { code: -32019, message: 'Failed to query long-term storage' } }],
  ])('is read from another node where one %s', async (_, fault) => {
    proxy.add({ when: ({ method }) => method === 'getSignaturesForAddress', fault })
    const pieces = await piecesOf(wallet, { pool: poolOf(proxy.url, devnet.url) })
    expect(found(pieces)).toEqual(signatures)
  })
})

test('a node that answers with nothing certain is not believed', async () => {
  const { address: wallet } = await walletWith('doubtful', SOL)
  const spoiled: ((result: Record<string, unknown>) => unknown)[] = [
    (result) => ({ ...result, meta: null }),
    (result) => ({ ...result, slot: 1 }),
    (result) => ({ ...result, meta: { ...(result['meta'] as object), preBalances: [1] } }),
  ]
  for (const spoil of spoiled) {
    proxy.reset()
    proxy.add({
      when: ({ method }) => method === 'getTransaction',
      fault: { answer: ({ result, ...rest }) => ({ ...rest, result: spoil(result as Record<string, unknown>) }) },
    })
    expect(await piecesOf(wallet)).toMatchObject([{ transactions: [], covered: [], failure: { reason: 'invalid' } }])
  }
})

test('who merely names a wallet did nothing to it', async () => {
  const { address: wallet } = await walletWith('named', SOL)
  const token = await devnet.actions.mints.create(await devnet.keypair('named: mint'), { decimals: 2 })
  // Creates an empty account of the wallet.
  await devnet.actions.tokens.mint(token, wallet, 0n)
  expect(devnet.chain.transactions.of(wallet)).toHaveLength(2)
  expect(oldestFirst(await piecesOf(wallet))).toHaveLength(1)
})
