import { type ReactNode, useEffect, useId, useRef } from 'react'
import { t } from '../lib/i18n.ts'

type DialogProps = {
  open: boolean
  title: string
  /** Called by Escape and the close button. Without it, only the dialog's own buttons close it. */
  onClose?: () => void
  /** At the left edge in full height: the navigation of narrow windows. */
  side?: boolean
  children: ReactNode
}

/**
 * A modal on the native `<dialog>`, which keeps focus inside, makes the page inert and restores focus. A click outside
 * does not close it.
 */
export function Dialog({ open, ...rest }: DialogProps) {
  return open ? <OpenDialog {...rest} /> : null
}

function OpenDialog({ title, onClose, side = false, children }: Omit<DialogProps, 'open'>) {
  const ref = useRef<HTMLDialogElement>(null)
  const body = useRef<HTMLDivElement>(null)
  const titleId = useId()
  useEffect(() => {
    const dialog = ref.current
    const before = document.activeElement
    dialog?.showModal()
    // The browser would focus the close button, which comes first.
    body.current?.querySelector<HTMLElement>('input:not([hidden]), select, textarea, button, a')?.focus()
    return () => {
      dialog?.close()
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        onClose?.()
      }}
      className={`border-line bg-surface text-ink shadow-xl ${
        side
          ? 'm-0 h-dvh max-h-dvh w-72 max-w-[88vw] border-e p-3'
          : 'm-auto max-h-[92dvh] w-[32rem] max-w-[calc(100vw-1rem)] rounded-lg border p-4 sm:p-5'
      }`}
    >
      <div className="mb-3 flex items-start justify-between gap-3">
        <h2 id={titleId} className="text-base font-semibold">
          {title}
        </h2>
        {onClose && (
          <button
            type="button"
            onClick={onClose}
            aria-label={t('Close')}
            className="-m-1.5 grid size-8 shrink-0 place-items-center rounded-md text-muted hover:bg-sunken"
          >
            <svg aria-hidden viewBox="0 0 16 16" className="size-4 fill-none stroke-current stroke-[1.6]">
              <path d="m3.5 3.5 9 9m0-9-9 9" />
            </svg>
          </button>
        )}
      </div>
      <div ref={body} className={side ? 'h-[calc(100%-2.75rem)]' : ''}>
        {children}
      </div>
    </dialog>
  )
}

/** Button row at the end of a dialog or form. */
export function Actions({ children }: { children: ReactNode }) {
  return <div className="mt-4 flex flex-wrap justify-end gap-2">{children}</div>
}
