import { APPROVAL_CHAINS, type Approval, endpoints } from '@coffer/contract'
import { defineCommand } from '../command.ts'
import { type Column, figureColumn, textColumn } from '../output/column.ts'
import { inUnits, quantity } from '../output/figures.ts'
import { priceOf } from '../price.ts'
import { usageProblem } from '../problem.ts'
import { walletOf } from '../wallets.ts'

/** No wallet can spend half of the 256-bit range. */
const UNLIMITED = 2n ** 255n

/** Token units for listed tokens, else base units. */
function allowedOf({ amount, asset }: Approval): string {
  if (amount === '0') return 'revoked'
  if (BigInt(amount) >= UNLIMITED) return 'unlimited'
  return asset ? quantity(inUnits(amount, Number(asset.decimal))) : `${amount} base units`
}

const columns: readonly Column<Approval>[] = [
  textColumn('time UTC', ({ timestamp }) => timestamp, { isWhole: true, spare: 1 }),
  textColumn('token', ({ asset, contract }) => asset?.symbol ?? contract),
  textColumn('contract', ({ contract }) => contract, { spare: 'csv' }),
  textColumn('spender', ({ to }) => to, { isWhole: true }),
  figureColumn('base units', ({ amount }) => amount, undefined, { spare: 'csv' }),
  textColumn('allowed', allowedOf),
  figureColumn('balance', ({ asset }) => asset?.balance ?? '', quantity, { spare: 2 }),
  textColumn('block', ({ block }) => block, { spare: 'csv' }),
  textColumn('hash', ({ hash }) => hash, { isWhole: true, spare: 3 }),
]

export const approvalsCommand = defineCommand({
  name: 'approvals',
  about: `Lists the allowances that a wallet set on a chain, newest first. ${priceOf(endpoints.listApprovals)} per page.`,
  operands: 'ADDRESS',
  printsRows: true,
  options: {
    chain: { type: 'string', value: 'CHAIN', about: 'The chain; required.', choices: APPROVAL_CHAINS },
    limit: { type: 'string', value: 'N', about: 'Maximum approvals, up to 100. Default: 25.' },
    cursor: { type: 'string', value: 'TEXT', about: 'Value that the previous page gave for the next one.' },
  },
  examples: ['0x… --chain ethereum', '0x… --chain base --limit 100 --csv > approvals.csv'],
  async run(call) {
    const { values, output, service, host } = call
    const { client, lastJson } = service()
    const { chain, limit, cursor } = values
    if (chain === undefined)
      throw usageProblem('--chain is missing, e.g. --chain ethereum. See "coffer approvals --help".')
    const query = {
      addresses: await walletOf(call),
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
    }
    const page = await client.listApprovals({ params: { chain }, query } as never, { signal: host.signal })
    await output.print({ json: lastJson(), columns, rows: page.items, empty: 'No approvals found.' })
    if (page.cursor !== null) await output.note(`More approvals follow: --cursor ${page.cursor}`)
  },
})
