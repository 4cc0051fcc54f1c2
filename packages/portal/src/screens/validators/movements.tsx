import { Address } from '../../components/address.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Moment } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'
import { fromUnixSeconds } from '../../lib/time.ts'
import { Ether } from './ether.tsx'
import { RowList } from './row-list.tsx'
import { type Row, useRows } from './use-rows.ts'

const WITHDRAWALS = '/v1/beacon/validators/withdrawals/index/:index'
const DEPOSITS = '/v1/beacon/validators/deposits/index/:index'
type Withdrawal = Row<typeof WITHDRAWALS>
type Deposit = Row<typeof DEPOSITS>

export function Withdrawals({ index }: { index: string }) {
  const list = useRows(WITHDRAWALS, index)
  return (
    <RowList list={list} nothing={t('No withdrawals yet')}>
      <DataTable
        name={t('Withdrawals')}
        rows={list.rows}
        columns={withdrawalColumns()}
        rowKey={({ slot, amount }) => `${slot} ${amount}`}
      />
    </RowList>
  )
}

export function Deposits({ index }: { index: string }) {
  const list = useRows(DEPOSITS, index)
  return (
    <RowList list={list} nothing={t('No deposits found')}>
      <DataTable
        name={t('Deposits')}
        rows={list.rows}
        columns={depositColumns()}
        rowKey={({ depositIndex }) => depositIndex}
      />
    </RowList>
  )
}

const movementColumns = <T extends Withdrawal | Deposit>(): Column<T>[] => [
  {
    id: 'when',
    header: t('When'),
    value: ({ timestamp }) => timestamp,
    sort: 'decimal',
    cell: ({ timestamp }) => <Time seconds={timestamp} />,
  },
  {
    id: 'amount',
    header: t('Amount'),
    end: true,
    value: ({ amount }) => amount,
    sort: 'decimal',
    cell: ({ amount }) => <Ether wei={amount} />,
  },
  { id: 'slot', header: t('Slot'), end: true, cell: ({ slot }) => slot },
  { id: 'epoch', header: t('Epoch'), end: true, cell: ({ epoch }) => epoch },
]

const withdrawalColumns = (): Column<Withdrawal>[] => [
  ...movementColumns<Withdrawal>(),
  { id: 'to', header: t('To'), cell: ({ address }) => <Address address={address} /> },
]

const depositColumns = (): Column<Deposit>[] => [
  ...movementColumns<Deposit>(),
  { id: 'number', header: t('Number'), end: true, cell: ({ depositIndex }) => depositIndex },
  {
    id: 'credentials',
    header: t('Withdrawals go to'),
    cell: ({ withdrawalAddress, withdrawalCredentials }) => (
      <Address address={withdrawalAddress ?? withdrawalCredentials} />
    ),
  },
]

function Time({ seconds }: { seconds: string }) {
  const moment = fromUnixSeconds(seconds)
  return moment ? <Moment at={moment} /> : 'N/A'
}
