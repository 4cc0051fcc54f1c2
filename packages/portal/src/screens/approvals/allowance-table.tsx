import { useMemo } from 'react'
import { Address } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Amount, Moment, Money, Price } from '../../components/figures.tsx'
import { Why } from '../../components/why.tsx'
import { Worth } from '../../components/worth.tsx'
import { priceOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import type { Allowance, NameOf } from './allowances.ts'

type AllowanceTableProps = {
  rows: readonly Allowance[]
  chains: readonly { key: string; name: string }[]
  nameOf: NameOf
  onRevoke: (allowance: Allowance) => void
}

export function AllowanceTable({ rows, chains, nameOf, onRevoke }: AllowanceTableProps) {
  const columns = useMemo(
    () => columnsOf(new Map(chains.map(({ key, name }) => [key, name])), nameOf, onRevoke),
    [chains, nameOf, onRevoke],
  )
  return <DataTable name={t('Approvals')} rows={rows} columns={columns} rowKey={({ key }) => key} />
}

const columnsOf = (
  chains: ReadonlyMap<string, string>,
  nameOf: NameOf,
  onRevoke: (allowance: Allowance) => void,
): Column<Allowance>[] => [
  {
    id: 'token',
    header: t('Token'),
    value: ({ set }) => set.asset?.displaySymbol ?? set.contract,
    cell: ({ set }) => <Token allowed={set} />,
  },
  {
    id: 'chain',
    header: t('Chain'),
    value: ({ chain }) => chains.get(chain) ?? chain,
    cell: ({ chain }) => chains.get(chain) ?? chain,
  },
  {
    id: 'spender',
    header: t('Spender'),
    value: ({ set }) => nameOf(set.to) ?? set.to,
    cell: ({ set }) => <Named address={set.to} name={nameOf(set.to)} />,
  },
  { id: 'allowance', header: t('Allowance'), end: true, cell: (one) => <Limit allowance={one} /> },
  {
    id: 'exposure',
    header: t('At risk'),
    end: true,
    value: ({ order }) => order,
    sort: 'decimal',
    cell: (one) => <AtRisk allowance={one} />,
  },
  {
    id: 'set',
    header: t('Set'),
    value: ({ set }) => set.timestamp,
    cell: ({ set }) => <Moment relative at={set.timestamp} />,
  },
  {
    id: 'actions',
    header: t('Actions'),
    end: true,
    cell: (one) =>
      one.limit !== 'revoked' && (
        <Button size="sm" onClick={() => onRevoke(one)}>
          {t('Revoke…')}
        </Button>
      ),
  },
]

const Named = ({ address, name }: { address: string; name: string | undefined }) => (
  <Address address={address} {...(name !== undefined && { label: name })} />
)

function Token({ allowed: { asset, contract } }: { allowed: Allowance['set'] }) {
  return (
    <span className="grid">
      <span className="font-medium">{asset ? asset.displaySymbol : t('Unlisted token')}</span>
      <Address address={contract} />
    </span>
  )
}

function Limit({ allowance: { limit, amount, set } }: { allowance: Allowance }) {
  if (limit === 'unlimited') return <Badge tone="bad">{t('unlimited')}</Badge>
  if (limit === 'revoked') return <Badge>{t('revoked')}</Badge>
  if (amount === null) return <span title={set.amount}>{t('limited')}</span>
  return <Amount value={amount} {...(set.asset && { symbol: set.asset.displaySymbol })} />
}

/** The lesser of allowance and balance: in USD if it is the whole balance, whose value the answer has. */
function AtRisk({ allowance }: { allowance: Allowance }) {
  const { exposure, amount, set } = allowance
  return (
    <span className="inline-flex items-center gap-1">
      {exposure === 'unknown' && <span className="text-muted">N/A</span>}
      {exposure === 'nothing' && <Money value="0" />}
      {exposure === 'whole' && set.asset && <Worth asset={set.asset} />}
      {exposure === 'part' && set.asset && amount !== null && (
        <span className="grid">
          <Amount value={amount} symbol={set.asset.displaySymbol} />
          <span className="text-xs text-muted">
            {t('of')} <Worth asset={set.asset} />
          </span>
        </span>
      )}
      <Why figure={t('At risk')} reasons={[{ label: t('Reason'), value: becauseOf(allowance) }, ...sourcesOf(set)]} />
    </span>
  )
}

function becauseOf({ limit, exposure }: Allowance): string {
  if (limit === 'revoked') return t('The allowance is zero.')
  if (exposure === 'unknown') return t('The token is unlisted. Its balance and price are not read.')
  if (exposure === 'nothing')
    return t('The wallet holds none of it now. The spender can take tokens that arrive later.')
  if (exposure === 'part') return t('The allowance is below the wallet’s balance.')
  return t('The allowance covers the wallet’s whole balance.')
}

const sourcesOf = (set: Allowance['set']) => [
  ...(set.asset
    ? [
        { label: t('Name'), value: set.asset.displayName },
        { label: t('Balance'), value: <Amount value={set.asset.balance} symbol={set.asset.displaySymbol} /> },
        { label: t('Price'), value: <Price value={priceOf(set.asset)} /> },
      ]
    : []),
  { label: t('Allowance in base units'), value: <span className="break-all">{set.amount}</span> },
  { label: t('Set'), value: <Moment at={set.timestamp} /> },
  { label: t('Block'), value: set.block },
  { label: t('Transaction'), value: <Address address={set.hash} /> },
  { label: t('Contract'), value: <Address address={set.contract} /> },
]
