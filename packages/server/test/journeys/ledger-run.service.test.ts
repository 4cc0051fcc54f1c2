import { addresses, startDevnet } from '@coffer/devnet'
import { sql } from 'kysely'
import { type Address, parseAbi, parseEther, parseUnits } from 'viem'
import { afterAll, expect, inject, test } from 'vitest'
import type { EvmAddress } from '../../src/domain/evm-address.ts'
import { composeTestHistory } from '../composed-history.ts'
import { testDatabase } from '../database.ts'
import { entryKey, openLedgerTruth } from '../ledger-truth.ts'
import { seededRandom } from '../random.ts'
import { furtherPlays } from '../random-further-plays.ts'
import { playsOf } from '../random-plays.ts'
import { sized } from '../sized.ts'
import { started } from '../started.ts'
import { type WatchedChain, watchChain } from '../watched-chain.ts'

const ACTIONS = sized({ small: 60, deep: 2_000 })
const GWEI = 10n ** 9n
const at = addresses.ethereum
const { weth, usdc, dai } = at.tokens
const { ceth, cusdc } = at.compoundV2.markets
const steth = at.lido.steth.toLowerCase()
const comets = Object.values(at.compoundV3.comets).map((comet) => comet.toLowerCase())
const random = seededRandom('ledger run')
/** The last is a contract. */
const wallets = [random.address(), random.address(), random.address(), random.address()]
const [, payer, , contract] = wallets as [Address, Address, Address, Address]
const operator = random.address()
const source = random.address()

const liquidationEvents = parseAbi([
  'event LiquidationCall(address indexed collateral, address indexed debt, address indexed user, uint256 covered, uint256 taken, address liquidator, bool receiveAToken)',
  'event AbsorbDebt(address indexed absorber, address indexed borrower, uint256 basePaidOut, uint256 usdValue)',
  'event Liquidate(bytes32 indexed id, address indexed caller, address indexed borrower, uint256 repaidAssets, uint256 repaidShares, uint256 seizedAssets, uint256 badDebtAssets, uint256 badDebtShares)',
])

type Entry = { wallet: EvmAddress; token: EvmAddress; amount: string }
type Adjustment = Entry & { kind: string }

const reported = { block: 0n, blocks: 0, adjustments: 0, deviations: { aave: 0n, comet: 0n, lido: 0n } }

const devnet = await started(startDevnet({ state: inject('devnetState') }))
const database = await testDatabase('ledger_run')
const { client, url } = devnet.chains.ethereum
const truth = await openLedgerTruth(client, wallets)
const history = composeTestHistory(url, database)
await history.follow(wallets)
reported.block = await client.getBlockNumber()
afterAll(() => database.drop())

/** Compares the ledger of every wallet at the newest block with the chain. */
async function expectLedger(): Promise<void> {
  const block = await devnet.chains.ethereum.client.getBlockNumber()
  if (block === reported.block) return
  expect(block).toBe(reported.block + 1n)
  await history.follow(wallets)
  const ledger = await sums()
  const tokens = [...new Set(ledger.map(({ token }) => token))]
  const balances = await truth.balances(block, tokens)
  const added = new Map(ledger.map(({ wallet, token, amount }) => [entryKey(wallet, token), BigInt(amount)]))
  const shown = [...balances].map(([key]): [string, bigint] => [key, added.get(key) ?? 0n])
  expect(new Map(shown), `block ${block}`).toEqual(balances)
  await expectInterest(block)
  reported.block = block
  reported.blocks += 1
}

/** Only accruals of the protocols' indexes were added to movements. */
async function expectInterest(block: bigint): Promise<void> {
  const adjustments = await adjustmentsAt(block)
  expect(adjustments.filter(({ kind, token }) => kind !== 'interest' || !truth.growing.has(token))).toEqual([])
  const [accrued, events] = await Promise.all([truth.accrued(block), truth.events(block)])
  const found = new Map(adjustments.map(({ wallet, token, amount }) => [entryKey(wallet, token), BigInt(amount)]))
  for (const [key, expected] of accrued) {
    const difference = (found.get(key) ?? 0n) - expected
    const deviation = difference < 0n ? -difference : difference
    expect(deviation, `block ${block}, interest of ${key}`).toBeLessThanOrEqual(events.get(key) ?? 0n)
    const protocol = protocolOf(key)
    if (deviation > reported.deviations[protocol]) reported.deviations[protocol] = deviation
  }
  reported.adjustments += adjustments.length
}

