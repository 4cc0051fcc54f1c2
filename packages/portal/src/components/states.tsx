import type { ReactNode } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { t } from '../lib/i18n.ts'
import { Badge } from './badge.tsx'
import { Button } from './button.tsx'

export function EmptyState({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="grid justify-items-center gap-2 rounded-lg border border-dashed border-line-strong px-4 py-10 text-center">
      <p className="font-medium">{title}</p>
      {children && <p className="max-w-prose text-sm text-muted">{children}</p>}
      {action}
    </div>
  )
}

export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const code = error instanceof ApiProblem ? error.code : 'UNEXPECTED'
  return (
    <div role="alert" className="grid justify-items-start gap-2 rounded-lg border border-bad bg-bad-soft p-4">
      <p className="text-sm">{messageOf(error)}</p>
      {code === 'UPSTREAM_UNAVAILABLE' && (
        <p className="max-w-prose text-sm">
          {t('The operator can find the cause with coffer-admin doctor, which tests every endpoint.')}
        </p>
      )}
      <p className="font-mono text-xs text-bad">{code}</p>
      {onRetry && (
        <Button size="sm" onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

export function messageOf(error: unknown): string {
  if (error instanceof ApiProblem && error.code === 'UNREACHABLE') return t('The service did not answer.')
  return error instanceof Error ? error.message : t('Something went wrong.')
}

export function Skeleton({ lines = 3 }: { lines?: number }) {
  return (
    <div role="status" aria-label={t('Loading')} className="grid gap-2.5">
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike.
        <div key={line} className="h-4 animate-pulse rounded bg-sunken last:w-2/3" />
      ))}
    </div>
  )
}

/** From an older, successful read. */
export function StaleMark({ title }: { title?: string }) {
  return (
    <Badge tone="warn" {...(title && { title })}>
      {t('stale')}
    </Badge>
  )
}

/** Incomplete or unknown figure; `title` gives the reason. */
export function MissingMark({ title }: { title?: string }) {
  return (
    <Badge tone="warn" {...(title && { title })}>
      {t('incomplete')}
    </Badge>
  )
}
