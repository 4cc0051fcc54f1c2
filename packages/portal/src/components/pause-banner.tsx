import { useEffect, useState } from 'react'
import { usePause } from '../lib/connection.ts'
import { t } from '../lib/i18n.ts'

/** Shows that reads wait, and until when. */
export function PauseBanner() {
  const pause = usePause()
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-0 z-50 flex justify-center p-4">
      {pause && (
        <p className="rounded-md border border-warn bg-warn-soft px-4 py-2 text-sm font-medium text-warn shadow-lg">
          {pause.reason === 'outage' ? (
            t('The service does not answer. Reconnecting…')
          ) : (
            <>
              {t('Too many requests.')} <Countdown until={pause.until} />
            </>
          )}
        </p>
      )}
    </div>
  )
}

function Countdown({ until }: { until: number }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  // Screen readers announce the wait once, not every second.
  return <span aria-live="off">{t('Continuing in {n} s…', { n: Math.max(Math.ceil((until - now) / 1_000), 0) })}</span>
}
