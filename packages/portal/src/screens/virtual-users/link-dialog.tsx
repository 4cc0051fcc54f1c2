import { useState } from 'react'
import { ask } from '../../api/ask.ts'
import { Field } from '../../components/field.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Input } from '../../components/input.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { Select } from '../../components/select.tsx'
import { useWork } from '../../components/use-work.ts'
import { t } from '../../lib/i18n.ts'
import type { Linked } from './exchange-card.tsx'
import { useExchanges, useUserChange, type VirtualUser } from './users.ts'

type LinkDialogProps = { user: VirtualUser; onLinked: (linked: Linked) => void; onClose: () => void }

const empty = { apiKey: '', secret: '', password: '', uid: '' }

/** Links an exchange account. Typed credentials go to the service once and stay in the page until the dialog closes. */
export function LinkDialog({ user, onLinked, onClose }: LinkDialogProps) {
  const exchanges = useExchanges()
  const [exchange, setExchange] = useState('')
  const [typed, setTyped] = useState(empty)
  const change = useUserChange()
  const work = useWork()
  const chosen = exchange || (exchanges.data?.[0]?.key ?? '')
  const field = (name: keyof typeof empty, label: string, hint?: string) => (
    <SecretField
      label={label}
      {...(hint && { hint })}
      value={typed[name]}
      onChange={(value) => setTyped({ ...typed, [name]: value })}
    />
  )
  return (
    <FormDialog
      title={t('Link an exchange')}
      submit={t('Check and link')}
      isReady={chosen !== '' && typed.apiKey.trim() !== '' && typed.secret.trim() !== ''}
      work={work}
      onClose={onClose}
      onSubmit={async () => {
        const { apiKey, secret, password, uid } = typed
        const credentials = { apiKey, secret, ...(password && { password }), ...(uid && { uid }) }
        const parts = { body: { exchange: chosen, credentials } }
        const linked = await change((account) =>
          ask('POST', '/accounts/:account/virtual-users/:id/link', { params: { account, id: user.id }, ...parts }),
        )
        onClose()
        onLinked(linked)
      }}
    >
      <p className="text-sm text-muted">
        {t(
          'Create a read-only key at the exchange. Coffer asks the exchange for its permissions and refuses keys that may trade or withdraw.',
        )}
      </p>
      <QueryView query={exchanges} lines={1}>
        {(list) => (
          <Field label={t('Exchange')}>
            {(control) => (
              <Select
                {...control}
                value={chosen}
                choices={list.map(({ key, name }) => ({ value: key, label: name }))}
                onChoose={setExchange}
              />
            )}
          </Field>
        )}
      </QueryView>
      {field('apiKey', t('Exchange API key'))}
      {field('secret', t('Secret'))}
      {field('password', t('Passphrase'), t('Only if the exchange requires one.'))}
      {field('uid', t('User ID'), t('Only if the exchange requires one.'))}
    </FormDialog>
  )
}

type SecretFieldProps = { label: string; hint?: string; value: string; onChange: (value: string) => void }

function SecretField({ label, hint, value, onChange }: SecretFieldProps) {
  return (
    <Field label={label} hint={hint}>
      {(control) => (
        <Input
          {...control}
          type="password"
          autoComplete="off"
          spellCheck={false}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
