import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useSession } from '../../api/queries.ts'
import { Button } from '../../components/button.tsx'
import { Failure } from '../../components/failure.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { identitiesQuery, renewOwn, walletsQuery } from './own.ts'

type RemoveWayProps = {
  /** The button's action and its object. */
  action: string
  label: string
  /** False if the service rejects it. */
  isUsable?: boolean
  remove: () => Promise<unknown>
  /** The item to remove. */
  children: ReactNode
}

/** A sign-in method with its remove button. The service ensures that the last one stays. */
export function RemoveWay({ action, label, isUsable = true, remove, children }: RemoveWayProps) {
  const isLast = useWays() === 1 && isUsable
  const work = useWork()
  const take = () =>
    work.run(async () => {
      await remove()
      await renewOwn()
    })
  return (
    <li className="grid gap-1 py-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0">{children}</div>
        {isLast ? (
          <p className="text-xs text-muted">
            {t('This is your only way to sign in. Add another before you remove it.')}
          </p>
        ) : (
          <Button size="sm" look="danger" busy={work.busy} aria-label={label} onClick={() => void take()}>
            {action}
          </Button>
        )}
      </div>
      <Failure text={work.error} />
    </li>
  )
}

/** Counts the user's sign-in methods; undefined until all are known. */
function useWays(): number | undefined {
  const { user } = useSession()
  const wallets = useQuery(walletsQuery).data
  const identities = useQuery(identitiesQuery).data
  if (!wallets || !identities) return undefined
  const usable = identities.filter(({ isUsable }) => isUsable).length
  return (user.hasPassword ? 1 : 0) + user.passkeys + wallets.length + usable
}
