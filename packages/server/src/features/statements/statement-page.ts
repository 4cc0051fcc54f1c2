import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncompleteReason } from '@coffer/contract'
import { dayOf } from '../../domain/day.ts'
import { type Decimal, formatDecimal, sum, ZERO } from '../../domain/decimal.ts'
import { byValue, type ValuedAsset, type ValuedPosition, type ValuedRead } from '../../domain/valuation.ts'
import { escapeHtml } from '../../lib/escape-html.ts'
import { type PortfolioState, presentIncomplete } from '../portfolio/present-portfolio.ts'
import { nameOfPositionType } from '../portfolio/present-position.ts'

/** Continue a sentence after `Ethereum, Aave V3`. */
const WORDS: Readonly<Record<IncompleteReason, string>> = {
  unreadable: 'could not be read. It is missing here, and in every sum.',
  stale: 'could not be refreshed. The figures shown are from an older block.',
  'not-allowed': 'cannot be read from the nodes of this service. It is missing here, and in every sum.',
  'time-limit': 'took too long to read. It is missing here, and in every sum.',
  searching: 'is still being searched for unlisted tokens. Some may be missing.',
  'unpriced-debt': 'has a debt without a price, so the sums are too high.',
  'not-linked': 'is not linked to an account. It is missing here, and in every sum.',
  'no-state': 'is missing here, and in every sum: no node of this service has the state of that block.',
}

function unpricedWords(count: number): string[] {
  if (count === 0) return []
  if (count === 1) return ['1 line has no price. Its value is N/A, and the sums exclude it.']
  return [`${count} lines have no price. Their value is N/A, and the sums exclude it.`]
}

/** Invisible characters and those that turn text around. */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

