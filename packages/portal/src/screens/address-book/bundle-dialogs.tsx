import { useState } from 'react'
import { writeV1 } from '../../api/queries.ts'
import { shortAddress } from '../../components/address.tsx'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Checkbox } from '../../components/input.tsx'
import { NameField } from '../../components/name-field.tsx'
import { Select } from '../../components/select.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { type Bundle, type Entry, useBookChange } from './book.ts'

type OfBundle = { bundle: Bundle; onClose: () => void }

const nameOf = ({ label, address }: Entry): string =>
  label ? `${label} · ${shortAddress(address)}` : shortAddress(address)

export function CreateBundleDialog({ entries, onClose }: { entries: readonly Entry[]; onClose: () => void }) {
  const [name, setName] = useState('')
  const [chosen, setChosen] = useState<readonly string[]>([])
  const change = useBookChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Create a bundle')}
      submit={t('Create')}
      isReady={chosen.length > 0}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const body = { name: name.trim(), addresses: [...chosen] }
        await change((account) => writeV1('POST', account, '/v1/bundles', { body }))
        onClose()
      }}
    >
      <NameField label={t('Name')} max={255} name={name} onChange={setName} />
      <fieldset className="grid max-h-60 gap-0.5 overflow-y-auto rounded-md border border-line px-3 py-2">
        <legend className="px-1 text-sm font-medium">{t('Addresses')}</legend>
        {entries.map((entry) => (
          <Checkbox
            key={entry.address}
            label={nameOf(entry)}
            checked={chosen.includes(entry.address)}
            onChange={({ target }) =>
              setChosen(target.checked ? [...chosen, entry.address] : chosen.filter((one) => one !== entry.address))
            }
          />
        ))}
      </fieldset>
    </FormDialog>
  )
}

export function RenameBundleDialog({ bundle, onClose }: OfBundle) {
  const [name, setName] = useState(bundle.name)
  const change = useBookChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Rename {name}', { name: bundle.name })}
      submit={t('Rename')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const parts = { params: { bundleId: bundle.id }, body: { name: name.trim() } }
        await change((account) => writeV1('PATCH', account, '/v1/bundles/:bundleId', parts))
        onClose()
      }}
    >
      <NameField label={t('Name')} max={255} name={name} onChange={setName} />
    </FormDialog>
  )
}

export function AddMemberDialog({ bundle, entries, onClose }: OfBundle & { entries: readonly Entry[] }) {
  const others = entries.filter(({ address }) => !bundle.addresses.includes(address))
  const [address, setAddress] = useState(others[0]?.address ?? '')
  const change = useBookChange()
  const work = useWork()
  return (
    <FormDialog
      title={t('Add to {name}', { name: bundle.name })}
      submit={t('Add')}
      isReady={address !== ''}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const parts = { params: { bundleId: bundle.id }, body: { address } }
        await change((account) => writeV1('POST', account, '/v1/bundles/:bundleId/addresses', parts))
        onClose()
      }}
    >
      <Field
        label={t('Address')}
        hint={others.length === 0 ? t('The bundle contains all saved addresses.') : undefined}
      >
        {(control) => (
          <Select
            {...control}
            value={address}
            choices={others.map((entry) => ({ value: entry.address, label: nameOf(entry) }))}
            onChoose={setAddress}
          />
        )}
      </Field>
    </FormDialog>
  )
}

export function RemoveBundleDialog({ bundle, onClose }: OfBundle) {
  const change = useBookChange()
  const work = useWork()
  return (
    <FormDialog
      danger
      title={t('Remove {name}', { name: bundle.name })}
      submit={t('Remove')}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const params = { bundleId: bundle.id }
        await change((account) => writeV1('DELETE', account, '/v1/bundles/:bundleId', { params }))
        onClose()
      }}
    >
      <p className="text-sm text-muted">{t('Its addresses stay in the address book.')}</p>
    </FormDialog>
  )
}
