import { Link } from '@tanstack/react-router'
import type { Holding } from '../../api/holdings.ts'
import { useAccount } from '../../api/queries.ts'
import { Address } from '../../components/address.tsx'
import { Card } from '../../components/card.tsx'
import { Money } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'

type WalletsCardProps = { holdings: readonly Holding[]; nameOf: (address: string) => string | undefined }

export function WalletsCard({ holdings, nameOf }: WalletsCardProps) {
  const { id } = useAccount()
  return (
    <Card title={t('Addresses')}>
      <ul className="grid grid-cols-[minmax(0,1fr)] gap-2 text-sm">
        {holdings.map(({ address, networth }) => {
          const label = nameOf(address)
          return (
            <li key={address} className="flex flex-wrap items-center justify-between gap-x-3">
              <Address address={address} {...(label !== undefined && { label })} />
              <Link
                to={`/a/${id}/portfolio`}
                search={{ addresses: address } as never}
                className="ms-auto inline-block rounded py-1 text-accent underline-offset-2 hover:underline"
              >
                <span className="sr-only">{t('Holdings of {address}', { address: label ?? address })}</span>
                <Money value={networth} />
              </Link>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
