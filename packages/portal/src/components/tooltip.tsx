import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'
import { popupClass } from './popup.ts'

/** A short text about a control, seen when it is pointed at or has focus; `children` is that control. */
export function Tooltip({ text, children }: { text: string; children: ReactElement<Record<string, unknown>> }) {
  return (
    <BaseTooltip.Root>
      <BaseTooltip.Trigger render={children} aria-description={text} />
      <BaseTooltip.Portal>
        <BaseTooltip.Positioner sideOffset={6} className="z-50">
          <BaseTooltip.Popup className={`${popupClass} max-w-72 px-2 py-1 text-[0.8125rem]`}>{text}</BaseTooltip.Popup>
        </BaseTooltip.Positioner>
      </BaseTooltip.Portal>
    </BaseTooltip.Root>
  )
}