function protocolOf(key: string): keyof typeof reported.deviations {
  if (key.endsWith(steth)) return 'lido'
  return comets.some((comet) => key.endsWith(comet)) ? 'comet' : 'aave'
}

/** For NFTs, their number. */
async function sums(): Promise<Entry[]> {
  const { rows } = await sql<Entry>`
    select wallet, token, sum(amount)::text as amount from (
      select wallet, token, amount from history_movement where amount <> 0
      union all select wallet, token, amount from history_adjustment) as entry
    group by wallet, token`.execute(database.db)
  return rows
}

async function adjustmentsAt(block: bigint): Promise<Adjustment[]> {
  const { rows } = await sql<Adjustment>`
    select wallet, token, amount::text, kind from history_adjustment where block = ${block}`.execute(database.db)
  return rows
}

test(`of ${ACTIONS} random actions, the ledger is the balance after every block`, {
  timeout: sized({ small: 300_000, deep: 7_200_000 }),
}, async () => {
  const started = performance.now()
  const chain = await watchChain(devnet.chains.ethereum, {
    gasPrices: new Map([
      [payer, GWEI],
      [operator, GWEI],
    ]),
    operators: new Map([[contract, operator]]),
    afterBlock: expectLedger,
  })
  await provide(chain)
  const plays = [...playsOf(chain, wallets), ...furtherPlays(chain, wallets, truth.growing)]
  for (let actions = 0; actions < ACTIONS; ) {
    const before = reported.block
    // A reverted step is a failed transaction, which counts as well. `check` throws failed checks of the ledger.
    await random
      .pick(plays)(random.pick(wallets), random)
      .catch(() => undefined)
    chain.check()
    if (reported.block > before) actions += 1
  }
  const seconds = Math.round((performance.now() - started) / 1000)
  const left = await stored()
  console.info(
    JSON.stringify({
      ...{ bar: 'ledger run', seed: random.seed, actions: ACTIONS, blocks: reported.blocks },
      ...{ ...left, seconds, aaveDeviation: Number(reported.deviations.aave) },
      cometDeviation: Number(reported.deviations.comet),
      lidoDeviation: Number(reported.deviations.lido),
    }),
  )
  expect(reported.adjustments).toBeGreaterThan(0)
  expect(left.liquidations).toBeGreaterThan(0)
})

/** Initial balances of every wallet, all by transactions. */
async function provide(chain: WatchedChain): Promise<void> {
  const { erc20, native, lido, compoundV2 } = chain.actions
  await native.give(source, parseEther('1000'))
  await native.give(operator, parseEther('1000'))
  for (const wallet of wallets) {
    await native.send(source, wallet, parseEther('60'))
    await erc20.mint(weth, wallet, parseEther('30'))
    await erc20.mint(usdc, wallet, parseUnits('50000', 6))
    await erc20.mint(dai, wallet, parseEther('2000'))
    await lido.stake(wallet, parseEther('5'))
    await compoundV2.enter(wallet, [ceth, cusdc])
  }
  chain.check()
}

/** Rows stored by the run. */
async function stored() {
  const { rows } = await sql<{ types: Record<string, number>; movements: number }>`
    select (select count(*)::int from history_movement) as movements,
      (select jsonb_object_agg(type, number) from (
        select type, count(*) as number from history_transaction group by type) as called) as types`.execute(
    database.db,
  )
  const liquidated = await devnet.chains.ethereum.client.getLogs({
    address: [at.aaveV3.pool, at.aaveV2.pool, at.compoundV3.comets.usdc, at.morpho.blue],
    events: liquidationEvents,
    fromBlock: reported.block - BigInt(reported.blocks),
  })
  return { ...rows[0], adjustments: reported.adjustments, liquidations: liquidated.length }
}
