import { Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { buttonClass } from '../../components/button.tsx'
import { Entrance } from '../../components/entrance.tsx'
import { ErrorState, Skeleton } from '../../components/states.tsx'
import { t } from '../../lib/i18n.ts'
import { finish } from './finish.ts'

/** Return page of the issuer: finishes the flow and continues. */
export function Screen() {
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  useEffect(() => {
    finish().then((href) => navigate({ href, replace: true }), setError)
  }, [navigate])
  return (
    <Entrance title={t('Sign in')}>
      {error === null ? (
        <Skeleton />
      ) : (
        <>
          <ErrorState error={error} />
          <Link to="/sign-in" className={buttonClass()}>
            {t('Back to the sign-in')}
          </Link>
        </>
      )}
    </Entrance>
  )
}
