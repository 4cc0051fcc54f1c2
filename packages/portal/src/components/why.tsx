import { Popover } from '@base-ui/react/popover'
import type { ReactNode } from 'react'
import { t } from '../lib/i18n.ts'
import { popupClass } from './popup.ts'

/** Input of a figure: raw amount, block, contract, price source. */
export type Reason = { label: string; value: ReactNode }

type WhyProps = {
  /** Figure's name for screen readers. */
  figure: string
  reasons: readonly Reason[]
  /** Content that loads on opening. */
  children?: ReactNode
}

export function Why({ figure, reasons, children }: WhyProps) {
  return (
    <Popover.Root>
      <Popover.Trigger
        aria-label={t('Why {figure}?', { figure })}
        className="ms-1 inline-grid size-6 place-items-center rounded-full align-middle text-muted hover:bg-sunken hover:text-ink"
      >
        <svg aria-hidden viewBox="0 0 16 16" className="size-3.5 fill-none stroke-current stroke-[1.4]">
          <circle cx="8" cy="8" r="6.5" />
          <path d="M8 7.2v4M8 4.6v1.2" />
        </svg>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={4} collisionPadding={8} className="z-50">
          <Popover.Popup className={`${popupClass} max-h-[70dvh] w-80 max-w-[calc(100vw-1rem)] overflow-auto p-3`}>
            <Popover.Title className="mb-2 text-sm font-semibold">{figure}</Popover.Title>
            <Reasons reasons={reasons} />
            {children}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

export function Reasons({ reasons }: { reasons: readonly Reason[] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-[0.8125rem]">
      {reasons.map((reason) => (
        <div key={reason.label} className="col-span-2 grid grid-cols-subgrid">
          <dt className="text-muted">{reason.label}</dt>
          <dd className="min-w-0 text-end tabular-nums">{reason.value}</dd>
        </div>
      ))}
    </dl>
  )
}
