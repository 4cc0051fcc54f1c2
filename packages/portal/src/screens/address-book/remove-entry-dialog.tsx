import { ask } from '../../api/ask.ts'
import { writeV1 } from '../../api/queries.ts'
import { Address } from '../../components/address.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { type Entry, isKept, useBookChange } from './book.ts'

export function RemoveEntryDialog({ entry, onClose }: { entry: Entry; onClose: () => void }) {
  const { address, label, isPaid, ownerAuthorized } = entry
  const change = useBookChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Remove an address')}
      submit={t('Remove')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        await change<unknown>((account) =>
          isKept(entry)
            ? ask('DELETE', '/accounts/:account/address-book/:address', { params: { account, address } })
            : writeV1('DELETE', account, '/v1/addressbook/:address', { params: { address } }),
        )
        onClose()
      }}
    >
      <p className="text-sm">
        <Address address={address} {...(label && { label })} />
      </p>
      {isPaid && (
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
          {t('This address has a paid plan. The rest of the plan is lost.')}
        </p>
      )}
      {ownerAuthorized && (
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
          {t('Its ownership is proved. If you save it again, you have to prove it again.')}
        </p>
      )}
      <p className="text-sm text-muted">
        {t(
          'The address leaves its bundles, and bundles without addresses are removed. Data read from the wallet is kept.',
        )}
      </p>
    </FormDialog>
  )
}
