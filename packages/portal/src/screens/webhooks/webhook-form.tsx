import type { EventKind } from '@coffer/contract'
import { useId } from 'react'
import { Field } from '../../components/field.tsx'
import { Checkbox, Input } from '../../components/input.tsx'
import { t } from '../../lib/i18n.ts'
import { meaningOf } from './kind-names.ts'
import type { Settings } from './use-webhooks.ts'

/** Characters that the service accepts. */
const URL_MAX = 2_000

type WebhookFormProps = {
  settings: Settings
  kinds: readonly EventKind[]
  onChange: (settings: Settings) => void
}

export function WebhookForm({ settings, kinds, onChange }: WebhookFormProps) {
  const toggle = (kind: EventKind) =>
    onChange({ ...settings, kinds: kinds.filter((one) => settings.kinds.includes(one) !== (one === kind)) })
  return (
    <>
      <Field label={t('URL')} hint={t('Coffer posts events to this URL. It begins with https://.')}>
        {(control) => (
          <Input
            {...control}
            required
            maxLength={URL_MAX}
            autoComplete="off"
            inputMode="url"
            spellCheck={false}
            placeholder="https://hooks.example.com/coffer"
            value={settings.url}
            onChange={(event) => onChange({ ...settings, url: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="grid gap-1">
        <legend className="text-sm font-medium">{t('Kinds of events')}</legend>
        {kinds.map((kind) => (
          <KindBox key={kind} kind={kind} isChosen={settings.kinds.includes(kind)} onToggle={() => toggle(kind)} />
        ))}
      </fieldset>
    </>
  )
}

export const isComplete = ({ url, kinds }: Settings): boolean => url.trim() !== '' && kinds.length > 0

function KindBox({ kind, isChosen, onToggle }: { kind: EventKind; isChosen: boolean; onToggle: () => void }) {
  const id = useId()
  const meaning = meaningOf(kind)
  return (
    <div>
      <Checkbox label={kind} checked={isChosen} onChange={onToggle} {...(meaning && { 'aria-describedby': id })} />
      {meaning && (
        <p id={id} className="ms-6 text-[0.8125rem] text-muted">
          {meaning}
        </p>
      )}
    </div>
  )
}
