import type { ReactNode } from 'react'
import { ErrorState, Skeleton } from './states.tsx'

type QueryViewProps<T> = {
  query: { data: T | undefined; error: Error | null; refetch: () => Promise<unknown> }
  children: (data: T) => ReactNode
  /** Lines of the skeleton. */
  lines?: number
}

/** Existing data stays on screen when a refetch fails. */
export function QueryView<T>({ query, children, lines = 5 }: QueryViewProps<T>) {
  const retry = () => void query.refetch()
  if (query.data === undefined) {
    return query.error ? <ErrorState error={query.error} onRetry={retry} /> : <Skeleton lines={lines} />
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      {query.error && <ErrorState error={query.error} onRetry={retry} />}
      {children(query.data)}
    </div>
  )
}
