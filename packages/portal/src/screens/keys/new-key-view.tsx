import type { NewKey } from '../../api/types.ts'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Actions, Dialog } from '../../components/dialog.tsx'
import { t } from '../../lib/i18n.ts'

/** The text of a new key, seen this once; only its own button closes the dialog. */
export function NewKeyView({ made, onClose }: { made: NewKey; onClose: () => void }) {
  const curl = `curl -H 'Authorization: Bearer ${made.key}' ${location.origin}/v1/credits`
  return (
    <Dialog open title={t('New key: {name}', { name: made.name })}>
      <div className="grid gap-4">
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
          {t('Copy it now: it is shown this once and kept nowhere.')}
        </p>
        <Secret name={t('Key')} text={made.key} />
        <Secret name={t('Try it')} text={curl} />
      </div>
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('I have copied it')}
        </Button>
      </Actions>
    </Dialog>
  )
}

function Secret({ name, text }: { name: string; text: string }) {
  return (
    <div className="grid gap-1">
      <div className="flex items-center justify-between gap-2">
        <span className="text-sm font-medium">{name}</span>
        <CopyButton text={text} name={name} />
      </div>
      <code className="rounded-md border border-line bg-sunken p-2 font-mono text-[0.8125rem] break-all">{text}</code>
    </div>
  )
}
