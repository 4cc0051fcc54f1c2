import { addresses, startDevnet } from '@coffer/devnet'
import { parseUnits } from 'viem'
import { afterAll, expect, inject, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { followWallets } from '../../src/features/history/sync/follower.ts'
import { createLogger } from '../../src/lib/logger.ts'
import { composeTestHistory } from '../composed-history.ts'
import { testDatabase } from '../database.ts'
import { followFromNow, makeDue } from '../followed-wallets.ts'
import { accountWith } from '../ledger/accounts.ts'
import { seededRandom } from '../random.ts'
import { type RpcCall, startRpcProxy } from '../rpc-proxy.ts'
import { started } from '../started.ts'

const CHAIN = 'ethereum'
const random = seededRandom('idle wallets')
const newWallets = (count: number) => Array.from({ length: count }, () => random.address())

let statements = 0

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const proxy = await started(startRpcProxy(devnet.chains.ethereum.url))
const database = await testDatabase('idle_followed')
await accountWith(database.db, 10)
const db = database.db.withPlugin({
  transformQuery: ({ node }) => {
    statements += 1
    return node
  },
  transformResult: async ({ result }) => result,
})
const { syncs } = composeTestHistory(proxy.url, { db, url: database.url })
const log = createLogger({ level: 'error' })
const context = { ...syncs, complete: async () => undefined, log }
/** A round of the follower's job. Returns its number of statements. */
const round = async () => {
  await makeDue(database.db)
  statements = 0
  await followWallets(context, new AbortController().signal, { chain: CHAIN })
  return statements
}
afterAll(async () => database.drop())

/** Searched part of each wallet: one line for equal wallets. */
async function reached() {
  const { rows } = await database.pool.query(`
    select count(*)::integer as wallets, max((c.heads->0->>'block')::integer) as seen, c.blocks::text as searched,
      n.blocks::text as native, s.block::integer as state
    from wallet_coverage c join wallet_coverage n using (wallet, chain) join history_state s using (wallet, chain)
    where c.purpose = 'history' and n.purpose = 'native' group by 3, 4, 5`)
  return rows
}

test('a round of idle wallets takes as many statements for a hundred as for ten', async () => {
  const { client } = devnet.chains.ethereum
  const mine = async () => {
    await client.mine({ blocks: 3 })
    return Number(await client.getBlockNumber())
  }
  /** Minimum of three rounds: a wallet without a timely answer of a busy node is stored separately. */
  const leastOfThree = async () => {
    const counts: number[] = []
    for (let n = 0; n < 3; n += 1) {
      await mine()
      counts.push(await round())
    }
    return Math.min(...counts)
  }
  await followFromNow(database.db, client, newWallets(10))
  const ofTen = await leastOfThree()
  await followFromNow(database.db, client, newWallets(90))
  expect(await leastOfThree()).toBe(ofTen)
  const head = await mine()
  proxy.reset()
  await round()
  // It begins with the head, then in one batch a final block and the last seen one.
  const looks = proxy.calls().filter(({ method }) => method === 'eth_getBlockByNumber')
  const hex = (number: number) => `0x${number.toString(16)}`
  expect(looks.slice(0, 3).map((call) => [call.params[0], proxy.isBatch(call)])).toEqual([
    ['latest', false],
    [hex(head - 96), true],
    [hex(head - 3), true],
  ])
  const searched = `{[0,${head + 1})}`
  expect(await reached()).toEqual([{ wallets: 100, seen: head, searched, native: searched, state: head }])
})

test('among idle wallets one that did something has it, and one loses what is not on the chain', async () => {
  const { actions, client } = devnet.chains.ethereum
  const [active, wrong] = newWallets(2) as [EvmAddress, EvmAddress]
  await followFromNow(database.db, client, [active, wrong])
  await actions.erc20.mint(addresses.ethereum.tokens.usdc, active, parseUnits('1', 6))
  const block = await client.getBlock()
  // The state of a search on another fork, whose blocks were never covered.
  await database.pool.query(
    `insert into history_transaction (wallet, chain, block, tx_index, hash, block_hash, block_time, sender, selector, succeeded, fee, type)
      values ($1, $2, $3, 0, '0x01', '0x02', now(), $1, '', true, 0, 'send')`,
    [wrong, CHAIN, block.number],
  )
  await round()
  const { rows } = await database.pool.query('select wallet, block_hash from history_transaction')
  expect(rows).toEqual([{ wallet: active, block_hash: block.hash }])
  const head = Number(block.number)
  const searched = `{[0,${head + 1})}`
  expect(await reached()).toEqual([{ wallets: 102, seen: head, searched, native: searched, state: head }])
  const { rows: aside } = await database.pool.query('select from history_set_aside')
  expect(aside).toEqual([])
})

test('of 1,000 wallets one whose logs the node refuses is set aside, and all others stay at the head', async () => {
  const { actions, client } = devnet.chains.ethereum
  const [refused, ...others] = newWallets(1_000 - 102) as [EvmAddress, ...EvmAddress[]]
  const active = others[449] as EvmAddress
  await followFromNow(database.db, client, [refused, ...others])
  const start = Number(await client.getBlockNumber())
  const isOfRefused = ({ method, params }: RpcCall) =>
    method === 'eth_getLogs' && JSON.stringify(params).includes(refused.slice(2))
  /** A payment, three blocks and a round. Returns the new head. */
  const play = async (): Promise<number> => {
    proxy.reset()
    proxy.add({ when: isOfRefused, fault: { error: { code: -32603, message: 'internal error: poisoned index' } } })
    await actions.erc20.mint(addresses.ethereum.tokens.usdc, active, parseUnits('1', 6))
    await client.mine({ blocks: 3 })
    await round()
    return Number(await client.getBlockNumber())
  }
  const setAside = async () => {
    const { rows } = await database.pool.query('select wallet, step, failures from history_set_aside')
    return rows
  }
  for (const played of [1, 2]) {
    const head = await play()
    const searched = `{[0,${head + 1})}`
    const behind = `{[0,${start + 1})}`
    expect((await reached()).toSorted((one, other) => one.wallets - other.wallets)).toEqual([
      expect.objectContaining({ wallets: 1, searched: behind, native: behind, state: start }),
      { wallets: 999, seen: head, searched, native: searched, state: head },
    ])
    expect(await setAside()).toEqual([{ wallet: refused, step: 'search', failures: 1 }])
    // A pause longer than any test run.
    await database.pool.query(`update history_set_aside set retry_at = now() + interval '1 day'`)
    const found = await database.pool.query('select from history_transaction where wallet = $1', [active])
    expect(found.rowCount).toBe(played)
  }
  // It is not retried during its pause.
  expect(proxy.calls().filter(isOfRefused)).toEqual([])
  await database.pool.query('update history_set_aside set retry_at = now()')
  proxy.reset()
  await round()
  const head = Number(await client.getBlockNumber())
  expect(await reached()).toMatchObject([{ wallets: 1_000, state: head }])
  expect(await setAside()).toEqual([])
})
