import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import type { PasskeyItem } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { Card } from '../../components/card.tsx'
import { Field } from '../../components/field.tsx'
import { Moment } from '../../components/figures.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input } from '../../components/input.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import { makePasskey, passkeysWork } from '../../lib/passkeys.ts'
import { passkeysQuery, renewOwn } from './own.ts'
import { RemoveWay } from './remove-way.tsx'

export function PasskeysCard() {
  const passkeys = useQuery(passkeysQuery)
  const [isAdding, setAdding] = useState(false)
  const add = passkeysWork() && (
    <Button size="sm" onClick={() => setAdding(true)}>
      {t('Add a passkey')}
    </Button>
  )
  return (
    <Card title={t('Passkeys')} aside={add}>
      <QueryView query={passkeys} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <p className="text-sm text-muted">{t('No passkeys yet. A passkey signs you in without a password.')}</p>
          ) : (
            <ul className="divide-y divide-line">
              {list.map((passkey) => (
                <PasskeyLine key={passkey.id} passkey={passkey} />
              ))}
            </ul>
          )
        }
      </QueryView>
      {isAdding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
    </Card>
  )
}

function PasskeyLine({ passkey }: { passkey: PasskeyItem }) {
  return (
    <RemoveWay
      action={t('Remove')}
      label={t('Remove {name}', { name: passkey.name })}
      remove={() => ask('DELETE', '/user/passkeys/:id', { params: { id: passkey.id } })}
    >
      <p className="text-sm font-medium">{passkey.name}</p>
      <p className="text-xs text-muted">
        {t('Last used')}: {passkey.lastUsedAt ? <Moment relative at={passkey.lastUsedAt} /> : t('never')}
      </p>
    </RemoveWay>
  )
}

function AddPasskeyDialog({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('')
  const work = useWork()
  const add = async () => {
    const response = await makePasskey(await ask('POST', '/user/passkeys/options', { body: {} }))
    await ask('POST', '/user/passkeys', { body: { name: name.trim(), response } })
    await renewOwn()
    onClose()
  }
  return (
    <FormDialog title={t('Add a passkey')} submit={t('Continue')} work={work} onClose={onClose} onSubmit={add}>
      <Field label={t('Name')} hint={t('The device that stores it, e.g. “phone” or “security key”.')}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
