import { endpoints } from '@coffer/contract'
import { defineCommand } from '../command.ts'
import { figureColumn } from '../output/column.ts'
import { priceOf } from '../price.ts'

export const creditsCommand = defineCommand({
  name: 'credits',
  about: `Shows the available credits. ${priceOf(endpoints.getCredits)}.`,
  operands: '',
  printsRows: true,
  options: {},
  examples: ['', '--json'],
  async run({ output, service, host: { signal } }) {
    const { client, lastJson } = service()
    await client.getCredits({}, { signal })
    await output.print({
      json: lastJson(),
      columns: [figureColumn<string>('credits', (text) => text)],
      rows: [lastJson()],
    })
  },
})
