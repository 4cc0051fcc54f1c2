import { endpoints, NAV_CURRENCIES } from '@coffer/contract'
import { defineCommand } from '../command.ts'
import { figureColumn, textColumn } from '../output/column.ts'
import { money, price } from '../output/figures.ts'
import { priceOf } from '../price.ts'
import { walletsOf } from '../wallets.ts'
import { sayIncomplete } from './holdings.ts'

type Nav = { nav: string; currency: string; conversionPrice: string }

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown

/** Keeps figures as text: the answer has JSON numbers of more digits than a double keeps. */
const exactly: Reviver = (_key, value, { source }) => (typeof value === 'number' ? source : value)

export const navCommand = defineCommand({
  name: 'nav',
  about: `Shows the total value of wallets in a currency. ${priceOf(endpoints.getNav)}.`,
  operands: 'ADDRESS…',
  printsRows: true,
  options: {
    currency: {
      type: 'string',
      value: 'CODE',
      about: 'Currency of the sum. Default: USD.',
      choices: NAV_CURRENCIES,
    },
    fresh: { type: 'boolean', about: 'Waits for a new read if the last one is older than a minute.' },
  },
  examples: ['0x…', '0x… 0x… --currency EUR', '@savings --json'],
  async run(call) {
    const { values, output, service, host } = call
    const { client, lastJson } = service()
    const { currency, fresh = false } = values
    const query = { addresses: await walletsOf(call), waitForSync: fresh, ...(currency !== undefined && { currency }) }
    const { incomplete } = await client.getNav({ query }, { signal: host.signal })
    const row = JSON.parse(lastJson(), exactly as Parameters<typeof JSON.parse>[1]) as Nav
    const columns = [
      figureColumn<Nav>('nav', ({ nav }) => nav, money),
      textColumn<Nav>('currency', (one) => one.currency),
      figureColumn<Nav>('USD per unit', ({ conversionPrice }) => conversionPrice, price),
    ]
    await sayIncomplete(output, incomplete)
    await output.print({ json: lastJson(), columns, rows: [row] })
  },
})
