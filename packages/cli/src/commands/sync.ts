import { setTimeout as wait } from 'node:timers/promises'
import { endpoints, type SyncProgress } from '@coffer/contract'
import { type Call, defineCommand } from '../command.ts'
import { percentOf } from '../output/figures.ts'
import { createProgress } from '../output/progress.ts'
import { priceOf } from '../price.ts'
import { EXIT, Problem, usageProblem } from '../problem.ts'
import { walletOf } from '../wallets.ts'
import { searchedOf, showStatus } from './status.ts'

const LOOK_MS = 1_000
const BAR_WIDTH = 20
/** New transactions per further credit. */
const TRANSACTIONS_PER_CREDIT = 250

export const syncCommand = defineCommand({
  name: 'sync',
  about: 'Syncs the transactions of a wallet and shows the progress. States the price first.',
  operands: 'ADDRESS',
  printsRows: true,
  options: {
    yes: { type: 'boolean', about: 'Starts without asking.', short: 'y' },
    background: { type: 'boolean', about: 'Does not wait for the end. "coffer status" shows the progress.' },
  },
  further: 'Exits with 4 if the credits run out, and with 6 if a node failed. Transactions found so far are kept.',
  examples: ['0x…', '0x… --yes --json', '@savings --yes --background'],
  async run(call) {
    const wallet = await walletOf(call)
    const { client } = call.service()
    const { signal } = call.host
    const before = await progressOf(call, wallet)
    if (before.state === 'running')
      await call.output.note('A sync of the wallet is already running. Waiting for it costs nothing.')
    else await agree(call)
    const answer = await client.syncTransactions({ body: { addresses: [wallet] } }, { signal })
    await call.output.note(`${answer}.`)
    if (call.values.background) return
    await follow(call as Call, wallet)
    const [ended] = await showStatus(call as Call, [wallet])
    if (!ended) return
    refuseUnfinished(ended.sync)
    if (ended.sync.state === 'done-with-gaps') await call.output.missing(`Incomplete: ${gapsOf(ended.sync)}`)
  },
})

async function progressOf({ service, host }: Call, wallet: string): Promise<SyncProgress> {
  const [status] = await service().client.getStatus({ query: { addresses: [wallet] } }, { signal: host.signal })
  if (!status) throw new Problem('The service returned no status of the wallet.', EXIT.unavailable)
  return status.sync
}

/** States the price and asks for consent, unless `--yes` is given. */
async function agree({ service, host, output, values }: Call): Promise<void> {
  const credits = await service().client.getCredits({}, { signal: host.signal })
  const price = `A sync costs ${priceOf(endpoints.syncTransactions)}, plus 1 per ${TRANSACTIONS_PER_CREDIT} new transactions (rounded up); ${credits} credits are left. It is free for 10 minutes after a successful sync.`
  if (values['yes'] === true) return output.note(price)
  const answer = await host.ask(`${price} Start? [y/N] `)
  if (answer === undefined) throw usageProblem(`${price} No sync was started. Give --yes to start it without asking.`)
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw new Problem('No sync was started.')
}

async function follow(call: Call, wallet: string): Promise<void> {
  const { host, output } = call
  const progress = createProgress(host)
  try {
    for (let sync = await progressOf(call, wallet); sync.state === 'running'; sync = await progressOf(call, wallet)) {
      const percent = percentOfAll(sync.chains)
      progress.show(lineOf(sync, percent), Math.floor(percent / 10))
      await wait(LOOK_MS, undefined, { signal: host.signal })
    }
  } finally {
    progress.end()
    if (host.signal.aborted) await output.note('The service continues the sync. "coffer status" shows the progress.')
  }
}

/** Mean over chains: their block counts are not comparable. */
function percentOfAll(chains: SyncProgress['chains']): number {
  const parts = chains.map(({ state, searchedBlocks, totalBlocks }) => {
    if (state !== 'running') return 100
    return totalBlocks === null ? 0 : percentOf(BigInt(searchedBlocks), BigInt(totalBlocks))
  })
  return parts.length === 0 ? 0 : Math.floor(parts.reduce((sum, part) => sum + part, 0) / parts.length)
}

function lineOf({ chains, newTransactions }: SyncProgress, percent: number): string {
  const full = Math.floor((percent * BAR_WIDTH) / 100)
  const bar = `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}] ${percent} %`
  const running = chains.filter(({ state }) => state === 'running').map((one) => `${one.chain} ${searchedOf(one)} %`)
  return [bar, `${newTransactions} new`, ...running].join('  ')
}

function gapsOf({ chains, advice }: SyncProgress): string {
  const gaps = chains
    .filter(({ state }) => state === 'done-with-gaps')
    .map(({ chain, reason }) => `${chain}: ${reason}.`)
  return [...gaps, advice].filter((part) => part !== null).join(' ')
}

function refuseUnfinished({ state, reason, advice }: SyncProgress): void {
  if (state === 'done' || state === 'done-with-gaps') return
  const said = [`The sync is ${state}${reason === null ? '' : `: ${reason}`}.`, advice].filter((part) => part !== null)
  throw new Problem(said.join(' '), state === 'paused' ? EXIT.credits : EXIT.unavailable)
}
