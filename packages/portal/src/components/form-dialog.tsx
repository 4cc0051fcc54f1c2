import type { FormEvent, ReactNode } from 'react'
import { t } from '../lib/i18n.ts'
import { Button } from './button.tsx'
import { Actions, Dialog } from './dialog.tsx'
import { Failure } from './failure.tsx'
import type { Work } from './use-work.ts'

type FormDialogProps = {
  title: string
  submit: string
  work: Work
  danger?: boolean
  isReady?: boolean
  onClose: () => void
  onSubmit: () => Promise<unknown>
  children: ReactNode
}

/** `work` carries the error; `isReady` permits submission. */
export function FormDialog({
  title,
  submit,
  work,
  danger = false,
  isReady = true,
  onClose,
  onSubmit,
  children,
}: FormDialogProps) {
  const send = (event: FormEvent) => {
    event.preventDefault()
    void work.run(onSubmit)
  }
  return (
    <Dialog open title={title} onClose={onClose}>
      <form onSubmit={send} className="grid gap-4">
        {children}
        <Failure text={work.error} />
        <Actions>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" look={danger ? 'danger' : 'primary'} disabled={!isReady} busy={work.busy}>
            {submit}
          </Button>
        </Actions>
      </form>
    </Dialog>
  )
}
