import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { ask } from '../../api/ask.ts'
import type { SessionItem } from '../../api/types.ts'
import { Badge } from '../../components/badge.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Failure } from '../../components/failure.tsx'
import { Moment } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { agentName } from './agent-name.ts'
import { renewOwn, sessionsQuery } from './own.ts'

export function SessionsCard() {
  const sessions = useQuery(sessionsQuery)
  const { run, busy, error } = useWork()
  const columns = useMemo(() => {
    const end = (id: string) =>
      void run(async () => {
        await ask('DELETE', '/user/sessions/:id', { params: { id } })
        await renewOwn()
      })
    return columnsOf(busy, end)
  }, [busy, run])
  return (
    <Card title={t('Sessions')}>
      <QueryView query={sessions}>
        {(list) => <DataTable name={t('Sessions')} rows={list} columns={columns} rowKey={(session) => session.id} />}
      </QueryView>
      <Failure text={error} />
    </Card>
  )
}

const columnsOf = (busy: boolean, end: (id: string) => void): Column<SessionItem>[] => [
  {
    id: 'agent',
    header: t('Browser'),
    cell: (session) => (
      <span title={session.agent}>
        {agentName(session.agent) ?? t('unknown')}{' '}
        {session.isCurrent && <Badge tone="accent">{t('this session')}</Badge>}
      </span>
    ),
  },
  { id: 'address', header: t('From'), cell: (session) => session.address },
  {
    id: 'seen',
    header: t('Last seen'),
    value: (session) => session.seenAt,
    cell: (session) => <Moment relative at={session.seenAt} />,
  },
  {
    id: 'since',
    header: t('Signed in'),
    value: (session) => session.createdAt,
    cell: (session) => <Moment at={session.createdAt} />,
  },
  {
    id: 'actions',
    header: t('Actions'),
    end: true,
    cell: (session) =>
      session.isCurrent ? null : (
        <Button
          size="sm"
          disabled={busy}
          aria-label={t('End the session from {address}', { address: session.address })}
          onClick={() => end(session.id)}
        >
          {t('End')}
        </Button>
      ),
  },
]
