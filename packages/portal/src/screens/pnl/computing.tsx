import { t } from '../../lib/i18n.ts'
import { formatDay } from '../../lib/time.ts'

export function Computing({ to }: { to: string }) {
  return (
    <p role="status" className="text-sm">
      {t('The figures of a long history are being computed: done until {day}.', { day: formatDay(to) })}
    </p>
  )
}
