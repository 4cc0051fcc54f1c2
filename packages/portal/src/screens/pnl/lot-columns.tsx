import type { ReactNode } from 'react'
import { Address, shortAddress } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import type { Column } from '../../components/data-table.tsx'
import { Amount, Change, Moment, Money, Price } from '../../components/figures.tsx'
import { type Reason, Why } from '../../components/why.tsx'
import { t } from '../../lib/i18n.ts'
import { formatCount } from '../../lib/money.ts'
import type { Earning, LotGapView, OpenLot, SoldLot } from './use-pnl.ts'

type Listed<Lot> = Lot & { key: string }
type AnyLot = Pick<SoldLot, 'symbol' | 'contract' | 'chain' | 'tokenId' | 'quantity' | 'wallet'>
type At = SoldLot['disposed']

const gaps: Readonly<Record<LotGapView, () => string>> = {
  unseen: () => t('No incoming transaction found for these units.'),
  'unknown-cost': () => t('These or other units of the same asset came in without a price for that time.'),
  'unknown-proceeds': () => t('The assets received for them had no price.'),
  'sold-with-unknown': () => t('Other units of the same sale have an unknown cost.'),
  gap: () => t('The balance on chain differs from what transactions explain.'),
  unpriced: () => t('It had no price then and adds nothing to the totals.'),
}

const placeNames: Readonly<Record<OpenLot['place'], () => string>> = {
  wallet: () => t('In the wallet'),
  position: () => t('In a position'),
  debt: () => t('Owed'),
  transit: () => t('On a bridge'),
}

export const soldColumns = (): Column<Listed<SoldLot>>[] => [
  assetColumn(),
  quantityColumn(),
  momentColumn('acquired', t('Acquired'), ({ acquired }) => acquired),
  momentColumn('disposed', t('Sold'), ({ disposed }) => disposed),
  {
    id: 'days',
    header: t('Days held'),
    end: true,
    cell: ({ daysHeld }) => <span className="tabular-nums">{daysHeld === null ? 'N/A' : formatCount(daysHeld)}</span>,
  },
  figureColumn('proceeds', t('Proceeds'), ({ proceeds }) => <Money value={proceeds} />),
  figureColumn('cost', t('Cost'), ({ cost }) => <Money value={cost} />),
  figureColumn('gain', t('Gain'), (lot) => (
    <span>
      <Change value={lot.gain} />
      <WhyLot
        lot={lot}
        figure={t('Gain of {name}', { name: nameOf(lot) })}
        exact={soldFigures(lot)}
        missing={lot.missing}
      />
    </span>
  )),
]

export const openColumns = (): Column<Listed<OpenLot>>[] => [
  assetColumn(),
  {
    id: 'place',
    header: t('Where'),
    value: ({ place }) => place,
    cell: ({ place }) => (place === 'debt' ? <Badge tone="warn">{placeNames.debt()}</Badge> : placeNames[place]()),
  },
  quantityColumn(),
  momentColumn('acquired', t('Acquired'), ({ acquired }) => acquired),
  figureColumn('unitCost', t('Unit cost'), ({ unitCost }) => <Price value={unitCost} />),
  figureColumn('cost', t('Cost'), (lot) => (
    <span>
      <Money value={lot.cost} />
      <WhyLot
        lot={lot}
        figure={t('Cost of {name}', { name: nameOf(lot) })}
        exact={openFigures(lot)}
        missing={lot.missing}
      />
    </span>
  )),
]

export const earningColumns = (): Column<Listed<Earning>>[] => [
  assetColumn(),
  quantityColumn(),
  momentColumn('earned', t('When'), ({ earned }) => earned),
  figureColumn('worth', t('Value then'), (lot) => (
    <span>
      <Money value={lot.worth} />
      <WhyLot
        lot={lot}
        figure={t('Value of {name}', { name: nameOf(lot) })}
        exact={earningFigures(lot)}
        missing={lot.missing}
      />
    </span>
  )),
]

const nameOf = ({ symbol, contract }: AnyLot): string => symbol || shortAddress(contract)

const assetColumn = <Lot extends AnyLot>(): Column<Lot> => ({
  id: 'asset',
  header: t('Asset'),
  value: nameOf,
  cell: (lot) => (
    <span className="flex flex-wrap items-center gap-x-1.5">
      <span className="font-medium">{nameOf(lot)}</span>
      {lot.tokenId !== null && <span className="text-muted">#{lot.tokenId}</span>}
      {lot.chain !== null && <span className="text-muted">{lot.chain}</span>}
    </span>
  ),
})

const quantityColumn = <Lot extends AnyLot>(): Column<Lot> => ({
  id: 'quantity',
  header: t('Amount'),
  end: true,
  sort: 'decimal',
  value: ({ quantity }) => quantity,
  cell: ({ quantity }) => <Amount value={quantity} />,
})

const momentColumn = <Lot extends object>(id: string, header: string, at: (lot: Lot) => At | null): Column<Lot> => ({
  id,
  header,
  value: (lot) => at(lot)?.at ?? '',
  cell: (lot) => {
    const moment = at(lot)
    return moment ? <Moment at={moment.at} /> : <span className="text-muted">N/A</span>
  },
})

function figureColumn<Id extends string, Lot extends Record<Id, string>>(
  id: Id,
  header: string,
  cell: (lot: Lot) => ReactNode,
): Column<Lot> {
  return { id, header, cell, end: true, sort: 'decimal', value: (lot) => lot[id] }
}

const exactly = (value: string) => <span className="break-all">{value}</span>

const soldFigures = ({ proceeds, cost, gain, acquired, disposed }: SoldLot): Reason[] => [
  { label: t('Proceeds'), value: exactly(proceeds) },
  { label: t('Cost'), value: exactly(cost) },
  { label: t('Gain'), value: exactly(gain) },
  ...transactionOf(t('Acquired by'), acquired),
  ...transactionOf(t('Sold by'), disposed),
]

const openFigures = ({ cost, position, acquired }: OpenLot): Reason[] => [
  { label: t('Cost'), value: exactly(cost) },
  ...(position === null ? [] : [{ label: t('Position'), value: exactly(position) }]),
  ...transactionOf(t('Acquired by'), acquired),
]

const earningFigures = ({ worth, earned }: Earning): Reason[] => [
  { label: t('Value then'), value: exactly(worth) },
  ...transactionOf(t('Earned by'), earned),
]

/** A reconciliation with the chain's balance has no transaction. */
const transactionOf = (label: string, at: At | null): Reason[] =>
  at?.transaction ? [{ label, value: <Address address={at.transaction} /> }] : []

type WhyLotProps = { lot: AnyLot; figure: string; exact: readonly Reason[]; missing: readonly LotGapView[] }

function WhyLot({ lot, figure, exact, missing }: WhyLotProps) {
  return (
    <Why
      figure={figure}
      reasons={[
        ...missing.map((reason) => ({ label: t('Unknown'), value: gaps[reason]() })),
        ...exact,
        { label: t('Amount'), value: exactly(lot.quantity) },
        { label: t('Wallet'), value: <Address address={lot.wallet} /> },
        ...(lot.chain === null ? [] : [{ label: t('Contract'), value: <Address address={lot.contract} /> }]),
      ]}
    />
  )
}
