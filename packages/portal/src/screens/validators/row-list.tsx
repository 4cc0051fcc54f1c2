import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { EmptyState, ErrorState, MissingMark, Skeleton } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import type { useRows } from './use-rows.ts'

type RowListProps = {
  list: Pick<ReturnType<typeof useRows>, 'query' | 'isComplete'> & { rows: readonly unknown[] }
  /** Text if everything is indexed and there is nothing. */
  nothing: string
  children: ReactNode
}

/** Covers loading, failure, indexing, emptiness and further pages. */
export function RowList({ list: { query, rows, isComplete }, nothing, children }: RowListProps) {
  if (query.isPending) return <Skeleton lines={6} />
  const failure = query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />
  if (query.data === undefined) return failure
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {failure}
      {!isComplete && (
        <p role="status" className="text-sm text-muted">
          <MissingMark />{' '}
          {t('Blocks are still being indexed, so data is missing here. The page updates automatically.')}
        </p>
      )}
      {rows.length > 0 && children}
      {rows.length === 0 && isComplete && <EmptyState title={nothing} />}
      {query.hasNextPage && (
        <div>
          <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('Load older')}
          </Button>
        </div>
      )}
    </div>
  )
}
