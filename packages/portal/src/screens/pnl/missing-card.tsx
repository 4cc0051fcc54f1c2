import { Link } from '@tanstack/react-router'
import { useAccount } from '../../api/queries.ts'
import { Address } from '../../components/address.tsx'
import { Badge } from '../../components/badge.tsx'
import { buttonClass } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { symbolOf } from '../../lib/assets.ts'
import { t } from '../../lib/i18n.ts'
import { type Missing, missingByReason, type Portfolio } from './cost-lines.ts'
import { REASONS } from './reasons.ts'

type MissingCardProps = { portfolios: readonly Portfolio[]; nameOf: (address: string) => string | undefined }

export function MissingCard({ portfolios, nameOf }: MissingCardProps) {
  const incomplete = portfolios.filter(({ pnlIncomplete }) => pnlIncomplete.length > 0)
  if (incomplete.length === 0) {
    return (
      <Card title={t('What is missing')}>
        <p className="text-sm text-muted">{t('Nothing. The cost of every holding and of every sale is known.')}</p>
      </Card>
    )
  }
  return (
    <Card title={t('What is missing')}>
      <ul className="grid gap-5">
        {incomplete.map((portfolio) => {
          const label = nameOf(portfolio.address)
          return (
            <li key={portfolio.address} className="grid gap-2 text-sm">
              <Address address={portfolio.address} {...(label && { label })} />
              <ul className="grid gap-3">
                {missingByReason(portfolio).map(([reason, items]) => (
                  <li key={reason} className="grid gap-1 border-s-2 border-warn ps-3 text-sm">
                    <MissingReasonView portfolio={portfolio} reason={reason} items={items} />
                  </li>
                ))}
              </ul>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}

type MissingReasonViewProps = { portfolio: Portfolio; reason: Missing['reason']; items: readonly Missing[] }

function MissingReasonView({ portfolio, reason, items }: MissingReasonViewProps) {
  const { id } = useAccount()
  const words = REASONS[reason]
  const places = items.filter(({ chain }) => chain !== undefined)
  const isOfChains = ['no-history', 'pruned', 'replaced-chain'].includes(reason)
  return (
    <>
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{words.name()}</span>
        {places.length > 0 && (
          <Badge tone="warn">
            {isOfChains
              ? t('{n, plural, one {# chain} other {# chains}}', { n: places.length })
              : t('{n, plural, one {# asset} other {# assets}}', { n: places.length })}
          </Badge>
        )}
      </p>
      <p>{words.what()}</p>
      <p className="text-muted">{words.remedy()}</p>
      {words.isOfHistory && (
        <Link
          to={`/a/${id}/transactions`}
          search={{ addresses: portfolio.address } as never}
          className={`${buttonClass({ size: 'sm' })} w-fit`}
        >
          {t('View its transactions')}
        </Link>
      )}
      {places.length > 0 && (
        <details>
          <summary className="w-fit rounded">{t('Which')}</summary>
          <ul className="mt-1 grid gap-0.5 sm:grid-cols-2 lg:grid-cols-3">
            {places.map(({ chain, contract }) => (
              <li key={`${chain} ${contract}`} className="flex items-center gap-2">
                <span className="text-muted">{chain}</span>
                {contract !== undefined && <NamedContract contract={contract} chain={chain} portfolio={portfolio} />}
                {contract === undefined && !isOfChains && t('too many to list')}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

/** Adds the symbol if the wallet holds the contract. */
function NamedContract({
  contract,
  chain,
  portfolio,
}: {
  contract: string
  chain: string | undefined
  portfolio: Portfolio
}) {
  const held = Object.values(portfolio.assetByProtocols).flatMap(({ assets }) => assets)
  const asset = held.find(({ contractAddress, chainKey }) => contractAddress === contract && chainKey === chain)
  return <Address address={contract} {...(asset && { label: symbolOf(asset) })} />
}
