import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/ask.ts'
import type { WalletItem } from '../../api/types.ts'
import { Address, shortAddress } from '../../components/address.tsx'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Failure } from '../../components/failure.tsx'
import { Moment } from '../../components/figures.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { findAllSigners, type Signer, signChallenge } from '../../lib/wallets.ts'
import { renewOwn, walletsQuery } from './own.ts'
import { RemoveWay } from './remove-way.tsx'

/** Wallets that sign the user in; a signature links one. */
export function WalletsCard() {
  const wallets = useQuery(walletsQuery)
  const signers = useQuery({ queryKey: ['signers'], queryFn: findAllSigners, gcTime: 0 })
  const work = useWork()
  const link = (signer: Signer) =>
    work.run(async () => {
      const body = await signChallenge(signer, (wallet) => ask('POST', '/user/wallets/challenge', { body: wallet }))
      // A rejected signature is a 401 too, but ends no session.
      await ask('POST', '/user/wallets', { body, anonymous: true })
      await renewOwn()
    })
  return (
    <Card title={t('Wallets')}>
      <div className="grid gap-3">
        <QueryView query={wallets} lines={2}>
          {(list) =>
            list.length === 0 ? (
              <p className="text-sm text-muted">
                {t(
                  'No wallets yet. A linked wallet signs you in with a signature. Signing moves nothing and costs nothing.',
                )}
              </p>
            ) : (
              <ul className="divide-y divide-line">
                {list.map((wallet) => (
                  <WalletLine key={wallet.address} wallet={wallet} />
                ))}
              </ul>
            )
          }
        </QueryView>
        <Failure text={work.error} />
        <div className="flex flex-wrap gap-2">
          {(signers.data ?? []).map((signer) => (
            <Button key={signer.id} size="sm" busy={work.busy} onClick={() => void link(signer)}>
              {t('Link an account of {name}', { name: signer.name })}
            </Button>
          ))}
        </div>
        {signers.data?.length === 0 && <p className="text-sm text-muted">{t('This browser has no wallet to link.')}</p>}
      </div>
    </Card>
  )
}

function WalletLine({ wallet: { address, lastUsedAt } }: { wallet: WalletItem }) {
  return (
    <RemoveWay
      action={t('Unlink')}
      label={t('Unlink {name}', { name: shortAddress(address) })}
      remove={() => ask('DELETE', '/user/wallets/:address', { params: { address } })}
    >
      <Address address={address} />
      <p className="text-xs text-muted">
        {t('Last used')}: {lastUsedAt ? <Moment relative at={lastUsedAt} /> : t('never')}
      </p>
    </RemoveWay>
  )
}
