import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Money } from '../../components/figures.tsx'
import { t } from '../../lib/i18n.ts'
import { PositionView } from './position-view.tsx'
import type { Section } from './rows.ts'

/** Positions drawn before the user asks for more. */
const SHOWN_AT_FIRST = 12

type ProtocolCardProps = { section: Section; hasSeveral: boolean; nameOf: (address: string) => string }

export function ProtocolCard({ section: { name, value, entries }, hasSeveral, nameOf }: ProtocolCardProps) {
  const [withAll, setWithAll] = useState(false)
  const shown = withAll ? entries : entries.slice(0, SHOWN_AT_FIRST)
  return (
    <Card title={name} aside={<Money value={value} className="font-semibold" />}>
      <ul className="grid gap-4">
        {shown.map((entry) => (
          <li key={entry.key} className="min-w-0 border-t border-line pt-3">
            <PositionView entry={entry} protocol={name} owner={nameOf(entry.holding.address)} showsOwner={hasSeveral} />
          </li>
        ))}
      </ul>
      {shown.length < entries.length && (
        <Button size="sm" className="mt-4" onClick={() => setWithAll(true)}>
          {t('Show {n} more', { n: entries.length - shown.length })}
        </Button>
      )}
    </Card>
  )
}
