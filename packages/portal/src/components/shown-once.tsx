import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { Actions, Dialog } from './dialog.tsx'

type ShownOnceProps = { title: string; texts: readonly { name: string; text: string }[]; onClose: () => void }

/** Texts shown only once, e.g. a new key; only the dialog's own button closes it. */
export function ShownOnce({ title, texts, onClose }: ShownOnceProps) {
  return (
    <Dialog open title={title}>
      <div className="grid gap-4">
        <p className="rounded-md bg-warn-soft px-2.5 py-1.5 text-sm text-warn">
          {t('Copy it now. It is shown only once.')}
        </p>
        {texts.map(({ name, text }) => (
          <div key={name} className="grid gap-1">
            <div className="flex items-center justify-between gap-2">
              <span className="text-sm font-medium">{name}</span>
              <CopyButton text={text} name={name} />
            </div>
            <code className="rounded-md border border-line bg-sunken p-2 font-mono text-[0.8125rem] break-all">
              {text}
            </code>
          </div>
        ))}
      </div>
      <Actions>
        <Button look="primary" onClick={onClose}>
          {t('I have copied it')}
        </Button>
      </Actions>
    </Dialog>
  )
}