const codeOf = (character: string) => (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')

/** Renders untrusted text; invisible characters are shown by their codes. */
const shownText = (text: string): string =>
  `<bdi>${escapeHtml(text.replace(UNSEEN, (character) => `[U+${codeOf(character)}]`))}</bdi>`

/** `date`: a day of snapshots, or Unix seconds; undefined: current reads. `madeAt` in ms since the epoch. */
export type Statement = { date: string | number | undefined; madeAt: number; wallets: readonly PortfolioState[] }

const STYLE = readFileSync(new URL('./statement.css', import.meta.url), 'utf8')
/** Nothing runs and nothing is loaded, wherever the file is opened. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`
const UNKNOWN = 'N/A'

export async function* statementPage(statement: Statement, names: Names): AsyncGenerator<string> {
  const wallets = statement.wallets.map((state) => ({
    state,
    lines: state.reads.flatMap((read) => linesOf(read, names)),
  }))
  yield beginning(statement, wallets, names)
  for (const wallet of wallets) yield walletSection(wallet, names)
  yield ending(wallets)
}

type Wallet = { state: PortfolioState; lines: readonly StatementLine[] }

function titleAndSource(date: Statement['date']): [title: string, source: string] {
  if (date === undefined) return ['Statement of holdings', 'the chains, when this statement was made']
  if (typeof date === 'string') return [`Statement of holdings on ${date}`, `the daily snapshots of ${date}`]
  const time = momentOf(date)
  return [`Statement of holdings at ${time}`, 'the last block of each chain at or before this time']
}

function beginning({ date, madeAt, wallets: states }: Statement, wallets: readonly Wallet[], names: Names): string {
  const [title, source] = titleAndSource(date)
  const times = states.flatMap(({ reads }) => reads.flatMap(({ read: { blockTime } }) => blockTime ?? []))
  const worth = sum(states.flatMap(({ reads }) => reads.map(({ value }) => value)))
  const facts = [
    ['Holdings as of', spanOf(times)],
    ['Taken from', source],
    ['Made', momentOf(madeAt / 1_000)],
    ['Wallets', states.map(({ address }) => shownText(address)).join('<br>')],
    ['Sum in USD', `<strong>${centsOf(worth)}</strong> rounded, ${formatDecimal(worth)} exact`],
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
<dl>
${facts.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join('\n')}
</dl>
${notices(wallets, names)}
`
}

function notices(wallets: readonly Wallet[], names: Names): string {
  const items = wallets.flatMap(({ state, lines }) => {
    const gaps = presentIncomplete(state).map((gap) => {
      const protocol = gap.protocol === undefined ? [] : [names.protocol(gap.protocol).name]
      return `${[names.chain(gap.chain).name, ...protocol].map(shownText).join(', ')} ${WORDS[gap.reason]}`
    })
    const unpriced = unpricedWords(lines.filter(({ value }) => value === null).length)
    return [...gaps, ...unpriced].map((words) => `<li>${shownText(state.address)}: ${words}</li>`)
  })
  if (items.length === 0) return '<p>No part is known to be missing, stale or without a price.</p>'
  return `<section class="notices">
<h2>What is missing, old or without a price</h2>
<ul>
${items.join('\n')}
</ul>
</section>`
}

function walletSection({ state, lines }: Wallet, names: Names): string {
  return `<section>
<h2>${shownText(state.address)}</h2>
${chainTable(state.reads, names)}
${lines.length === 0 ? '<p>No holdings on these chains.</p>' : lineTable(lines)}
</section>
`
}

function chainTable(reads: readonly ValuedRead[], names: Names): string {
  const rows = reads.map(({ read: { chain, block, blockTime }, value }) =>
    row([
      shownText(names.chain(chain).name),
      block === undefined ? UNKNOWN : String(block),
      blockTime === undefined ? UNKNOWN : momentOf(blockTime),
      formatDecimal(value),
      centsOf(value),
    ]),
  )
  const worth = sum(reads.map(({ value }) => value))
  const columns = ['Chain', 'Block', 'Time of the block', 'Value (USD), exact', 'Rounded']
  const sums = `<th scope="row" colspan="3">Sum</th><td>${formatDecimal(worth)}</td><td>${centsOf(worth)}</td>`
  return table('chains', 'By chain', columns, rows, `<tfoot><tr>${sums}</tr></tfoot>`)
}

function lineTable(lines: readonly StatementLine[]): string {
  const columns = ['Asset', 'Where', 'Balance', 'Price (USD)', 'Value (USD), exact', 'Rounded']
  const rows = lines.map(({ token, place, balance, price, priceSource, value }) =>
    row([
      `${shownText(token.symbol)} ${small(shownText(token.name))}${token.address === '' ? '' : small(shownText(token.address))}${token.listed === true ? '' : small('unlisted')}`,
      place.map(shownText).join(' · '),
      formatDecimal(balance),
      price === null ? UNKNOWN : `${formatDecimal(price)} ${small(shownText(priceSource ?? ''))}`,
      value === null ? UNKNOWN : formatDecimal(value),
      value === null ? UNKNOWN : centsOf(value),
    ]),
  )
  return table('lines', 'Assets and debts', columns, rows)
}

function ending(wallets: readonly Wallet[]): string {
  const all = wallets.flatMap(({ lines }) => lines.flatMap(({ priceSource }) => priceSource ?? []))
  const sources = [...new Set(all)].sort()
  return `<section>
<h2>How to read this</h2>
<ul>
<li>Times are of UTC. All figures of a chain are from the one block that is named.</li>
<li>A value is balance × price, with all digits. Debts are negative. Sums are of exact values, never of rounded ones, so that the rounded column may differ from its sum by cents. It is rounded half to even.</li>
<li>N/A is what is not known. It is not zero, and in no sum.</li>
<li>Names of tokens are what their contracts say: anyone may call a token USDC. The contract tells them apart. What no reader would see in a name is shown by its code, such as [U+202E].</li>
<li>${sources.length === 0 ? 'No price was needed.' : `Prices are from: ${sources.map(shownText).join(', ')}.`}</li>
</ul>
</section>
</main>
</body>
</html>
`
}

function table(kind: string, caption: string, columns: readonly string[], rows: readonly string[], foot = '') {
  return `<table class="${kind}">
<caption>${caption}</caption>
<thead><tr>${columns.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
${foot}
</table>`
}

const row = ([first, ...cells]: readonly string[]) =>
  `<tr><th scope="row">${first}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`

const small = (html: string) => `<small>${html}</small>`

/** `1,234.50`, rounded half to even. */
const centsOf = (value: Decimal) =>
  value
    .toFixed(2)
    .replace(/^-(?=0[.]00$)/, '')
    .replace(/\B(?=(\d{3})+(?=[.]))/g, ',')

/** `2026-12-31 23:59:59 UTC`, from Unix seconds. */
const momentOf = (time: number) => `${new Date(time * 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`

function spanOf(times: readonly number[]): string {
  if (times.length === 0) return UNKNOWN
  const [first, last] = [momentOf(Math.min(...times)), momentOf(Math.max(...times))]
  return first === last ? first : `${first} to ${last}, by the chain`
}

export type Names = { chain(key: string): { name: string }; protocol(key: string): { name: string } }

/** `place`: from the chain to the position. Debts are negative. `price` in USD; null without one. */
type StatementLine = {
  token: ValuedAsset['token']
  place: readonly string[]
  balance: Decimal
  price: Decimal | null
  priceSource: string | null
  value: Decimal | null
}

function linesOf({ read, held, positions }: ValuedRead, names: Names) {
  const chain = names.chain(read.chain).name
  return [
    ...byValue(held).map((asset) => lineOf(asset, [chain, 'Wallet'])),
    ...positions.flatMap((each) => positionLines(each, [chain, names.protocol(each.position.protocol).name])),
  ]
}

/** Limit of `Date`. Contracts and programs write larger values for endless locks. */
const LAST_SECOND = 8_640_000_000_000

const lockText = (unlockAt: number) => (unlockAt > LAST_SECOND ? 'locked for ever' : `locked until ${dayOf(unlockAt)}`)

function positionLines(
  { position: { kind, label, unlockAt }, supplied, rewards, borrowed }: ValuedPosition,
  at: readonly string[],
): StatementLine[] {
  const until = unlockAt === undefined ? [] : [lockText(unlockAt)]
  const place = [...at, nameOfPositionType(kind), ...(label === '' ? [] : [label]), ...until]
  return [
    ...supplied.map((asset) => lineOf(asset, place)),
    ...rewards.map((asset) => lineOf(asset, [...place, 'reward'])),
    ...borrowed.map((asset) => {
      const line = lineOf(asset, [...place, 'owed'])
      return { ...line, balance: ZERO.minus(line.balance), value: line.value && ZERO.minus(line.value) }
    }),
  ]
}

function lineOf({ token, balance, price, priceSource, value }: ValuedAsset, place: readonly string[]): StatementLine {
  const isPriced = priceSource !== null
  return { token, place, balance, priceSource, price: isPriced ? price : null, value: isPriced ? value : null }
}
