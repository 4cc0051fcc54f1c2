import { Card } from '../../components/card.tsx'
import { Fact, Facts } from '../../components/fact.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { detailPairs } from '../../lib/details.ts'
import { t } from '../../lib/i18n.ts'
import { useOperator } from './queries.ts'

export function ConfigurationPanel() {
  const configuration = useOperator('/operator/configuration')
  return (
    <QueryView query={configuration}>
      {({ version, node, settings }) => (
        <>
          <Facts>
            <Fact label={t('Version')} value={version} />
            <Fact label="Node.js" value={node} />
          </Facts>
          <Card title={t('Settings in effect')}>
            <p className="mb-3 text-sm text-muted">{t('Keys and passwords are hidden. URLs show only their host.')}</p>
            <dl className="grid grid-cols-[minmax(8rem,auto)_1fr] text-[0.8125rem]">
              {detailPairs(settings).map(([name, text]) => (
                <div key={name} className="col-span-2 grid grid-cols-subgrid gap-x-4 border-t border-line py-1">
                  <dt className="text-muted">{name}</dt>
                  <dd className="min-w-0 font-mono">{text}</dd>
                </div>
              ))}
            </dl>
          </Card>
        </>
      )}
    </QueryView>
  )
}
