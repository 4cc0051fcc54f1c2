import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { buttonClass } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { EmptyState, ErrorState } from '../components/states.tsx'
import { t } from '../lib/i18n.ts'
import { PartError } from '../lib/parts.ts'

export function NotFound() {
  return (
    <main id="main" className="p-4">
      <Page title={t('Page not found')}>
        <EmptyState
          title={t('This page does not exist.')}
          action={
            <Link to="/" className={buttonClass()}>
              {t('Go to the start page')}
            </Link>
          }
        />
      </Page>
    </main>
  )
}

export function RouteError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const needsReload = error instanceof PartError && error.needsReload
  useEffect(() => {
    if (needsReload) location.reload()
  }, [needsReload])
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return (
    <div className="p-4">
      <ErrorState error={error} onRetry={retry} />
    </div>
  )
}
