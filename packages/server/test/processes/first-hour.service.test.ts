import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const program = join(import.meta.dirname, '../../demo/first-hour.ts')
const page = readFileSync(join(import.meta.dirname, '../../../../docs/first-hour.md'), 'utf8')

/** Typed commands, and the headings between them. */
const typed = (text: string) => text.split('\n').filter((line) => /^(#|\$ )/.test(line))

/** Output lines of a command, by a part of the command. */
function blockOf(text: string, command: string): string {
  const [, block = ''] = text.split(command)
  return block.slice(block.indexOf('\n'), block.indexOf('\n```'))
}

const printed = (text: string, command: string): unknown => JSON.parse(blockOf(text, command))

test('the first hour goes as its page says: what fails is named, a sync is watched to its end, and PnL is explained', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  expect(typed(stdout)).toEqual(typed(page))
  for (const command of ['COFFER_PORT=8090 npm start', 'account create']) {
    expect(blockOf(stdout, command)).toBe(blockOf(page, command))
  }
  expect(stdout).toMatch(/^\$ npm start\nPort 8080 is in use, perhaps by another Coffer: stop it, or set COFFER_PORT/m)
  expect(stdout).toMatch(/^This is a new installation\. The key of its account "owner", shown this once: coffer_…$/m)
  expect(stdout).toMatch(/^fail: base#1: .*connection failed \(ECONNREFUSED\)$/m)
  expect(stdout).not.toMatch(/coffer_[A-Za-z0-9]/)

  expect(printed(stdout, '{networth, incomplete}')).toMatchObject({
    incomplete: expect.arrayContaining([{ chain: 'base', reason: 'unreadable' }]),
  })
  expect(printed(stdout, '{networth, openPnl,')).toMatchObject({
    openPnl: 'N/A',
    pnlIncomplete: [{ reason: 'no-history' }],
  })
  expect(printed(stdout, '{syncInProgress, sync}')).toMatchObject({
    syncInProgress: false,
    sync: { state: 'done', reason: null, newTransactions: 6 },
  })
  // 1.9 of 2 ether that came at 3,000 and 5,000 USDC that came at 1. Half an ether has become stETH, worth 2,997 each.
  // A slow run earns units of interest on the lent dollars.
  expect(printed(stdout, '{networth, totalCostBasis,')).toMatchObject({
    totalCostBasis: expect.stringMatching(/^10700(\.0000\d\d)?$/),
    openPnl: expect.stringMatching(/^-1\.5/),
    closedPnl: '0',
    pnlIncomplete: [],
  })
  expect(stdout).toMatch(/ {2}TRANSFEROUT {2}Unknown {2}0x.*\n.* {2}STAKE {2}Lido {2}0x.*\n.* {2}LEND {2}Aave V3 {2}0x/)
})
